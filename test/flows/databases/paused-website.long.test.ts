/** What a client, a person and an operator see of a website while it moves, and what becomes of all that came meanwhile. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { closedWebsites, inEach } from "../../../src/flows/databases/places.ts";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { boundDatabase, rowsOf, useDatabases } from "../../databases.ts";
import { rowsOfWebsite, workOnPiece } from "../../moves.ts";
import { strictDatabase } from "../../strict/database.ts";
import { platform } from "../../strict/platform.ts";
import { SEND, type TestClient, World } from "../../world.ts";
import {
  ADA,
  BEA,
  begin,
  brand,
  eventsOf,
  finish,
  isSubscribed,
  near,
  PERSON,
  pauseIn,
  posts,
  runQueues,
  SENDER,
  STATES,
  statusIn,
  text,
  world,
} from "./paused-world.ts";

beforeEach(begin);

afterEach(() => {
  vi.restoreAllMocks();
});

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
    ["test event", () => world.fetch("/text/test-event", { method: "POST", headers: credentials(client) })],
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
    for (const own of inEach(stale.deps)) await closedWebsites(own);
    await finish();
    stale.now = world.now;
    const stop = { carrierMessageId: "stop-1", from: ADA, to: [SENDER], text: "STOP", keyword: null };
    await stale.invoke("fetch", () => receiveInbound(stale.deps, "sandbox", { ...stop, answeredByCarrier: false }));
    expect(stale.logs.some((line) => line.includes("inbound.waits"))).toBe(true);
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

  it.each(["arrives", "stays where it was"])("is not opened while a STOP cannot be applied: it %s", async (end) => {
    const waiting = await world.send(brand, { phone: ADA });
    await pauseIn(end === "arrives" ? "switched" : "comparing");
    await text("STOP", ADA, "stop-1");
    let isAway = true;
    const failing = (db: D1Database) =>
      ({
        prepare: db.prepare.bind(db),
        batch: async (statements: D1PreparedStatement[]) => {
          const isInbound = statements.some((it) =>
            (it as unknown as { statement: string }).statement.includes("INTO inbound_texts"),
          );
          if (isAway && isInbound) throw new Error("D1_ERROR: Network connection lost.");
          return db.batch(statements);
        },
      }) as unknown as D1Database;
    useDatabases(world, (name) => failing(strictDatabase(boundDatabase(name))), ["DB_2"]);
    world.deps = { ...world.deps, db: failing(world.deps.db) };
    const work = () => workOnPiece(world, "brand");
    if (end !== "arrives") await world.operator("POST", "/websites/brand/move/abort");
    await work();
    const send = () => world.post("/text/message/send", brand, { ...SEND, phone: BEA });
    expect((await send()).status).toBe(503);
    await runQueues();
    const database = end === "arrives" ? "DB_2" : "DB";
    expect(await statusIn(database, waiting)).toEqual({ status: "PENDING_TO_SEND", attempts: 0 });
    isAway = false;
    world.advance(30);
    await world.sweep();
    await runQueues();
    expect(await isSubscribed(brand, ADA)).toBe(false);
    expect(await statusIn(database, waiting)).toEqual({ status: "NOT_SUBSCRIBED", attempts: 0 });
    expect((await send()).status).toBe(200);
    expect(await rowsOf("DB", "SELECT * FROM waiting_texts")).toEqual([]);
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
