/** message.received and subscription.changed: which client hears what, once, and what stands in its feed. */
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ClientEvent } from "../../src/domain/client.ts";
import { receiveInbound } from "../../src/flows/receive-inbound.ts";
import { expectDocumentedEvent } from "../docs/conformance.ts";
import { failingDatabase } from "../failing-database.ts";
import { type TestClient, World } from "../world.ts";

const ADA = "+12125550100";
const BOB = "+12125550101";
const STRANGER = "+12125550199";
const OURS = "+12125550000";
const AT = "2026-11-21T12:00:00.000Z";
const ALL: ClientEvent[] = ["message.status", "message.clicked", "message.received", "subscription.changed"];

type Event = Record<string, unknown>;

let world: World;
/** By endpoint. */
let posts: Map<string, Event[]>;
let headers: Record<string, string>;

beforeEach(async () => {
  world = await World.create();
  posts = new Map();
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const event = await new Response(init?.body).json<Event>();
    headers = Object.fromEntries(new Headers(init?.headers));
    expectDocumentedEvent(event);
    posts.set(String(input), [...(posts.get(String(input)) ?? []), event]);
    return new Response("thanks");
  });
  await world.website("brand", { carrier: "sandbox", sender: OURS });
  await world.subscribers("brand", [ADA]);
});

afterEach(() => {
  vi.restoreAllMocks();
});

const urlOf = (name: string) => `https://${name}.example.com/`;
const clientOf = (name: string, events?: ClientEvent[], websiteId = "brand") =>
  world.client(websiteId, { callbackUrl: urlOf(name), ...(events ? { events } : {}) });
const postsTo = (name: string) => posts.get(urlOf(name)) ?? [];
const typesTo = (name: string) => postsTo(name).map(({ eventType }) => eventType);

let texts = 0;
const text = (words: string, { from = ADA, id = `in-${++texts}`, mediaUrls = [] as string[] } = {}) =>
  world.invoke("queue", () =>
    receiveInbound(world.deps, "sandbox", {
      ...{ carrierMessageId: id, from, to: [OURS], text: words, mediaUrls },
      ...{ keyword: null, answeredByCarrier: false },
    }),
  );

async function feed(client: TestClient): Promise<Event[]> {
  const answer = await world.fetch("/text/events", {
    headers: { "x-client-id": client.clientId, "x-client-secret": client.clientSecret },
  });
  return (await answer.json<{ events: Event[] }>()).events;
}

