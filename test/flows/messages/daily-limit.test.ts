/** A website's daily limit: never passed, whoever sends at once; what is refused leaves nothing behind. */
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { RateGate, type RateLimiterNamespace } from "../../../src/platform/rate-limiter.ts";
import { countingDatabase } from "../../counting-database.ts";
import { failingDatabase } from "../../failing-database.ts";
import { SEND, World } from "../../world.ts";
import { ADA, DAY, DailyLimitStage, MINUTE, OURS, read, STRANGER } from "./daily-limit-stage.ts";

let at: DailyLimitStage;
let world: World;

beforeEach(async () => {
  at = await DailyLimitStage.begin();
  ({ world } = at);
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

  it("does not count texts that cost nothing", async () => {
    await at.limit(1);
    for (const fields of [{ phone: STRANGER }, { phone: "", email: "nobody@example.com" }]) {
      const { body } = await read(await at.send(fields));
      expect(["NOT_FOUND", "FAILED_TO_MATCH"]).toContain(await world.statusOf(String(body.messageId)));
    }
    expect(await at.counted()).toBe(0);
    await at.sendAll(1);
    await at.expectRefused(at.send({ phone: "", email: "ada@example.com" }));
    // It cannot tell before it stores a text that the text would cost nothing.
    await at.expectRefused(at.send({ phone: STRANGER }));
    expect(await at.counted()).toBe(1);
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

  it("counts the texts after its object was evicted", async () => {
    await at.limit(3);
    await at.sendAll(1);
    world.advance(3600);
    expect((await at.bulk(2)).status).toBe(200);
    await evictDurableObject((env.RATE_LIMITER as RateLimiterNamespace).getByName("brand") as DurableObjectStub);
    expect(await at.counted()).toBe(3);
    const { retryAfter } = await at.expectRefused(at.send());
    world.advance(retryAfter);
    await at.sendAll(1);
    await at.expectRefused(at.send());
  });
});

it("costs a send no call and no row of the database", async () => {
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

  it("beyond the limit gets the time at which its message goes, and a conflict with another body, until its key expires", async () => {
    await at.limit(1);
    const sendAt = new Date(world.now + DAY / 2).toISOString();
    const first = await read(await at.send({ sendAt }, key));
    expect(first.body).toMatchObject({ scheduledFor: sendAt });
    expect(await read(await at.send({ sendAt }, key))).toMatchObject({ status: 200, body: first.body });
    expect((await at.send({ text: "Brand: other", sendAt }, key)).status).toBe(409);
    world.advance(DAY / 1000 - 60);
    await at.expectRefused(at.send({ text: "Brand: other" }, { "idempotency-key": "order-2" }));
    world.advance(60);
    // The key has expired: it is a new request.
    await at.expectRefused(at.send({ text: "Brand: other" }, key));
  });

  it("of the same content does not count where duplicates are suppressed, and a refused one is no first", async () => {
    await world.website("brand", { dailyLimit: 2, duplicateWindowHours: 48 });
    const first = await read(await at.send());
    expect(await read(await at.send())).toMatchObject({ status: 200, body: first.body });
    expect(await at.counted()).toBe(1);
    await at.send({ text: "Brand: second" });
    await at.expectRefused(at.send());
    const { retryAfter } = await at.expectRefused(at.send({ text: "Brand: other" }));
    await at.expectRefused(at.send({ text: "Brand: other" }, key));
    expect([await at.count("duplicate_keys"), await at.count("idempotency_keys")]).toEqual([2, 0]);
    world.advance(retryAfter);
    expect((await at.send({ text: "Brand: other" }, key)).status).toBe(200);
    expect(await at.count("messages")).toBe(3);
  });

  it("of many at once gets the id of the one that has room, whatever waits for the store", async () => {
    await at.limit(1);
    const answers = await Promise.all(Array.from({ length: 12 }, async () => read(await at.send({}, key))));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.messageId}`)).size).toBe(1);
    expect([await at.count("messages"), await at.counted()]).toEqual([1, 1]);
  });
});

describe("isolates at once", () => {
  it("never pass the limit together, and fill it", async () => {
    await at.limit(4);
    const other = await World.another(world);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        index % 5 === 4 ? at.bulk(2, {}, other) : at.send({}, {}, index % 2 ? other : world),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect([await at.count("messages"), await at.counted()]).toEqual([4, 4]);
  });

  it("pass it while the object of the website is away: a text that is late would be worse", async () => {
    await at.limit(4);
    const fail = async () => Promise.reject(new Error("reset"));
    const away = { getByName: () => ({ send: fail, admit: fail, take: fail, textsUsed: fail }) };
    const whole = world.deps;
    world.deps = { ...whole, limiter: new RateGate(away as unknown as RateLimiterNamespace) };
    await at.sendAll(3);
    expect((await at.bulk(3)).status).toBe(200);
    expect(world.logs.filter((line) => line.includes("rate-limiter.failed")).length).toBeGreaterThan(3);
    const answer = await world.operator("GET", "/websites/brand");
    expect(await answer.json()).toMatchObject({ dailyLimit: 4, dailyLimitUsed: null });
    world.deps = whole;
    expect([await at.count("messages"), await at.counted()]).toEqual([6, 0]);
  });

  it("hold the limit at once, although KV has not told them of it", async () => {
    const other = await World.another(world);
    await at.send({}, {}, other);
    await at.limit(1);
    expect((await at.send({}, {}, other)).status).toBe(200);
    await at.expectRefused(at.send({}, {}, other));
    await at.limit(2);
    expect((await at.bulk(1, {}, other)).status).toBe(200);
    await at.expectRefused(at.bulk(1, {}, other));
  });
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

  it("is not asked to cancel what the limit has refused", async () => {
    await at.limit(1);
    await at.sendAll(1);
    world.jobs.length = 0;
    await at.expectRefused(at.send());
    expect(world.jobs).toEqual([]);
  });

  it("gives back what was surely not stored, one by one and in bulk", async () => {
    await at.limit(4);
    const whole = world.deps;
    const overloaded = "D1_ERROR: D1 DB is overloaded. Requests queued for too long.";
    for (const send of [() => at.send(), () => at.bulk(2), () => at.bulk(2, { "idempotency-key": "b" })]) {
      world.deps = { ...whole, db: failingDatabase(whole.db, 5, "before", overloaded, "batches") };
      const { status } = await send();
      expect([status, await at.counted()]).toEqual([503, 0]);
    }
    world.deps = whole;
    expect((await at.bulk(2, { "idempotency-key": "b" })).status).toBe(200);
    await at.sendAll(2);
    await at.expectRefused(at.send());
  });
});

it("whatever is sent, whenever, no 24 hours have more than the limit, and nothing is refused that has room by the minute", async () => {
  await at.expectLimited(4);
});
