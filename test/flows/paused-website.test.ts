/** What a client, a person and an operator see of a website while it moves, and what becomes of all that came meanwhile. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { quietAfterMilliseconds } from "../../src/domain/move.ts";
import { receiveInbound } from "../../src/flows/receive-inbound.ts";
import { ALL_EVENTS } from "../all-events.ts";
import { takeCallbacks } from "../callback-endpoint.ts";
import { bindDatabases, boundDatabase, rowsOf, useDatabases } from "../databases.ts";
import { beginMove, finishMove, rowsOfWebsite, stateOf, workOnPiece } from "../moves.ts";
import { strictDatabase } from "../strict/database.ts";
import { platform } from "../strict/platform.ts";
import { SEND, type TestClient, World } from "../world.ts";

const ADA = "+12125550100";
const BEA = "+12125550101";
const SENDER = "+16465550009";
const PERSON = { "user-agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)" };
const STATES = ["paused", "copying", "comparing", "switched"];

let world: World;
let brand: TestClient;
let near: TestClient;
let posts: string[];

async function makeWebsite(websiteId: string, sender: string): Promise<TestClient> {
  const settings = { name: websiteId, carrier: "sandbox", database: "DB", sender };
  await world.operator("PUT", `/websites/${websiteId}`, settings);
  await world.subscribers(websiteId, [`${ADA},ada@example.com`, BEA]);
  return world.client(websiteId, { callbackUrl: `https://${websiteId}.example.com/` });
}

beforeEach(async () => {
  world = await World.create();
  await bindDatabases(world, 2);
  posts = takeCallbacks();
  await world.sweep();
  brand = await makeWebsite("brand", SENDER);
  near = await makeWebsite("near", "+16465550008");
  platform.keyWrites.clear();
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** Begins the move, and works on it until it is in this state. */
async function pauseIn(state = "copying"): Promise<void> {
  await beginMove(world, "brand", "DB_2");
  await workOnPiece(world, "brand");
  // By then each isolate has heard of it.
  world.advance(10);
  await finishMove(world, "brand", (is) => is === state);
}

const finish = () => finishMove(world, "brand");

/** What waits in the queues is looked at each half a minute. */
async function runQueues(): Promise<void> {
  for (let round = 0; round < 4; round++) {
    world.advance(30);
    platform.keyWrites.clear();
    await world.runQueues();
  }
}

const text = (words: string, from: string, id: string) =>
  world.invoke("fetch", () =>
    receiveInbound(world.deps, "sandbox", {
      ...{ carrierMessageId: id, from, to: [SENDER], text: words, keyword: null, answeredByCarrier: false },
    }),
  );

const isSubscribed = async (client: TestClient, phone: string) => {
  const answer = await world.post("/text/subscription/status", client, { phone_numbers: [phone] });
  const { phoneNumberStatuses } = (await answer.json()) as { phoneNumberStatuses: { subscriptionStatus: boolean }[] };
  return phoneNumberStatuses[0]?.subscriptionStatus;
};

const statusIn = async (database: string, messageId: string) =>
  (await rowsOf(database, `SELECT status, attempts FROM messages WHERE message_id = '${messageId}'`))[0];

const eventsOf = (messageId: string) => posts.filter((eventId) => eventId.startsWith(messageId)).sort();

