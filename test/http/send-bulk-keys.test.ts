import { describe, expect, it } from "vitest";
import { failingDatabase } from "../failing-database.ts";
import { SEND } from "../world.ts";
import { ADA, accept, bulk, client, countStored, idsOf, keyed, many, message, PATH, prepare, world } from "./bulk.ts";

prepare();

const DAY = 24 * 3600;

const SHOP = "https://example.com/sale";
interface Refusal {
  status: number;
  code: number;
  message: string;
  details: { field: string; message: string }[];
}

const refuse = async (answer: Promise<Response>): Promise<Refusal> => {
  const { status, ...rest } = await answer.then(async (it) => ({ status: it.status, body: await it.json() }));
  return { status, ...(rest.body as Omit<Refusal, "status">) };
};
const textsSentTwice = () => world.rows("SELECT text, count(*) AS n FROM messages GROUP BY text HAVING n > 1");

/** The store takes its first `good` batches; the next takes effect, and fails all the same, with all that follow. */
async function whileStoreFails<T>(good: number, work: () => Promise<T>): Promise<T> {
  const whole = world.deps;
  let batches = 0;
  const batch = (statements: D1PreparedStatement[]) => {
    batches += 1;
    if (batches <= good) return whole.db.batch(statements);
    return failingDatabase(whole.db, 1, batches === good + 1 ? "after" : "before").batch(statements);
  };
  world.deps = { ...whole, db: { prepare: (sql: string) => whole.db.prepare(sql), batch } as unknown as D1Database };
  try {
    return await work();
  } finally {
    world.deps = whole;
  }
}

async function runCancellations(): Promise<void> {
  const cancellations = world.jobs.filter(({ body }) => body.kind === "cancel");
  world.jobs.splice(0, world.jobs.length, ...cancellations);
  await world.runQueues();
}

describe("an Idempotency-Key that is used again after its 24 hours", () => {
  it("stores the new messages, with ids of their own", async () => {
    const first = await accept([message()], keyed("weekly"));
    world.advance(DAY + 3600);
    const second = await accept([message({ text: "another week" })], keyed("weekly"));
    expect(idsOf(second)).not.toEqual(idsOf(first));
    expect(await world.rows("SELECT text FROM messages ORDER BY accepted_at")).toEqual([
      { text: SEND.text },
      { text: "another week" },
    ]);
    expect(world.jobs.flatMap(({ body }) => (body.kind === "deliver" ? body.messageIds : []))).toEqual([
      ...idsOf(first),
      ...idsOf(second),
    ]);
  });

  it("still answers the same to a repetition that began within them and ends after them", async () => {
    const messages = many(700);
    const first = await accept(messages, keyed("k"));
    world.advance(DAY - 1);
    const whole = world.deps;
    let calls = 0;
    world.deps = {
      ...whole,
      now: () => {
        // The first part is still within the time of the key, the second is not.
        if (++calls === 7) world.advance(2);
        return whole.now();
      },
    };
    expect(await accept(messages, keyed("k"))).toEqual(first);
    world.deps = whole;
    expect(await countStored()).toBe(700);
  });
});

describe("an Idempotency-Key that is used with another body", () => {
  it("is refused, and stores nothing, also where only the other body has links", async () => {
    await accept([message()], keyed("k"));
    const { status, code } = await refuse(bulk([message({ clickUrl: SHOP })], keyed("k")));
    expect([status, code]).toEqual([409, 40900]);
    expect(await world.rows("SELECT * FROM links")).toEqual([]);
    expect(await countStored()).toBe(1);
  });

  it("that differs later on, says what the two have in common, and how to send the rest", async () => {
    const first = await accept(many(600), keyed("k"));
    const other = many(600, (index) => (index === 550 ? { clickUrl: SHOP } : {}));
    const { status, code, message: advice, details } = await refuse(bulk(other, keyed("k")));
    expect([status, code, details.length]).toEqual([409, 40900, 500]);
    expect(details[0]).toEqual({
      field: "messages[0]",
      message: "is stored",
      messageId: first.successSent[0]?.messageId,
    });
    expect(advice).toMatch(/first 500 messages are the same/);
    expect(advice).toMatch(/new Idempotency-Key/);
    expect(advice).not.toMatch(/repeat the (same )?request/i);
    expect(await countStored()).toBe(600);
    expect(await world.rows("SELECT * FROM links")).toEqual([]);
  });

  it("belongs to its client: two that both count from 1 do not meet", async () => {
    const other = await world.client("brand");
    const first = await accept([message()], keyed("1"));
    const second = await accept([message({ text: "of another platform" })], keyed("1"), other);
    expect(idsOf(second)).not.toEqual(idsOf(first));
    expect(await countStored()).toBe(2);
    expect(await accept([message()], keyed("1"))).toEqual(first);
  });
});

