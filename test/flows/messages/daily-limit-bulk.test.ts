/** Bulk requests of a website that has a daily limit. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { SEND, type TestClient, type World } from "../../world.ts";
import { ADA, BOB, DAY, DailyLimitStage, STRANGER } from "./daily-limit-stage.ts";

let at: DailyLimitStage;
let world: World;
let client: TestClient;

beforeEach(async () => {
  at = await DailyLimitStage.begin();
  ({ world, client } = at);
});

describe("a bulk request", () => {
  it("is refused whole where its first part has no room, and fits exactly where it has", async () => {
    await at.limit(10);
    await at.sendAll(1);
    const { body } = await at.expectRefused(at.bulk(10));
    expect(body.details).toEqual([]);
    expect([await at.count("messages"), await at.counted()]).toEqual([1, 1]);
    expect((await at.bulk(9)).status).toBe(200);
    await at.expectRefused(at.bulk(1));
  });

  it("repeated as it is told stores nothing twice, however late", async () => {
    await at.limit(700);
    const key = { "idempotency-key": "campaign" };
    let { body, retryAfter } = await at.expectRefused(at.bulk(900, key));
    expect(body.message).toContain("it stores the remaining messages, and answers the same ids for the others");
    world.advance(23 * 3600);
    await world.sweep();
    ({ body, retryAfter } = await at.expectRefused(at.bulk(900, key)));
    world.advance(retryAfter);
    await world.sweep();
    const again = await at.bulk(900, key);
    expect(again.status).toBe(200);
    expect(await at.count("messages")).toBe(900);
  });

  it("repeated as it is told answers a duplicate of its first part with the same id, however late", async () => {
    await world.website("brand", { dailyLimit: 700, duplicateWindowHours: 1 });
    const messages = Array.from({ length: 900 }, (_, index) => {
      return { ...SEND, phone: ADA, text: `Text ${index === 1 ? 0 : index}` };
    });
    const again = () => world.post("/text/bulk/message/send", client, { messages }, { "idempotency-key": "campaign" });
    await at.expectRefused(again());
    world.advance(23 * 3600);
    const { retryAfter } = await at.expectRefused(again());
    world.advance(retryAfter);
    await world.sweep();
    const answer = await again();
    expect(answer.status).toBe(200);
    const { successSent } = (await answer.json()) as { successSent: { messageId: string }[] };
    expect(successSent[1]?.messageId).toBe(successSent[0]?.messageId);
  });

  it("that never fits is told so", async () => {
    await at.limit(5);
    const { body } = await at.expectRefused(at.bulk(6));
    expect(body.message).toContain("It never accepts 6 at once: send fewer texts in one request.");
  });

  it("stops where the limit is reached: with a key, its repetition stores the rest under the same ids", async () => {
    await at.limit(700);
    const key = { "idempotency-key": "campaign" };
    const { body, retryAfter } = await at.expectRefused(at.bulk(900, key));
    const stored = body.details?.map(({ messageId }) => messageId);
    expect(stored).toHaveLength(500);
    expect(body.message).toContain("it stores the remaining messages, and answers the same ids for the others");
    await at.limit(900);
    const again = await at.bulk(900, key);
    const { successSent } = (await again.json()) as { successSent: { messageId: string }[] };
    expect(successSent.map(({ messageId }) => messageId).slice(0, 500)).toEqual(stored);
    expect([successSent.length, await at.count("messages"), await at.counted()]).toEqual([900, 900, 900]);
    expect(retryAfter).toBeGreaterThan(DAY / 1000);
    expect((await at.bulk(900, key)).status).toBe(200);
    expect(await at.counted()).toBe(900);
  });

  it("counts no duplicate, and leaves none of a refused part behind", async () => {
    await world.website("brand", { dailyLimit: 4, duplicateWindowHours: 1 });
    const post = (...texts: string[]) => {
      const messages = texts.map((text) => ({ ...SEND, phone: ADA, text }));
      return world.post("/text/bulk/message/send", client, { messages }, { "idempotency-key": texts.join() });
    };
    await at.expectRefused(post("a", "b", "c", "d", "e"));
    expect([
      await at.count("duplicate_keys"),
      await at.count("bulk_parts"),
      await at.count("suppressed_messages"),
    ]).toEqual([0, 0, 0]);
    expect((await post("a", "b", "a", "b")).status).toBe(200);
    expect([await at.count("messages"), await at.counted()]).toEqual([2, 2]);
    expect((await post("b", "a")).status).toBe(200);
    expect(await at.counted()).toBe(2);
    // It cannot tell before it stores them that they are duplicates.
    await at.expectRefused(post("b", "a", "b"));
  });

  it("gives back the texts that cost nothing", async () => {
    await at.limit(5);
    const phones = [ADA, STRANGER, "no number", STRANGER, BOB];
    const messages = phones.map((phone, index) => ({ ...SEND, phone, text: `Text ${index}` }));
    const sendAt = new Date(world.now + DAY).toISOString();
    messages.push(Object.assign({ ...SEND, phone: ADA, text: "Later" }, { sendAt }));
    expect((await world.post("/text/bulk/message/send", client, { messages })).status).toBe(200);
    expect([await at.count("messages"), await at.counted()]).toEqual([5, 3]);
  });

  it("counts until tomorrow what it could not give back", async () => {
    await at.limit(2);
    const { limiter } = world.deps;
    vi.spyOn(limiter, "giveBack").mockRejectedValueOnce(new Error("object reset"));
    const messages = [{ ...SEND, phone: STRANGER }];
    expect((await world.post("/text/bulk/message/send", client, { messages })).status).toBe(200);
    expect([await at.counted(), world.logs.join()]).toEqual([1, expect.stringContaining("rate-limiter.failed")]);
    await at.expectRefused(at.bulk(2));
    world.advance(DAY / 1000 + 60);
    expect(await at.counted()).toBe(0);
  });

  it("with a key that is stored is answered beyond the limit, and that its key is of another body", () =>
    at.expectKeyAnswered(6, 1));
});