describe("message.received", () => {
  it("has the text, its media and the message that it answers; it is signed and posted once", async () => {
    const client = await clientOf("one", ALL);
    const messageId = await world.send(client, { phone: ADA });
    await world.runQueues();
    posts.clear();
    await text('Lovely 🌷 "yes"\n', { mediaUrls: ["https://media.example.com/1.jpg"] });
    await world.runQueues();
    const [event, ...others] = postsTo("one");
    expect(others).toEqual([]);
    expect(event).toEqual({
      eventId: expect.stringMatching(/^[0-9a-f-]{69}_message\.received$/),
      eventType: "message.received",
      ...{ from: ADA, to: OURS, text: 'Lovely 🌷 "yes"\n', mediaUrls: ["https://media.example.com/1.jpg"] },
      ...{ receivedAt: AT, keyword: null, inReplyTo: messageId },
    });
    expect(headers["webhook-id"]).toBe(event?.eventId);
    const verify = () => new Webhook(client.callbackSecret).verify(JSON.stringify(event), headers);
    vi.useFakeTimers({ now: world.now, toFake: ["Date"] });
    expect(verify).not.toThrow();
    vi.useRealTimers();
    world.advance(300);
    await world.sweep();
    await world.runQueues();
    expect(postsTo("one")).toHaveLength(1);
  });

  it.each([
    ["STOP", "stop"],
    ["start", "start"],
    ["Help!", "help"],
    ["stop it please", null],
  ])("of %s has the keyword %s", async (words, keyword) => {
    await clientOf("one", ["message.received"]);
    await text(words);
    await world.runQueues();
    expect(postsTo("one")).toMatchObject([{ keyword, text: words, inReplyTo: null }]);
  });

  it("does not take the reply to a keyword for the message that is answered", async () => {
    const client = await clientOf("one", ["message.received"]);
    const messageId = await world.send(client, { phone: ADA });
    await world.runQueues();
    world.advance(10);
    await text("HELP");
    await world.runQueues();
    world.advance(10);
    await text("thanks");
    await world.runQueues();
    expect(postsTo("one")).toMatchObject([{ inReplyTo: messageId }, { inReplyTo: messageId }]);
  });

  it("comes once for a text that the carrier delivers twice", async () => {
    await clientOf("one", ["message.received", "subscription.changed"]);
    await text("STOP", { id: "twice" });
    await text("STOP", { id: "twice" });
    await world.runQueues();
    await text("STOP", { id: "twice" });
    await world.runQueues();
    expect(typesTo("one").toSorted()).toEqual(["message.received", "subscription.changed"]);
    expect(await world.rows("SELECT count(*) AS count FROM notices")).toEqual([{ count: 2 }]);
  });

  it("is of a sender that is no phone number, too", async () => {
    await clientOf("one", ["message.received"]);
    await text("hello", { from: "ACME" });
    await world.runQueues();
    expect(postsTo("one")).toMatchObject([{ from: "ACME", inReplyTo: null }]);
  });

  it("comes from the numbers of the sandbox that answer", async () => {
    const client = await clientOf("one", ["message.received"]);
    await world.subscribers("brand", ["+12025550011", "+12025550012"]);
    const stopped = await world.send(client, { phone: "+12025550011" });
    const thanked = await world.send(client, { phone: "+12025550012" });
    await world.runQueues();
    world.advance(2);
    await world.runQueues();
    expect(postsTo("one")).toHaveLength(2);
    expect(postsTo("one")).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ text: "STOP", keyword: "stop", inReplyTo: stopped }),
        expect.objectContaining({ text: "Thank you!", keyword: null, inReplyTo: thanked }),
      ]),
    );
  });
});

describe("subscription.changed", () => {
  it("tells of STOP and START, and not of a STOP that changes nothing", async () => {
    await clientOf("one", ["subscription.changed"]);
    for (const words of ["STOP", "STOP", "START", "HELP"]) {
      await text(words);
      world.advance(1);
    }
    await world.runQueues();
    const ledger = await world.rows("SELECT change_id FROM subscription_changes WHERE source = 'keyword' ORDER BY 1");
    expect(ledger).toHaveLength(2);
    expect(postsTo("one")).toEqual(
      [false, true].map((subscribed, index) => ({
        eventId: expect.stringMatching(/_subscription\.changed$/),
        eventType: "subscription.changed",
        ...{ phone: ADA, subscribed, source: "keyword", changeId: ledger[index]?.change_id },
        changedAt: index === 0 ? AT : "2026-11-21T12:00:02.000Z",
      })),
    );
  });

  it("tells of the calls of another client, not of its own and not of imports", async () => {
    const caller = await clientOf("caller", ["subscription.changed"]);
    await clientOf("other", ["subscription.changed"]);
    await world.subscribers("brand", [BOB, `${ADA},,false`]);
    await world.post("/text/unsubscribe", caller, { phone_numbers: [ADA, BOB, STRANGER] });
    await world.post("/text/subscribe", caller, { phone_numbers: [BOB], sendPurpose: "form" });
    await world.post("/text/subscribe", caller, { phone_numbers: [BOB], sendPurpose: "form" });
    await world.runQueues();
    expect(postsTo("caller")).toEqual([]);
    expect(postsTo("other")).toHaveLength(3);
    expect(postsTo("other")).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ phone: BOB, subscribed: false, source: "api" }),
        expect.objectContaining({ phone: STRANGER, subscribed: false, source: "api" }),
        expect.objectContaining({ phone: BOB, subscribed: true, source: "api" }),
      ]),
    );
  });

  it("tells of the word of the carrier, once", async () => {
    const client = await clientOf("one", ["subscription.changed"]);
    const messageId = await world.send(client, { phone: ADA });
    await world.runQueues();
    const receipt = {
      messageId,
      status: "FAILED_TO_DELIVERY",
      reason: "blocked",
      carrierMessageId: null,
      optedOut: true,
    };
    const job = { kind: "receipts", carrier: "sandbox", receipts: [receipt] };
    await world.deliver("textgate-receipts", [job, job]);
    await world.runQueues();
    expect(postsTo("one")).toMatchObject([{ phone: ADA, subscribed: false, source: "carrier" }]);
  });

  it("tells of many numbers of one call, each once and in the order of the ledger", async () => {
    const caller = await clientOf("caller");
    const other = await world.client("brand", { events: ["subscription.changed"] });
    const phones = Array.from({ length: 1500 }, (_, index) => `+1212555${1000 + index}`);
    await world.post("/text/unsubscribe", caller, { phone_numbers: phones });
    expect(await world.rows("SELECT count(*) AS count FROM notices")).toEqual([{ count: 1500 }]);
    const ids = (await feed(other)).map(({ changeId }) => Number(changeId));
    expect(ids).toHaveLength(100);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  });
});