describe("while a website moves", () => {
  const credentials = (client: TestClient) => ({
    "x-client-id": client.clientId,
    "x-client-secret": client.clientSecret,
  });
  const calls = (client: TestClient, messageId: string): [name: string, () => Promise<Response>][] => [
    ["send", () => world.post("/text/message/send", client, { ...SEND, phone: ADA })],
    [
      "send with a key",
      () => world.post("/text/message/send", client, { ...SEND, phone: ADA }, { "idempotency-key": "a" }),
    ],
    ["send many", () => world.post("/text/bulk/message/send", client, { messages: [{ ...SEND, phone: ADA }] })],
    ["status", () => world.fetch(`/text/message/status?messageId=${messageId}`, { headers: credentials(client) })],
    ["statuses", () => world.post("/text/message/statuses", client, { messageIds: [messageId] })],
    ["events", () => world.fetch("/text/events", { headers: credentials(client) })],
    ["subscribe", () => world.post("/text/subscribe", client, { phone_numbers: [BEA], sendPurpose: "a" })],
    ["unsubscribe", () => world.post("/text/unsubscribe", client, { phone_numbers: [BEA] })],
    ["subscriptions", () => world.post("/text/subscription/status", client, { phone_numbers: [BEA] })],
  ];

  it.each(STATES)(
    "each call of its clients is answered 503 with Retry-After, and those of others as ever: %s",
    async (state) => {
      const messageId = await world.send(brand, { phone: ADA });
      const other = await world.send(near, { phone: ADA });
      await pauseIn(state);
      const before = await rowsOfWebsite("DB", "brand", 1);
      for (const [name, call] of calls(brand, messageId)) {
        const answer = await call();
        expect([name, answer.status], name).toEqual([name, 503]);
        expect(await answer.json()).toMatchObject({ code: 50302, message: expect.stringContaining("is being moved") });
        const seconds = Number(answer.headers.get("retry-after"));
        expect(seconds >= 30 && seconds <= 60, String(seconds)).toBe(true);
      }
      for (const [name, call] of calls(near, other)) expect([name, (await call()).status]).toEqual([name, 200]);
      expect(await rowsOfWebsite("DB", "brand", 1)).toEqual(before);
      await finish();
      for (const [name, call] of calls(brand, messageId)) expect([name, (await call()).status]).toEqual([name, 200]);
    },
  );

  it.each(STATES)("an operator may look at it, and change nothing: %s", async (state) => {
    const messageId = await world.send(brand, { phone: ADA });
    const { importId } = (await (await world.subscribers("brand", ["+12125550107"])).json()) as { importId: string };
    world.advance(600);
    await pauseIn(state);
    for (const path of [
      "/websites/brand",
      `/clients/${brand.clientId}`,
      `/messages/${messageId}`,
      "/messages?website=brand",
      `/websites/brand/people/${ADA}`,
      `/people/${ADA}`,
      "/websites/brand/report?from=2026-11-20&to=2026-11-22",
      "/websites/brand/inbound",
      "/health",
    ])
      expect([path, (await world.operator("GET", path)).status]).toEqual([path, 200]);
    for (const [method, path, body] of [
      ["PUT", "/websites/brand", { name: "Brand" }],
      ["POST", "/websites/brand/clients", {}],
      ["PATCH", `/clients/${brand.clientId}`, { name: "a" }],
      ["POST", `/clients/${brand.clientId}/rotate`, {}],
      ["POST", "/websites/brand/hold", {}],
      ["POST", "/websites/brand/release", {}],
      ["POST", "/websites/brand/cancel", {}],
      ["POST", `/imports/${importId}/undo`, undefined],
      ["DELETE", `/websites/brand/people/${ADA}`, undefined],
      ["DELETE", `/websites/brand/people/${ADA}/email`, undefined],
    ] as const) {
      const answer = await world.operator(method, path, body);
      expect([method, path, answer.status]).toEqual([method, path, 503]);
      expect(answer.headers.has("retry-after")).toBe(true);
    }
    expect((await world.subscribers("brand", ["+12125550108"])).status).toBe(503);
    // In all websites: in the others.
    const erased = await world.operator("DELETE", `/people/${BEA}`);
    expect(await erased.json()).toMatchObject({ websites: [{ websiteId: "near" }], failed: ["brand"] });
  });
});

