/** message.received and subscription.changed under faults, what is kept of them, and what they cost those who want none. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { failingDatabase } from "../../failing-database.ts";
import { ADA, ALL, BOB, begin, clientOf, feed, postsTo, text, typesTo, urlOf, world } from "./notice-world.ts";

beforeEach(begin);

afterEach(() => {
  vi.restoreAllMocks();
});

describe("nothing is lost or posted twice", () => {
  it("when the run dies between the claim and the post: at most once", async () => {
    await clientOf("one", ["message.received"]);
    await text("hello");
    const [id] = world.callbacks.splice(0).map(({ body }) => body);
    await world.rows("UPDATE events SET attempted_at = ?1, claim = 'a run that was cut off'", world.now);
    await world.deliver("textgate-callbacks", [id]);
    world.advance(600);
    await world.sweep();
    await world.runQueues();
    expect(postsTo("one")).toEqual([]);
  });

  it("when its job is lost: the sweep queues it again", async () => {
    await clientOf("one", ["message.received", "subscription.changed"]);
    await text("STOP");
    world.callbacks.splice(0);
    world.advance(120);
    await world.sweep();
    await world.runQueues();
    expect(typesTo("one").toSorted()).toEqual(["message.received", "subscription.changed"]);
  });

  it.each([
    ["events", "INSERT"],
    ["subscriptions", "UPDATE"],
    ["inbound_texts", "UPDATE"],
  ])("when the store fails at %s: with the text, or not at all", async (table, act) => {
    await clientOf("one", ["message.received", "subscription.changed"]);
    await world.rows(`CREATE TRIGGER broken BEFORE ${act} ON ${table} BEGIN SELECT RAISE(ABORT, 'broken'); END`);
    await expect(text("STOP", { id: "failing" })).rejects.toThrow();
    await world.rows("DROP TRIGGER broken");
    for (const empty of ["events", "inbound_texts"]) expect(await world.rows(`SELECT * FROM ${empty}`)).toEqual([]);
    await text("STOP", { id: "failing" });
    await world.runQueues();
    expect(typesTo("one").toSorted()).toEqual(["message.received", "subscription.changed"]);
  });

  it("when a transaction takes effect and its answer is lost", async () => {
    await clientOf("one", ["message.received", "subscription.changed"]);
    const { db } = world.deps;
    world.deps.db = failingDatabase(db, 1, "after", undefined, "batches");
    await text("STOP");
    world.deps.db = db;
    world.advance(120);
    await world.sweep();
    await world.runQueues();
    expect(typesTo("one").toSorted()).toEqual(["message.received", "subscription.changed"]);
    expect(await world.rows("SELECT count(*) AS count FROM events WHERE body IS NOT NULL")).toEqual([{ count: 2 }]);
  });

  it("ends as not posted when the URL is removed", async () => {
    const { clientId } = await clientOf("one", ["message.received"]);
    await text("hello");
    world.advance(2);
    await world.operator("PATCH", `/clients/${clientId}`, { callbackUrl: null });
    await world.runQueues();
    expect(await world.rows("SELECT outcome FROM events")).toEqual([{ outcome: "not-posted" }]);
    world.advance(600);
    await world.operator("PATCH", `/clients/${clientId}`, { callbackUrl: urlOf("one") });
    await world.sweep();
    await world.runQueues();
    expect(postsTo("one")).toEqual([]);
  });
});

describe("what is kept", () => {
  const left = async () => (await world.rows(`SELECT count(*) AS events, count(body) AS notices FROM events`))[0];

  it("vanishes with the person, and comes back with nobody", async () => {
    const client = await clientOf("one", ["message.received", "subscription.changed"]);
    await text("STOP");
    await text("hello", { from: BOB });
    await world.operator("DELETE", `/websites/brand/people/${ADA}`);
    expect(await left()).toEqual({ notices: 1, events: 1 });
    expect(JSON.stringify(await world.rows("SELECT * FROM events WHERE body IS NOT NULL"))).not.toContain(ADA.slice(1));
    await world.runQueues();
    expect(postsTo("one")).toMatchObject([{ from: BOB }]);
    expect(await feed(client)).toMatchObject([{ from: BOB }]);
    await world.post("/text/subscribe", await world.client("brand"), { phone_numbers: [ADA], sendPurpose: "form" });
    await world.runQueues();
    expect(postsTo("one")).toHaveLength(1);
  });

  it("is purged with the texts", async () => {
    await clientOf("one", ["message.received", "subscription.changed"]);
    await text("STOP");
    await world.runQueues();
    world.advance(31 * 24 * 3600);
    await world.sweep();
    expect(await left()).toEqual({ notices: 0, events: 0 });
  });

  it("is not in the log", async () => {
    await clientOf("one", ALL);
    await text("a secret STOP", { from: ADA });
    await text("STOP");
    await world.runQueues();
    expect(postsTo("one")).toHaveLength(3);
    const lines = world.logs.join("\n");
    for (const secret of [ADA.slice(1), "secret"]) expect(lines).not.toContain(secret);
  });
});

describe("what it costs a website without such a client", () => {
  /** D1 that counts the rows of the statements about notices. */
  function watched(db: D1Database) {
    const own = new WeakSet<D1PreparedStatement>();
    const usage = { statements: 0, read: 0, written: 0 };
    const count = (meta: D1Meta) => {
      usage.statements += 1;
      usage.read += meta.rows_read;
      usage.written += meta.rows_written;
    };
    const prepare = (sql: string) => {
      const statement = db.prepare(sql);
      const bind = statement.bind.bind(statement);
      statement.bind = (...values: unknown[]) => {
        const bound = bind(...values);
        if (!/notices|clients_with_events/.test(sql)) return bound;
        own.add(bound);
        const all = bound.all.bind(bound);
        bound.all = async <T>() => {
          const result = await all<T>();
          count(result.meta);
          return result;
        };
        return bound;
      };
      return statement;
    };
    const batch = async (statements: D1PreparedStatement[]) => {
      const results = await db.batch(statements);
      for (const [index, { meta }] of results.entries()) {
        if (own.has(statements[index] as D1PreparedStatement)) count(meta);
      }
      return results;
    };
    return { db: { prepare, batch } as unknown as D1Database, usage };
  }

  it("is no row written, and at most one read", async () => {
    const client = await clientOf("plain");
    const messageId = await world.send(client, { phone: BOB });
    const { db, usage } = watched(world.deps.db);
    world.deps.db = db;
    const costs: Record<string, unknown> = {};
    const cost = async (name: string, work: () => Promise<unknown>) => {
      Object.assign(usage, { statements: 0, read: 0, written: 0 });
      await work();
      costs[name] = { ...usage };
    };
    await cost("STOP", () => text("STOP"));
    await cost("START", () => text("START"));
    await cost("another text", () => text("hello"));
    const phone_numbers = Array.from({ length: 50 }, (_, index) => `+1212555${1000 + index}`);
    await cost("50 numbers", () => world.post("/text/unsubscribe", client, { phone_numbers }));
    const receipt = { messageId, status: "FAILED_TO_DELIVERY", reason: null, carrierMessageId: null, optedOut: true };
    const job = { kind: "receipts", carrier: "sandbox", receipts: [receipt] };
    await cost("the carrier's word", () => world.deliver("textgate-receipts", [job]));
    for (const name of ["STOP", "START", "another text", "50 numbers"])
      expect([name, costs[name]]).toEqual([name, { statements: 1, read: 0, written: 0 }]);
    // The one row is the message.
    expect(costs["the carrier's word"]).toEqual({ statements: 1, read: 1, written: 0 });
  });
});
