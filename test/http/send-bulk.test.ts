import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Carrier } from "../../src/carriers/carrier.ts";
import { sandbox } from "../../src/carriers/sandbox.ts";
import { BODY_LIMITS } from "../../src/http/body.ts";
import { failingDatabase } from "../failing-database.ts";
import { strictCarrier } from "../strict/bindings.ts";
import { SEND, type TestClient, World } from "../world.ts";

const PATH = "/text/bulk/message/send";
const ADA = "+12125550100";

interface Answer {
  successSent: { index: number; messageId: string }[];
  failedSent: { index: number; phone: string | null; email: string | null; errorMessage: string }[];
}

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([`${ADA},ada@example.com`]);
  // Thousands of callbacks that no test asks for: they are answered as outside of workerd, and do not go there and back.
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("no test answers this", { status: 599 }));
});

afterEach(() => {
  vi.restoreAllMocks();
});

const message = (fields: object = {}) => ({ ...SEND, phone: ADA, ...fields });
const bulk = (messages: unknown, headers: Record<string, string> = {}) =>
  world.post(PATH, client, { messages }, headers);
const accept = async (messages: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
  const answer = await bulk(messages, headers);
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.json();
};
const countStored = async () => (await world.rows("SELECT count(*) AS n FROM messages"))[0]?.n;
const refusal = async (answer: Response) => ({
  status: answer.status,
  body: (await answer.json()) as {
    code: number;
    message: string;
    details: { field: string; message: string; messageId?: string }[];
  },
});

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
    await world.runQueues();
    expect(await world.rows("SELECT DISTINCT attempts FROM messages")).toEqual([{ attempts: 1 }]);
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

  it("over 48 MB is refused, whatever its declared length", async () => {
    const headers = {
      "x-client-id": client.clientId,
      "x-client-secret": client.clientSecret,
      "content-type": "application/json",
    };
    let sent = 0;
    const items = new TextEncoder().encode(`"${"x".repeat(2045)}",`.repeat(512));
    const pieces = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"messages":[')),
      pull(controller) {
        sent += items.byteLength;
        controller.enqueue(items.slice());
        if (sent > 50 * 1024 * 1024) controller.close();
      },
    });
    // As over a network: a stream of bytes, and not of a script's own pieces.
    const body = pieces.pipeThrough(new IdentityTransformStream());
    expect((await refusal(await world.fetch(PATH, { method: "POST", headers, body }))).body.code).toBe(41300);
  });

  // A quarter of what is taken: what took a time of the square of its length would not end all the same.
  const LIMIT = BODY_LIMITS.bulk / 4;
  it.each([
    ["escapes", 200, `{"messages":[${`{"text":"${"\\u00e9".repeat(16_000)}"},`.repeat(LIMIT / 96_100)}{}]}`],
    ["numbers", 200, `{"messages":[${"0,".repeat(LIMIT / 2 - 10)}0]}`],
    ["one string", 400, `{"messages":["${"x".repeat(LIMIT - 20)}"]}`],
    ["one name", 400, `{"${"x".repeat(LIMIT - 20)}":1}`],
    ["one number", 400, `{"messages":[${"1".repeat(LIMIT - 20)}]}`],
    ["white space", 400, " ".repeat(LIMIT)],
    ["brackets", 400, "[".repeat(LIMIT)],
    ["objects", 400, '{"a":'.repeat(LIMIT / 5)],
  ])("of 12 MB is answered in a limited time, full of %s", async (_, status, body) => {
    expect((await world.post(PATH, client, body)).status).toBe(status);
    expect(await countStored()).toBe(0);
  });

  // A chunk of 500 is cut by its length as given: three bytes a character, and links that are longer than their URLs.
  it.each([
    { how: "alone", website: {}, headers: {} },
    {
      how: "with its Idempotency-Key, in a website that suppresses duplicates",
      website: { duplicateWindowHours: 1 },
      headers: { "idempotency-key": "k" },
    },
  ])("whose rows have more bytes together than one value of the store is stored whole, $how", async (given) => {
    const linkOrigin = `https://${"l".repeat(60)}.${"m".repeat(30)}.example.com`;
    await world.website("brand", given.website);
    world.deps = { ...world.deps, config: { ...world.deps.config, linkOrigin } };
    const items = Array.from({ length: 500 }, (_, i) => {
      const text = `${String(i).padStart(3)}${" http://a".repeat(12)}`;
      const item = { phone: ADA, text, clickUrl: "http://a", sendPurpose: "a", callbackData: '""' };
      return { ...item, callbackData: `"${"文".repeat(1000 - JSON.stringify(item).length)}"` };
    });
    const first = await accept(items, given.headers);
    expect(first.failedSent).toEqual([]);
    const [stored] = await world.rows(
      `SELECT count(*) AS messages, (SELECT count(*) FROM links) AS links,
         sum(length(CAST(text || callback_data AS BLOB))) AS bytes FROM messages`,
    );
    expect(stored).toMatchObject({ messages: 500, links: 500 });
    // With what else each row brings, in JSON.
    expect(Number(stored?.bytes) + 500 * 150).toBeGreaterThan(2_000_000);
    expect(await accept(items.slice(0, 1), { "idempotency-key": "other" })).toMatchObject({ failedSent: [] });
    if ("idempotency-key" in given.headers) expect(await accept(items, given.headers)).toEqual(first);
  });

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

