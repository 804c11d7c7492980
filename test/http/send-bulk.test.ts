import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BODY_LIMITS } from "../../src/http/body.ts";
import {
  ADA,
  type Answer,
  accept,
  bulk,
  client,
  countStored,
  expectManyAccepted,
  expectStoredWhole,
  fullOf,
  message,
  PATH,
  prepare,
  refusal,
  world,
} from "./bulk.ts";

prepare();

describe("a bulk request", () => {
  it("stores each message for itself, and tells what is wrong with the others", async () => {
    const answer = await accept([
      message(),
      message({ phone: "123", text: "" }),
      message({ phone: "", email: "ADA@example.com" }),
      "no object",
      message({ phone: "+12125550177" }),
    ]);
    expect(answer.successSent.map(({ index }) => index)).toEqual([0, 2, 4]);
    expect(answer.failedSent).toEqual([
      {
        index: 1,
        phone: "123",
        email: null,
        errorMessage: expect.stringMatching(/^phone: must be.*; text: must not be/),
      },
      { index: 3, phone: null, email: null, errorMessage: expect.stringContaining("must be a JSON object") },
    ]);
    const statuses = await Promise.all(answer.successSent.map(({ messageId }) => world.statusOf(messageId)));
    expect(statuses).toEqual(["PENDING_TO_SEND", "PENDING_TO_SEND", "NOT_FOUND"]);
    expect(world.callbacks).toHaveLength(1);
    await world.runQueues();
    expect(await world.statusOf(answer.successSent[0]?.messageId ?? "")).toBe("DELIVERED");
  });

  it("gives every message an id of its own, a UUID", async () => {
    const { successSent } = await accept(Array.from({ length: 1200 }, () => message()));
    expect(new Set(successSent.map(({ messageId }) => messageId)).size).toBe(1200);
    for (const { messageId } of successSent.slice(0, 3)) {
      expect(messageId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });

  it("suppresses duplicates where the website wants that, within the request as well", async () => {
    await world.website("brand", { duplicateWindowHours: 1 });
    const first = await world.send(client, { phone: ADA });
    const { successSent } = await accept([
      message(),
      message({ text: "other" }),
      message({ email: "x", text: "other" }),
    ]);
    expect(successSent[0]?.messageId).toBe(first);
    expect(successSent[2]?.messageId).toBe(successSent[1]?.messageId);
    expect(await countStored()).toBe(2);
  });

  it("answers the same ids for duplicates when it is repeated, also after their time", async () => {
    await world.website("brand", { duplicateWindowHours: 1 });
    const messages = [message(), message(), message({ text: "other" }), message()];
    const ask = () => accept(messages, { "idempotency-key": "k" });
    const first = await ask();
    expect(new Set(first.successSent.map(({ messageId }) => messageId)).size).toBe(2);
    expect(await ask()).toEqual(first);
    world.advance(3601);
    await world.sweep();
    await world.send(client, { phone: ADA });
    expect(await ask()).toEqual(first);
    expect(await countStored()).toBe(3);
  });

  it.each<[string, unknown, number]>([
    ["no messages", undefined, 40001],
    ["an object in their place", { a: message() }, 40001],
    ["an empty array", [], 40001],
    ["a text in their place", "x", 40001],
  ])("with %s is refused", async (_, messages, code) => {
    expect((await refusal(await bulk(messages))).body.code).toBe(code);
  });

  it("counts once against the limit, and wants the grant to send", async () => {
    const answer = await bulk([message(), message(), message()]);
    expect(answer.headers.get("ratelimit")).toMatch(/r=299/);
    const reader = await world.client("brand", { operations: ["status"] });
    expect((await world.post(PATH, reader, { messages: [message()] })).status).toBe(403);
  });
});

describe("a body that breaks off", () => {
  const bodyOf = (length: number) =>
    JSON.stringify({ messages: Array.from({ length }, (_, i) => message({ text: `no ${i}` })) });
  const whole = bodyOf(1100);

  it("says which messages were stored before", async () => {
    const { status, body } = await refusal(await world.post(PATH, client, whole.slice(0, -50)));
    expect([status, body.code]).toEqual([400, 40000]);
    expect(body.message).toContain("1000 messages were stored");
    expect(body.details).toHaveLength(1000);
    const { field, messageId = "" } = body.details[0] ?? {};
    expect(field).toBe("messages[0]");
    expect(await world.statusOf(messageId)).toBe("PENDING_TO_SEND");
    expect(await countStored()).toBe(1000);
  });

  it("can be repeated with its keys in another order", async () => {
    const headers = { "idempotency-key": "batch-7" };
    const turn = (value: object) => Object.fromEntries(Object.entries(value).reverse());
    const { messages } = JSON.parse(whole) as { messages: object[] };
    const turned = JSON.stringify({ messages: messages.map(turn) }, undefined, 1);
    const first = await (await world.post(PATH, client, whole, headers)).json();
    expect(await (await world.post(PATH, client, turned, headers)).json()).toEqual(first);
    expect(await countStored()).toBe(1100);
  });

  it("can be repeated with its Idempotency-Key: what is stored is not stored again", async () => {
    const headers = { "idempotency-key": "batch-7" };
    const body = bodyOf(550);
    await world.post(PATH, client, body.slice(0, -50), headers);
    expect(await countStored()).toBe(500);
    const first = (await (await world.post(PATH, client, body, headers)).json()) as Answer;
    expect(first.successSent).toHaveLength(550);
    expect(await countStored()).toBe(550);
    expect(await (await world.post(PATH, client, body, headers)).json()).toEqual(first);
    expect(await countStored()).toBe(550);
    // However many jobs some of them have.
    const some = new Set(first.successSent.slice(490, 510).map(({ messageId }) => messageId));
    const jobs = world.jobs.filter(({ body }) => body.kind === "deliver" && body.messageIds.some((id) => some.has(id)));
    world.jobs.splice(0, world.jobs.length, ...jobs);
    await world.runQueues();
    const attempted = "SELECT DISTINCT attempts FROM messages WHERE attempts > 0";
    expect(await world.rows(attempted)).toEqual([{ attempts: 1 }]);
  });

  it("is refused with the key of another body, longer, shorter or changed, and stores nothing of it", async () => {
    const headers = { "idempotency-key": "batch-8" };
    const items = Array.from({ length: 1000 }, (_, i) => message({ text: `no ${i}` }));
    await accept(items, headers);
    for (const other of [[...items, message()], items.slice(0, 500), items.with(700, message({ text: "changed" }))]) {
      const { status, body } = await refusal(await bulk(other, headers));
      expect([status, body.code]).toEqual([409, 40900]);
      expect(await countStored()).toBe(1000);
    }
  });

  it("is refused with the key of a body whose numbers differ in a digit, and found with other white space", async () => {
    const post = (orderId: string, space: string) => {
      const body = `{"messages":[${space}${JSON.stringify(message()).slice(0, -1)},${space}"orderId":${orderId}}${space}]}`;
      return world.post(PATH, client, body, { "idempotency-key": "batch-9" });
    };
    const first = await (await post("9007199254740993", "")).json();
    expect(await (await post("9007199254740993", "\n  ")).json()).toEqual(first);
    expect((await post("9007199254740992", "")).status).toBe(409);
    expect(await countStored()).toBe(1);
  });

  // A refusal of each of many numbers takes long, however large the body is.
  const quickly = fullOf(BODY_LIMITS.bulk / 128).filter(([what]) => what !== "numbers");
  it.each(quickly)("is answered in a limited time, full of %s", async (_, status, body) => {
    expect((await world.post(PATH, client, body)).status).toBe(status);
    expect(await countStored()).toBe(0);
  });

  it("whose rows have more bytes together than one value of the store is stored whole", () => expectStoredWhole());

  it("is never a fault, whatever it is", async () => {
    const text = fc.oneof(
      fc.json(),
      fc.json().map((json) => `{"messages":${json}}`),
      fc.string({ unit: fc.constantFrom(...'{}[]":,m1e\\u '), maxLength: 60 }).map((rest) => `{"messages":[${rest}`),
    );
    world.deps = {
      ...world.deps,
      limiter: { admit: async () => ({ admitted: true, remaining: 1, resetMilliseconds: 1 }) } as never,
    };
    await fc.assert(
      fc.asyncProperty(text, async (body) => {
        expect((await world.post(PATH, client, body)).status).toBeLessThan(500);
      }),
      { numRuns: 200 },
    );
  });
});

describe("many messages", () => {
  it("are accepted in one request; any are delivered, and called back once a change where that is wanted", () =>
    expectManyAccepted(2500));
});
