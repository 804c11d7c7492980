import { beforeEach, describe, expect, it } from "vitest";
import type { Deps } from "../../../src/deps.ts";
import { failingDatabase } from "../../failing-database.ts";
import { ToldCarrier } from "../../told-carrier.ts";
import { SEND, type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";

let world: World;
let client: TestClient;
let whole: Deps;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([`${ADA},ada@example.com`]);
  whole = world.deps;
});

const send = () => world.post("/text/message/send", client, { ...SEND, phone: ADA });
const codeOf = async (answer: Response) => ((await answer.json()) as { code: number }).code;
const messages = () => world.rows("SELECT message_id, status FROM messages");

/** A queue that takes nothing. */
const closed = {
  sendBatch: async () => Promise.reject(new Error("Queue sendBatch failed")),
} as unknown as Deps["messages"];

/** D1 that holds back the first transaction that stores: its caller hears of a failure, and it commits when told to. */
function lateDatabase(): { db: D1Database; commit: () => Promise<unknown> } {
  let commit: (() => Promise<unknown>) | undefined;
  const batch = async (statements: D1PreparedStatement[]) => {
    commit ??= () => whole.db.batch(statements);
    throw new Error("D1_ERROR: Network connection lost.");
  };
  const db = { prepare: (sql: string) => whole.db.prepare(sql), batch } as unknown as D1Database;
  return { db, commit: async () => commit?.() };
}

describe("a transaction that commits after its message was cancelled", () => {
  it.each([[null], [24]])(
    "stores nothing, and suppresses nothing (duplicates: %s hours)",
    async (duplicateWindowHours) => {
      await world.website("brand", { duplicateWindowHours });
      const late = lateDatabase();
      world.deps = { ...whole, db: late.db };
      expect(await codeOf(await send())).toBe(50300);
      world.deps = whole;
      await world.runQueues();
      await late.commit();
      expect(await messages()).toEqual([]);

      const messageId = await world.send(client, { phone: ADA });
      world.advance(600);
      await world.sweep();
      world.advance(600);
      await world.runQueues();
      expect(await messages()).toEqual([{ message_id: messageId, status: "DELIVERED" }]);
    },
  );

  it("is remembered for a day", async () => {
    world.deps = { ...whole, db: lateDatabase().db };
    await send();
    world.deps = whole;
    await world.runQueues();
    expect(await world.rows("SELECT message_id FROM cancelled_messages")).toHaveLength(1);
    world.advance(24 * 3600 + 1);
    await world.sweep();
    expect(await world.rows("SELECT message_id FROM cancelled_messages")).toEqual([]);
  });
});

describe("a store and a queue that fail together", () => {
  const outage = (when: "before" | "after"): Deps => ({
    ...whole,
    db: failingDatabase(whole.db, 4, when),
    messages: closed,
  });

  it("leave the cancellation to KV, and the sweep comes before the delivery: repeated, the text goes out once", async () => {
    world.deps = outage("after");
    expect(await codeOf(await send())).toBe(50300);
    world.deps = whole;
    expect(await messages()).toHaveLength(1);
    const repeated = await world.send(client, { phone: ADA });
    await world.pass(10);
    expect(await messages()).toEqual([{ message_id: repeated, status: "DELIVERED" }]);
    expect((await whole.kv.list({ prefix: "job:" })).keys).toEqual([]);
  });

  it.each([61, 75, 90, 105, 119])(
    "goes out once where KV lists the job late, and the sweep comes after %i s",
    async (first) => {
      world.deps = outage("after");
      const askedAt = world.now;
      expect(await codeOf(await send())).toBe(50300);
      // KV lists a new key a minute late elsewhere, and the key may be half a minute younger than the request.
      const { kv: all } = whole;
      const list = async (options: KVNamespaceListOptions) =>
        world.now < askedAt + 95_000 ? { keys: [] } : all.list(options);
      const kv = new Proxy(all, {
        get: (target, name) => (name === "list" ? list : Reflect.get(target, name).bind(target)),
      });
      world.deps = { ...whole, kv };
      const repeated = await world.send(client, { phone: ADA });
      world.advance(first);
      for (let second = 0; second < 600; second++) {
        // The sweep is late by as much as it may be, and jobs are not.
        await world.runQueues();
        if (second % 60 === 0) await world.sweep();
        world.advance(1);
      }
      expect(await messages()).toEqual([{ message_id: repeated, status: "DELIVERED" }]);
    },
  );

  it("with KV as well: the answer does not say that it is safe to repeat, and the log names the cause", async () => {
    const kv = { put: async () => Promise.reject(new Error("KV PUT failed: 503")) } as unknown as KVNamespace;
    world.deps = { ...outage("after"), kv };
    const answer = await send();
    expect(answer.status).toBe(500);
    expect(await codeOf(answer)).toBe(50000);
    expect(world.logs.some((line) => line.includes("neither the queue nor KV"))).toBe(true);
    world.deps = whole;
    world.advance(600);
    await world.sweep();
    world.advance(600);
    await world.runQueues();
    expect((await messages()).map(({ status }) => status)).toEqual(["DELIVERED"]);
  });

  it("in a bulk request: what was stored before is told, whatever the fault", async () => {
    const items = Array.from({ length: 600 }, (_, index) => ({ ...SEND, phone: ADA, text: `no ${index}` }));
    let batches = 0;
    const batch = (statements: D1PreparedStatement[]) =>
      batches++ === 0 ? whole.db.batch(statements) : Promise.reject(new Error("D1_ERROR: Network connection lost."));
    const db = { prepare: (sql: string) => whole.db.prepare(sql), batch } as unknown as D1Database;
    const kv = { put: async () => Promise.reject(new Error("KV PUT failed: 503")) } as unknown as KVNamespace;
    world.deps = { ...whole, db, messages: closed, kv };
    const answer = await world.post("/text/bulk/message/send", client, { messages: items });
    const { code, details } = (await answer.json()) as { code: number; details: unknown[] };
    expect([answer.status, code, details.length]).toEqual([500, 50000, 500]);
  });
});