describe("what comes for a website while it moves", () => {
  it.each(STATES)(
    "is done once after it: deliveries, callbacks and receipts that were queued before: %s",
    async (state) => {
      const sent = [await world.send(brand, { phone: ADA }), await world.send(brand, { phone: "+17185550003" })];
      await world.subscribers("brand", ["+17185550003"]);
      const silent = await world.send(brand, { phone: "+17185550003" });
      const other = await world.send(near, { phone: ADA });
      await pauseIn(state);
      await runQueues();
      expect(await world.statusOf(other)).toBe("DELIVERED");
      for (const id of sent)
        expect(await statusIn("DB", id)).toEqual({ status: expect.stringMatching(/PENDING|NOT_FOUND/), attempts: 0 });
      await finish();
      await runQueues();
      expect(await statusIn("DB_2", sent[0] as string)).toEqual({ status: "DELIVERED", attempts: 1 });
      expect(await statusIn("DB_2", silent)).toEqual({ status: "SENDING", attempts: 1 });
      expect(eventsOf(sent[0] as string)).toEqual([`${sent[0]}_DELIVERED`, `${sent[0]}_SENDING`]);
      // Nothing is left in a queue, and the sweeps find nothing to do again.
      const count = posts.length;
      for (let minute = 0; minute < 5; minute++) {
        world.advance(60);
        platform.keyWrites.clear();
        await world.sweep();
        await world.runQueues();
      }
      expect([posts.length, new Set(posts).size]).toEqual([count, count]);
      expect([...world.jobs, ...world.callbacks, ...world.receipts].filter(({ at }) => at <= world.now)).toEqual([]);
      expect(await rowsOf("DB", "SELECT * FROM dead_jobs")).toEqual([]);
    },
  );

  it("callbacks wait in their queue, which has no retries, and are posted once", async () => {
    world.queueCallbacks();
    const messageId = await world.send(brand, { phone: ADA });
    await world.deliver("textgate-messages", [{ kind: "deliver", messageIds: [messageId] }]);
    expect(world.callbacks.length).toBeGreaterThan(0);
    await pauseIn();
    await runQueues();
    expect(eventsOf(messageId)).toEqual([]);
    await finish();
    await runQueues();
    expect(eventsOf(messageId)).toEqual([`${messageId}_DELIVERED`, `${messageId}_SENDING`]);
  });

  it("receipts are taken, and applied after it", async () => {
    await world.subscribers("brand", ["+17185550003"]);
    const messageId = await world.send(brand, { phone: "+17185550003" });
    await world.runQueues();
    await pauseIn();
    const receipt = { messageId, status: "DELIVERED", reason: null, carrierMessageId: null, optedOut: true };
    world.receipts.push({
      body: { kind: "receipts", carrier: "sandbox", receipts: [receipt] } as never,
      at: world.now,
    });
    await runQueues();
    expect(await statusIn("DB", messageId)).toMatchObject({ status: "SENDING" });
    await finish();
    await runQueues();
    expect(await statusIn("DB_2", messageId)).toMatchObject({ status: "DELIVERED" });
    expect(await isSubscribed(brand, "+17185550003")).toBe(false);
  });

  it.each(STATES)("a STOP is taken, and has its effect before anything is sent: %s", async (state) => {
    const waiting = await world.send(brand, { phone: ADA });
    await pauseIn(state);
    await text("STOP", ADA, "stop-1");
    // The carrier sends it again.
    await text("STOP", ADA, "stop-1");
    expect(await rowsOf("DB", "SELECT * FROM waiting_texts")).toHaveLength(1);
    await finish();
    expect(await isSubscribed(brand, ADA)).toBe(false);
    await runQueues();
    expect(await statusIn("DB_2", waiting)).toEqual({ status: "NOT_SUBSCRIBED", attempts: 0 });
    expect(await rowsOf("DB", "SELECT * FROM waiting_texts")).toEqual([]);
    const replies = await rowsOf("DB_2", "SELECT status FROM messages WHERE is_reply = 1");
    expect(replies).toEqual([{ status: "DELIVERED" }]);
    expect(
      (await rowsOf("DB_2", "SELECT keyword, applied FROM inbound_texts WHERE website_id = 'brand'"))[0],
    ).toMatchObject({ keyword: "stop" });
  });

  it("of a STOP and a START, the later counts, and each has the time at which it came", async () => {
    await pauseIn();
    await text("STOP", ADA, "1");
    await text("STOP", BEA, "2");
    world.advance(5);
    await text("START", ADA, "3");
    world.advance(5);
    await text("STOP", ADA, "4");
    await text("START", BEA, "5");
    await finish();
    expect([await isSubscribed(brand, ADA), await isSubscribed(brand, BEA)]).toEqual([false, true]);
    const times = (await rowsOf("DB_2", "SELECT received_at FROM inbound_texts ORDER BY carrier_message_id")).map(
      (row) => Number(row.received_at),
    );
    expect(times.map((time) => time - (times[0] as number))).toEqual([0, 0, 5000, 10_000, 10_000]);
  });

  it("a STOP takes effect where an abort leaves it", async () => {
    await pauseIn();
    await text("STOP", ADA, "stop-1");
    expect((await world.operator("POST", "/websites/brand/move/abort")).status).toBe(200);
    expect(await isSubscribed(brand, ADA)).toBe(false);
    expect(await rowsOf("DB", "SELECT * FROM waiting_texts")).toEqual([]);
  });

  it("a STOP for several websites takes effect in the others at once", async () => {
    await world.operator("PUT", "/websites/near", { sender: SENDER });
    const sent = await world.send(near, { phone: ADA });
    await world.runQueues();
    expect(await world.statusOf(sent)).toBe("DELIVERED");
    await pauseIn();
    await text("STOP", ADA, "stop-1");
    expect(await isSubscribed(near, ADA)).toBe(false);
    await finish();
    expect(await isSubscribed(brand, ADA)).toBe(false);
  });

  it("a STOP at an isolate that has not heard of the end takes effect at once", async () => {
    await pauseIn();
    const stale = await World.another(world);
    useDatabases(stale, (name) => strictDatabase(boundDatabase(name)), ["DB_2"]);
    const ask = () => stale.post("/text/subscription/status", brand, { phone_numbers: [ADA] });
    expect((await ask()).status).toBe(503);
    await finish();
    stale.now = world.now;
    expect((await ask()).status).toBe(503);
    const stop = { carrierMessageId: "stop-1", from: ADA, to: [SENDER], text: "STOP", keyword: null };
    await stale.invoke("fetch", () => receiveInbound(stale.deps, "sandbox", { ...stop, answeredByCarrier: false }));
    expect(await isSubscribed(brand, ADA)).toBe(false);
    expect(await rowsOf("DB", "SELECT * FROM waiting_texts")).toEqual([]);
  });

  it("a STOP has its effect before the website is open", async () => {
    await pauseIn("switched");
    await text("STOP", ADA, "stop-1");
    let isStopped: unknown[] = [];
    const watched = (db: D1Database) =>
      ({
        prepare: db.prepare.bind(db),
        batch: async (statements: D1PreparedStatement[]) => {
          const isOpening = statements.some((it) =>
            (it as unknown as { statement: string }).statement.includes("INSERT INTO moving"),
          );
          if (isOpening)
            isStopped = await rowsOf(
              "DB_2",
              "SELECT subscribed FROM subscriptions WHERE website_id = 'brand' AND phone = 12125550100",
            );
          return db.batch(statements);
        },
      }) as unknown as D1Database;
    useDatabases(world, (name) => watched(strictDatabase(boundDatabase(name))), ["DB_2"]);
    await finish();
    expect(isStopped).toEqual([{ subscribed: 0 }]);
  });

  it("a text that is left when the job is cut off is received by the sweep", async () => {
    await pauseIn("switched");
    await text("STOP", ADA, "stop-1");
    const home = await rowsOf("DB", "SELECT home FROM homes WHERE website_id = 'brand'");
    for (const database of ["DB", "DB_2"])
      await boundDatabase(database)
        .prepare("UPDATE moving SET state = ?1 WHERE home = ?2")
        .bind(database === "DB" ? 3 : 0, home[0]?.home)
        .run();
    world.advance(30);
    await world.sweep();
    expect(await rowsOf("DB", "SELECT * FROM waiting_texts")).toEqual([]);
    expect(await isSubscribed(brand, ADA)).toBe(false);
  });

  it.each(STATES)("its links lead on, and each click counts once: %s", async (state) => {
    const messageId = await world.send(brand, { phone: ADA, clickUrl: "https://shop.example.com/" });
    const link = String((await rowsOf("DB", "SELECT code FROM links"))[0]?.code);
    await pauseIn(state);
    const clicks = 3;
    for (let click = 0; click < clicks; click++) {
      const answer = await world.fetch(`/l/${link}`, { redirect: "manual", headers: PERSON });
      expect([answer.status, answer.headers.get("location")]).toEqual([302, "https://shop.example.com/"]);
    }
    await runQueues();
    expect(await rowsOf("DB", "SELECT * FROM clicks")).toEqual([]);
    await finish();
    await runQueues();
    const counted = `SELECT sum(count) AS clicks FROM clicks WHERE message_id = '${messageId}'`;
    expect(await rowsOf("DB_2", counted)).toEqual([{ clicks }]);
  });
});