describe("the setting events", () => {
  it("gives each client what it names, and the others what they had", async () => {
    await clientOf("plain");
    const every = await clientOf("every", ALL);
    await clientOf("texts", ["message.received"]);
    await clientOf("none", []);
    await world.website("shop", { carrier: "sandbox", sender: "+12125550001" });
    await clientOf("stranger", ALL, "shop");
    await world.send(every, { phone: ADA });
    await world.runQueues();
    await text("STOP");
    await world.runQueues();
    expect(typesTo("plain")).toEqual([]);
    expect(typesTo("every").toSorted()).toEqual([
      ...["message.received", "message.status", "message.status", "subscription.changed"],
    ]);
    expect(typesTo("texts")).toEqual(["message.received"]);
    expect(typesTo("none")).toEqual([]);
    expect(typesTo("stranger")).toEqual([]);
  });

  it("without message.status posts no status; the feed has it, with no callback", async () => {
    const client = await clientOf("texts", ["message.received"]);
    await world.send(client, { phone: ADA });
    await world.runQueues();
    expect(postsTo("texts")).toEqual([]);
    expect(await feed(client)).toMatchObject([
      { eventType: "message.status", status: "SENDING", callback: null },
      { eventType: "message.status", status: "DELIVERED", callback: null },
    ]);
  });

  it("is changed by PATCH, shown, and stays where it is not named", async () => {
    const { clientId } = await clientOf("one", ["message.received"]);
    const change = async (body: unknown) => {
      world.advance(2);
      return (await (await world.operator("PATCH", `/clients/${clientId}`, body)).json<{ events: unknown }>()).events;
    };
    expect(await change({ suspended: false })).toEqual(["message.received"]);
    expect(await change({ events: ["message.status", "message.clicked"] })).toEqual([
      "message.status",
      "message.clicked",
    ]);
    expect(await world.rows("SELECT events FROM clients")).toEqual([{ events: null }]);
    expect(await change({ events: [] })).toEqual([]);
    const wrong = await world.operator("PATCH", `/clients/${clientId}`, { events: ["message.lost"] });
    expect(wrong.status).toBe(400);
  });
});