describe("a cancellation", () => {
  it("leaves neither the message, nor its link, nor its event", async () => {
    world.deps = { ...whole, db: failingDatabase(whole.db, Number.POSITIVE_INFINITY, "after") };
    for (const phone of [ADA, "+12125550177"]) {
      const body = { ...SEND, phone, clickUrl: "https://shop.example.com" };
      expect(await codeOf(await world.post("/text/message/send", client, body))).toBe(50300);
    }
    world.deps = whole;
    const counted = async () =>
      Promise.all(
        ["messages", "links", "events"].map(async (table) => (await world.rows(`SELECT * FROM ${table}`)).length),
      );
    expect(await counted()).toEqual([2, 2, 1]);
    await world.runQueues();
    expect(await counted()).toEqual([0, 0, 0]);
  });

  it("holds through the sweeps of an hour against a transaction that commits after them", async () => {
    const late = lateDatabase();
    world.deps = { ...whole, db: late.db };
    expect(await codeOf(await send())).toBe(50300);
    world.deps = whole;
    await world.runQueues();
    for (let sweeps = 0; sweeps < 2; sweeps++) {
      world.advance(29 * 60);
      await world.sweep();
    }
    await late.commit();
    expect(await messages()).toEqual([]);
    world.advance(600);
    await world.sweep();
    await world.runQueues();
    expect(await messages()).toEqual([]);
  });

  it("that comes too late leaves a message that its carrier was asked to take: it goes out, once", async () => {
    const carrier = new ToldCarrier(world);
    const { deps } = world;
    world.deps = { ...deps, db: failingDatabase(deps.db, Number.POSITIVE_INFINITY, "after") };
    expect(await codeOf(await send())).toBe(50300);
    world.deps = deps;
    const cancellations = world.jobs.splice(0).map(({ body }) => body);
    expect(cancellations).toMatchObject([{ kind: "cancel" }]);
    carrier.answer = () => ({ kind: "later", reason: "busy", retryAfterSeconds: 300 });
    for (let minute = 0; minute < 3; minute++) {
      world.advance(61);
      await world.sweep();
      await world.runQueues();
    }
    expect(carrier.submitted).toHaveLength(1);
    await world.deliver("textgate-messages", cancellations);
    const [message] = await messages();
    expect(message).toMatchObject({ message_id: carrier.submitted[0], status: "PENDING_TO_SEND" });
    carrier.answer = () => ({ kind: "accepted", carrierMessageId: "c-1" });
    world.advance(301);
    await world.runQueues();
    expect(carrier.submitted).toHaveLength(2);
    expect(await messages()).toMatchObject([{ status: "SENDING" }]);
  });
});