describe("a cursor of the feed", () => {
  const page = async (after: string) => {
    const headers = { "x-client-id": brand.clientId, "x-client-secret": brand.clientSecret };
    return (await (await world.fetch(`/text/events?after=${after}`, { headers })).json()) as {
      events: { eventId: string }[];
      next: string;
    };
  };
  const deliver = async () => {
    const messageId = await world.send(brand, { phone: ADA });
    await runQueues();
    return [`${messageId}_SENDING`, `${messageId}_DELIVERED`];
  };
  const ids = ({ events }: { events: { eventId: string }[] }) => events.map(({ eventId }) => eventId);

  it("goes on without a missed or repeated event, there and back", async () => {
    const start = await page("");
    const first = await deliver();
    const middle = await page("");
    expect(ids(middle)).toEqual(first);
    const second = await deliver();
    let all = [...first, ...second];
    for (const target of ["DB_2", "DB"]) {
      await beginMove(world, "brand", target);
      await finish();
      expect(ids(await page(""))).toEqual(all);
      expect(ids(await page(start.next))).toEqual(all);
      expect(ids(await page(middle.next))).toEqual(all.slice(first.length));
      all = [...all, ...(await deliver())];
      expect(ids(await page(middle.next))).toEqual(all.slice(first.length));
    }
  });
});

