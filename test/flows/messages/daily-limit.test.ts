/** A website's daily limit: never passed, whoever sends at once; what is refused leaves nothing behind. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Credentials } from "../../../src/domain/clients/client.ts";
import type { Send } from "../../../src/domain/messages/send.ts";
import type { SendRequest } from "../../../src/domain/messages/send-request.ts";
import { prepareSend, trySend } from "../../../src/flows/messages/accept-message.ts";
import { storeGroup } from "../../../src/flows/messages/store-sends.ts";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { RateGate, type RateLimiterNamespace } from "../../../src/platform/rate-limiter.ts";
import { countingDatabase } from "../../counting-database.ts";
import { failingDatabase } from "../../failing-database.ts";
import { objectsOn } from "../../objects.ts";
import { SEND, type TestClient, World } from "../../world.ts";
import { ADA, DAY, DailyLimitStage, MINUTE, OURS, read, STRANGER } from "./daily-limit-stage.ts";

let at: DailyLimitStage;
let world: World;
let client: TestClient;

beforeEach(async () => {
  at = await DailyLimitStage.begin();
  ({ world, client } = at);
});

describe("a website that has accepted as many texts as it may in 24 hours", () => {
  it("refuses the next, says when to come back, and accepts it then and not before", async () => {
    await at.limit(3);
    await at.sendAll(2);
    world.advance(3600);
    await at.sendAll(1);
    const { body, retryAfter } = await at.expectRefused(at.send());
    expect(body.message).toContain("the most in 24 hours that its operator has set: 3.");
    expect([await at.count("messages"), await at.count("events")]).toEqual([3, 0]);
    expect(retryAfter).toBeLessThanOrEqual((DAY - 3_600_000 + MINUTE) / 1000);
    world.advance(retryAfter - 1);
    await at.expectRefused(at.send());
    world.advance(1);
    await at.sendAll(2);
    await at.expectRefused(at.send());
  });

  it("takes no part in what another website accepts", async () => {
    await at.limit(1);
    await at.sendAll(1);
    const other = await world.brand([ADA], "other");
    await at.limit(1, "other");
    expect((await world.post("/text/message/send", other, { ...SEND, phone: ADA })).status).toBe(200);
    await at.expectRefused(at.send());
  });

  it("accepts more as soon as its operator raises the limit, and any number without one", async () => {
    await at.limit(1);
    await at.sendAll(1);
    await at.expectRefused(at.send());
    await at.limit(2);
    await at.sendAll(1);
    await at.expectRefused(at.send());
    await at.limit(null);
    await at.sendAll(3);
    await at.limit(4);
    // What it accepted without a limit is not counted.
    await at.sendAll(2);
    await at.expectRefused(at.send());
  });

  it("still replies to keywords, which do not count", async () => {
    await at.limit(1);
    await world.website("brand", { sender: OURS, helpText: "Brand: call us." });
    const inbound = { from: ADA, to: [OURS], text: "HELP", keyword: null, answeredByCarrier: false };
    const receive = (carrierMessageId: string) =>
      world.invoke("fetch", () => receiveInbound(world.deps, "sandbox", { carrierMessageId, ...inbound }));
    await receive("in-1");
    expect([await at.count("messages"), await at.counted()]).toEqual([1, 0]);
    await at.sendAll(1);
    world.advance(3600);
    await receive("in-2");
    expect([await at.count("messages"), await at.counted()]).toEqual([3, 1]);
  });

  it("still answers texts that cost nothing with their final status, and they do not count", async () => {
    await at.limit(2);
    for (const fields of [{ phone: STRANGER }, { phone: "", email: "nobody@example.com" }]) await at.send(fields);
    expect(await at.counted()).toBe(0);
    await at.sendAll(2);
    const stranger = await read(await at.send({ phone: STRANGER }));
    expect(await world.statusOf(String(stranger.body.messageId))).toBe("NOT_FOUND");
    await at.expectRefused(at.send({ phone: "", email: "ada@example.com" }));
  });

  it("counts none that its sending hours end at once, and each that waits for them", async () => {
    const windows = [{ days: ["mon"], from: "09:00", until: "10:00" }];
    await world.website("brand", { dailyLimit: 1, sendingHours: { profile: "custom", windows, whenClosed: "refuse" } });
    expect((await at.send()).status).toBe(200);
    expect((await at.bulk(2)).status).toBe(200);
    expect(await at.counted()).toBe(0);
    await world.website("brand", { sendingHours: { profile: "custom", windows, whenClosed: "delay" } });
    expect((await at.send()).status).toBe(200);
    await at.expectRefused(at.send());
    expect([await at.count("messages WHERE status = 'PENDING_TO_SEND'"), await at.counted()]).toEqual([1, 1]);
  });

  it("counts a scheduled text when it accepts it, and not again when its time comes", async () => {
    await at.limit(2);
    const sendAt = new Date(world.now + 2 * DAY).toISOString();
    expect((await at.send({ sendAt })).status).toBe(200);
    expect((await at.send({ sendAt: new Date(world.now + 3_600_000).toISOString() })).status).toBe(200);
    await at.expectRefused(at.send({ sendAt }));
    await at.expectRefused(at.send());
    world.advance(3500);
    await world.sweep();
    expect([await at.count("messages WHERE due_at IS NOT NULL"), await at.counted()]).toEqual([1, 2]);
  });

  it("does not write a row of its counts for another website, nor for each message", async () => {
    await at.sendAll(2);
    expect(await at.count("accepted_minutes")).toBe(0);
    await at.limit(100);
    await at.sendAll(5);
    expect(await at.count("accepted_minutes")).toBe(1);
    for (let day = 0; day < 3; day++) {
      world.advance(DAY / 1000);
      await at.sendAll(1);
    }
    // The minute of a day before still counts for a minute.
    expect(await at.count("accepted_minutes")).toBe(2);
  });
});

it("costs a send one row more, and no call; without a limit it costs nothing", async () => {
  const { db, take } = countingDatabase(world.deps.db);
  world.deps = { ...world.deps, db };
  const cost = async () => {
    await at.sendAll(1);
    take();
    await at.sendAll(1);
    return take();
  };
  const plain = await cost();
  await at.limit(1000);
  const limited = await cost();
  expect({ calls: limited.calls, rowsWritten: limited.rowsWritten }).toEqual({
    calls: plain.calls,
    rowsWritten: plain.rowsWritten + 1,
  });
  await at.limit(null);
  expect(await cost()).toEqual(plain);
});

describe("a repetition", () => {
  const key = { "idempotency-key": "order-1" };

  it("gets its id beyond the limit, and counts once", async () => {
    await at.limit(1);
    const first = await read(await at.send({}, key));
    expect(await read(await at.send({}, key))).toMatchObject({ status: 200, body: first.body });
    await at.expectRefused(at.send());
    expect(await read(await at.send({}, key))).toMatchObject({ status: 200, body: first.body });
    expect(await at.counted()).toBe(1);
  });

  it("of a refused request is a new one: its key is free", async () => {
    await at.limit(1);
    await at.sendAll(1);
    const { retryAfter } = await at.expectRefused(at.send({}, key));
    await at.expectRefused(at.send({ text: "Brand: other" }, key));
    expect(await at.count("idempotency_keys")).toBe(0);
    world.advance(retryAfter);
    const first = await read(await at.send({ text: "Brand: other" }, key));
    expect(first.status).toBe(200);
    expect(await read(await at.send({ text: "Brand: other" }, key))).toMatchObject({ body: first.body });
    expect((await at.send({}, key)).status).toBe(409);
  });

  it("of the same content does not count where duplicates are suppressed, and a refused one is no first", async () => {
    await world.website("brand", { dailyLimit: 1, duplicateWindowHours: 48 });
    const first = await read(await at.send());
    expect(await read(await at.send())).toMatchObject({ status: 200, body: first.body });
    const { retryAfter } = await at.expectRefused(at.send({ text: "Brand: other" }));
    await at.expectRefused(at.send({ text: "Brand: other" }, key));
    expect([await at.count("duplicate_keys"), await at.count("idempotency_keys")]).toEqual([1, 0]);
    world.advance(retryAfter);
    expect((await at.send({ text: "Brand: other" }, key)).status).toBe(200);
    expect(await at.count("messages")).toBe(2);
  });

  it("in the group of a refused one is refused as well", async () => {
    await world.website("brand", { dailyLimit: 1, duplicateWindowHours: 1 });
    const group = ["a", "b", "b", "c"].map((content, index) => ({
      message: {
        ...SEND,
        ...{ websiteId: "brand", clientId: client.clientId, phone: 12125550100, email: null, linkCode: null },
        ...({ mediaUrl: null, clickUrl: null, encoding: "GSM-7", segments: 1, acceptedAt: world.now } as const),
        messageId: `00000000-0000-4000-8000-00000000000${index}`,
        dedupeHash: content,
      },
      key: { value: `key-${index}`, bodyHash: content, expiresAt: world.now + DAY },
      ...{ duplicatesUntil: world.now + DAY, database: "DB", isLimited: true },
    }));
    const kinds = async () => (await storeGroup(world.deps, group)).map(({ kind }) => kind);
    expect(await kinds()).toEqual(["stored", "failed", "failed", "failed"]);
    // Run again, it is what it was.
    expect(await kinds()).toEqual(["stored", "failed", "failed", "failed"]);
    const left = [await at.count("messages"), await at.count("idempotency_keys"), await at.count("duplicate_keys")];
    expect([...left, await at.counted()]).toEqual([1, 1, 1, 1]);
  });
});

describe("isolates at once", () => {
  it("never pass the limit together, and fill it", async () => {
    await at.limit(7);
    const other = await World.another(world);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 5 === 4 ? at.bulk(2, {}, other) : at.send({}, {}, index % 2 ? other : world),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect([await at.count("messages"), await at.counted()]).toEqual([7, 7]);
  });

  it("never pass it when the object of the website is away", async () => {
    await at.limit(4);
    const away = { getByName: () => ({ send: async () => Promise.reject(new Error("reset")) }) };
    const limiter = new RateGate(away as unknown as RateLimiterNamespace);
    const worlds = [world, await World.another(world)];
    for (const one of worlds) one.deps = { ...one.deps, limiter };
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => at.send({}, {}, worlds[index % 2])));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(4);
    expect([await at.count("messages"), await at.counted()]).toEqual([4, 4]);
  });
});

it("a limit that some isolates do not know of yet holds for all sends of a group, and counts each once", async () => {
  await at.limit(3);
  const known = await world.deps.credentials.read(client.clientId);
  const prepare = async (isLimited: boolean, text: string) => {
    const sender = { client: { ...(known as Credentials), isLimited }, linkOrigin: "https://example.com" };
    const { data } = trySend(sender, { ...SEND, phone: ADA, text }, world.now);
    return prepareSend(world.deps, sender, data as SendRequest, new Map(), undefined);
  };
  const group = [await prepare(false, "One"), await prepare(true, "Two"), await prepare(false, "Three")];
  const more = [await prepare(false, "Four"), await prepare(true, "Five")];
  const store = async (sends: Send[]) =>
    (await world.invoke("fetch", () => storeGroup(world.deps, sends))).map((stored) => stored.kind);
  expect(await store(group)).toEqual(["stored", "stored", "stored"]);
  expect(await at.counted()).toBe(3);
  expect(await store(more)).toEqual(["failed", "failed"]);
  expect([await at.counted(), await at.count("messages")]).toEqual([3, 3]);
});

describe("a store that loses an answer", () => {
  it("counts the text once when the transaction runs again", async () => {
    await at.limit(2);
    world.deps = { ...world.deps, db: failingDatabase(world.deps.db, 1, "after", undefined, "batches") };
    await at.sendAll(1);
    expect(await at.counted()).toBe(1);
  });

  it("leaves the text counted where it was stored, and taken back because its client was told that it was not", async () => {
    await at.limit(2);
    const whole = world.deps;
    world.deps = { ...whole, db: failingDatabase(whole.db, 5, "after") };
    expect((await at.send()).status).toBe(503);
    world.deps = whole;
    await world.runQueues();
    expect([await at.count("messages"), await at.counted()]).toEqual([0, 1]);
  });

  it("is not asked to cancel what the limit has refused, unless the object may have stored it", async () => {
    await at.limit(1);
    await at.sendAll(1);
    world.jobs.length = 0;
    await at.expectRefused(at.send());
    expect(world.jobs).toEqual([]);
    const objects = objectsOn(() => world.deps);
    const getByName = (name: string) => {
      const object = objects.getByName(name);
      return {
        admit: () => object.admit(),
        send: async () => Promise.reject(new Error("reset")),
        isStoring: async () => false,
      };
    };
    world.deps = { ...world.deps, limiter: new RateGate({ getByName } as unknown as RateLimiterNamespace) };
    expect((await at.send()).status).toBe(503);
    expect(world.jobs.map(({ body }) => body.kind)).toEqual(["cancel"]);
  });
});

it("whatever is sent, whenever, no 24 hours have more than the limit, and nothing is refused that has room by the minute", async () => {
  await at.expectLimited(4);
});