describe("the feed", () => {
  it("has the notices in the order of storage among the other events, each as it was posted", async () => {
    const client = await clientOf("one", ALL);
    const quiet = await world.client("brand", { events: ["message.received"] });
    await world.send(client, { phone: ADA });
    await world.runQueues();
    await text("STOP");
    await world.runQueues();
    const events = await feed(client);
    expect(events.map(({ eventType, status }) => status ?? eventType)).toEqual([
      ...["SENDING", "DELIVERED"],
      ...["message.received", "subscription.changed"],
    ]);
    const byId = new Map(postsTo("one").map((event) => [event.eventId, event]));
    expect(byId.size).toBe(4);
    for (const { callback, ...event } of events) expect(event).toEqual(byId.get(event.eventId));
    expect(events.at(-1)?.callback).toEqual({ attemptedAt: AT, outcome: "answered", httpStatus: 200 });
    expect(await feed(quiet)).toMatchObject([{ eventType: "message.received", callback: null }]);
  });
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
    ["notices", "INSERT"],
    ["event_batches", "INSERT"],
    ["events", "INSERT"],
    ["subscriptions", "UPDATE"],
    ["inbound_texts", "UPDATE"],
  ])("when the store fails at %s: with the text, or not at all", async (table, act) => {
    await clientOf("one", ["message.received", "subscription.changed"]);
    await world.rows(`CREATE TRIGGER broken BEFORE ${act} ON ${table} BEGIN SELECT RAISE(ABORT, 'broken'); END`);
    await expect(text("STOP", { id: "failing" })).rejects.toThrow();
    await world.rows("DROP TRIGGER broken");
    for (const empty of ["notices", "events", "event_batches", "inbound_texts"])
      expect(await world.rows(`SELECT * FROM ${empty}`)).toEqual([]);
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
    expect(await world.rows("SELECT count(*) AS count FROM event_batches")).toEqual([{ count: 1 }]);
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
  const left = async () =>
    (
      await world.rows(
        `SELECT (SELECT count(*) FROM notices) AS notices, (SELECT count(*) FROM events) AS events,
           (SELECT count(*) FROM open_callbacks) AS open`,
      )
    )[0];

  it("vanishes with the person, and comes back with nobody", async () => {
    const client = await clientOf("one", ["message.received", "subscription.changed"]);
    await text("STOP");
    await text("hello", { from: BOB });
    await world.operator("DELETE", `/websites/brand/people/${ADA}`);
    expect(await left()).toEqual({ notices: 1, events: 1, open: 0 });
    expect(JSON.stringify(await world.rows("SELECT * FROM notices"))).not.toContain(ADA.slice(1));
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
    expect(await left()).toEqual({ notices: 0, events: 0, open: 0 });
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
    const usage = { read: 0, written: 0 };
    const prepare = (sql: string) => {
      const statement = db.prepare(sql);
      const bind = (...values: unknown[]) => {
        const bound = statement.bind(...values);
        if (/notices/.test(sql)) own.add(bound);
        return bound;
      };
      return new Proxy(statement, { get: (target, name) => (name === "bind" ? bind : Reflect.get(target, name)) });
    };
    const batch = async (statements: D1PreparedStatement[]) => {
      const results = await db.batch(statements);
      for (const [index, { meta }] of results.entries()) {
        if (!own.has(statements[index] as D1PreparedStatement)) continue;
        usage.read += meta.rows_read;
        usage.written += meta.rows_written;
      }
      return results;
    };
    const take = () => Object.assign({ ...usage }, Object.assign(usage, { read: 0, written: 0 }) && {});
    return { db: { prepare, batch } as unknown as D1Database, usage, take };
  }

  it("is no row written, and at most one read", async () => {
    const client = await clientOf("plain");
    const messageId = await world.send(client, { phone: BOB });
    const { db, usage } = watched(world.deps.db);
    world.deps.db = db;
    const costs: Record<string, unknown> = {};
    const cost = async (name: string, work: () => Promise<unknown>) => {
      Object.assign(usage, { read: 0, written: 0 });
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
    expect(costs).toEqual({});
  });
});