describe("an isolate that has not heard of it", () => {
  let stale: World;
  let messageId: string;

  beforeEach(async () => {
    messageId = await world.send(brand, { phone: ADA });
    stale = await World.another(world);
    useDatabases(stale, (name) => strictDatabase(boundDatabase(name)), ["DB_2"]);
    expect((await stale.post("/text/message/statuses", brand, { messageIds: [messageId] })).status).toBe(200);
  });

  it("goes by what it knows for ten seconds, and the move copies only after that", async () => {
    await beginMove(world, "brand", "DB_2");
    await workOnPiece(world, "brand");
    stale.now = world.now + 9999;
    const late = await stale.send(brand, { phone: BEA });
    stale.now = world.now + 10_000;
    expect((await stale.post("/text/message/send", brand, { ...SEND, phone: BEA })).status).toBe(503);
    world.advance(quietAfterMilliseconds() / 1000 - 1);
    await workOnPiece(world, "brand");
    expect(await stateOf(world, "brand")).toBe("paused");
    await finish();
    expect(await statusIn("DB_2", late)).toMatchObject({ status: "PENDING_TO_SEND" });
  });

  it("is led on, however long ago it knew the website: it writes and reads nothing at the old place", async () => {
    await beginMove(world, "brand", "DB_2");
    await finish();
    stale.now = world.now + 48 * 3_600_000;
    const before = await rowsOfWebsite("DB", "brand", 1);
    world.jobs.length = 0;
    expect(await stale.deliver("textgate-messages", [{ kind: "deliver", messageIds: [messageId] }])).toEqual({
      acknowledged: 1,
      retried: 0,
    });
    stale.advance(30);
    const sent = await stale.send(brand, { phone: BEA });
    expect(await statusIn("DB_2", sent)).toMatchObject({ status: "PENDING_TO_SEND" });
    expect((await stale.operator("GET", `/messages/${sent}`)).status).toBe(200);
    expect(await rowsOfWebsite("DB", "brand", 1)).toEqual(before);
  });

  it("takes the events of a job from where they are", async () => {
    await beginMove(world, "brand", "DB_2");
    await finish();
    stale.now = world.now + 20_000;
    world.jobs.length = 0;
    await stale.deliver("textgate-messages", [{ kind: "deliver", messageIds: [messageId] }]);
    stale.advance(30);
    await stale.runQueues();
    expect(await statusIn("DB_2", messageId)).toEqual({ status: "DELIVERED", attempts: 1 });
    expect(await rowsOf("DB_2", `SELECT event FROM ${ALL_EVENTS} WHERE message_id = '${messageId}'`)).toHaveLength(2);
  });
});

it("while a move waits, the sweeps of both databases work for the others, and leave the website alone", async () => {
  const own = await world.send(brand, { phone: ADA });
  const other = await world.send(near, { phone: ADA });
  await pauseIn();
  world.jobs.length = 0;
  for (let minute = 0; minute < 4; minute++) {
    world.advance(60);
    platform.keyWrites.clear();
    await world.sweep();
    await world.runQueues();
  }
  expect(world.logs.filter((line) => line.includes("sweep.failed"))).toEqual([]);
  expect(await world.statusOf(other)).toBe("DELIVERED");
  expect(await statusIn("DB", own)).toEqual({ status: "PENDING_TO_SEND", attempts: 0 });
  await finish();
  world.advance(120);
  await world.sweep();
  await runQueues();
  expect(await statusIn("DB_2", own)).toEqual({ status: "DELIVERED", attempts: 1 });
});