describe("a store that fails in the middle of a bulk request", () => {
  it("with a key: the advice is to repeat the whole, and that sends nothing twice", async () => {
    const items = many(600);
    // The start of the request, and its first part.
    const refusal = await whileStoreFails(2, () => refuse(bulk(items, keyed("k"))));
    expect([refusal.status, refusal.code, refusal.details.length]).toEqual([503, 50300, 500]);
    expect(refusal.message).toMatch(/Repeat the same request with the same Idempotency-Key/);
    expect(refusal.message).toMatch(/Do not send a part of it/);
    expect(refusal.message).not.toMatch(/only the others/);
    const { successSent } = await accept(items, keyed("k"));
    expect(successSent).toHaveLength(600);
    await runCancellations();
    expect([await textsSentTwice(), await countStored()]).toEqual([[], 600]);
  });

  it("without a key: the advice is to send the others, and that sends nothing twice", async () => {
    const items = many(600);
    const refusal = await whileStoreFails(1, () => refuse(bulk(items)));
    expect([refusal.status, refusal.code, refusal.details.length]).toEqual([503, 50300, 500]);
    expect(refusal.message).toMatch(/Send only the others/);
    expect(refusal.message).not.toMatch(/repeat the request|safe to repeat|Idempotency-Key/i);
    const told = new Set(refusal.details.map(({ field }) => Number(/\d+/.exec(field)?.[0])));
    await accept(items.filter((_, index) => !told.has(index)));
    await runCancellations();
    expect([await textsSentTwice(), await countStored()]).toEqual([[], 600]);
  });

  it("at its beginning, with a key: it is safe to repeat with that key", async () => {
    const refusal = await whileStoreFails(1, () => refuse(bulk(many(3), keyed("k"))));
    expect([refusal.code, refusal.details]).toEqual([50300, []]);
    expect(refusal.message).toMatch(/with the same Idempotency-Key/);
  });
});

describe("a body with two arrays of messages", () => {
  const one = JSON.stringify(message());
  it.each([
    ["an array and another", `{"messages":[${one}],"messages":[${one}]}`],
    ["an array and a number", `{"messages":[${one}],"messages":5}`],
    ["an empty array and another", `{"messages":[],"mess\\u0061ges":[${one}]}`],
    ["a number and an array", `{"messages":5,"messages":[${one}]}`],
  ])("%s is refused", async (_, body) => {
    const { status, code } = await refuse(world.post(PATH, client, body));
    expect([status, code]).toEqual([400, 40001]);
  });

  it("is told from fields of the same name in a message", async () => {
    const answer = await accept([message({ messages: [1], nested: { messages: [2], more: [{ messages: 3 }] } })]);
    expect(answer.successSent).toHaveLength(1);
  });
});

describe("a text that is too long with its link", () => {
  it("breaks its rule, with how long it may be, alone and in bulk", async () => {
    const text = "x".repeat(1589);
    const alone = await refuse(world.post("/text/message/send", client, message({ text, clickUrl: SHOP })));
    const wanted = /must have at most 1,?600 characters with its link.*by 20/;
    expect([alone.code, alone.details]).toEqual([40001, [{ field: "text", message: expect.stringMatching(wanted) }]]);
    const { successSent, failedSent } = await accept([message({ text, clickUrl: SHOP }), message({ text })]);
    expect([successSent.length, failedSent]).toEqual([
      1,
      [{ index: 0, phone: ADA, email: null, errorMessage: expect.stringMatching(wanted) }],
    ]);
    expect(failedSent[0]?.errorMessage).toMatch(/^text: /);
  });

  it("is right where the link makes it shorter", async () => {
    const clickUrl = `https://example.com/${"y".repeat(200)}`;
    const text = `${"x".repeat(1379)} ${clickUrl}`;
    await world.send(client, { phone: ADA, text, clickUrl });
  });
});