describe("a store that fails in the middle", () => {
  it("is told with what was stored before, and the rest can be sent again without sending one twice", async () => {
    const items = Array.from({ length: 1000 }, (_, i) => message({ text: `no ${i}` }));
    const whole = world.deps;
    let batches = 0;
    const db = {
      prepare: (sql: string) => whole.db.prepare(sql),
      batch: (statements: D1PreparedStatement[]) =>
        ++batches > 1 ? failingDatabase(whole.db, 1, "after").batch(statements) : whole.db.batch(statements),
    };
    world.deps = { ...whole, db: db as unknown as D1Database };
    const { status, body } = await refusal(await bulk(items));
    world.deps = whole;
    expect([status, body.code]).toEqual([503, 50300]);
    expect(body.details).toHaveLength(500);
    const told = new Set(body.details.map(({ field }) => Number(/\d+/.exec(field)?.[0])));
    await accept(items.filter((_, index) => !told.has(index)));
    await world.runQueues();
    const texts = await world.rows("SELECT text, count(*) AS n FROM messages GROUP BY text HAVING n > 1");
    expect(texts).toEqual([]);
    expect(await countStored()).toBe(1000);
  });
});

describe("50,000 messages", () => {
  it("are accepted in one request; any are delivered, and called back once a change where that is wanted", async () => {
    const lines = Array.from({ length: 50_000 }, (_, i) => `+1212${5_000_000 + i}`);
    await world.subscribers("brand", lines);
    // The sandbox's own numbers would be refused or wait: this is about how many.
    world.deps = {
      ...world.deps,
      carriers: { ready: { sandbox: strictCarrier({ ...sandbox, submit: deliverAll }) }, missing: {} },
    };
    const posted = new Set<string>();
    vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
      const id = new Headers(init?.headers).get("webhook-id") ?? "";
      if (posted.has(id)) throw new Error(`posted twice: ${id}`);
      posted.add(id);
      return new Response("thanks");
    });
    const messages = lines.map((phone, i) => message({ phone, callbackData: i % 5 === 0 ? `"${i}"` : "" }));
    const { successSent, failedSent } = await accept(messages);
    expect([successSent.length, failedSent.length]).toEqual([50_000, 0]);
    expect(world.jobs).toHaveLength(2000);
    world.jobs.splice(0, 2000, ...world.jobs.filter((_, index) => index % 50 === 49));
    await world.runQueues();
    vi.restoreAllMocks();
    expect(await world.rows("SELECT status, count(*) AS n FROM messages GROUP BY status")).toEqual([
      { status: "DELIVERED", n: 1000 },
      { status: "PENDING_TO_SEND", n: 49_000 },
    ]);
    expect(posted.size).toBe(400);
  });

  const deliverAll: Carrier["submit"] = async ({ messageId }) => ({
    kind: "accepted",
    carrierMessageId: messageId,
    receipt: { status: "DELIVERED", reason: null, carrierMessageId: messageId, optedOut: false },
  });
});
