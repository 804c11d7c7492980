/** What D1 says decides what is done: https://developers.cloudflare.com/d1/observability/debug-d1/#error-list */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { RateGate } from "../../src/platform/rate-limiter.ts";
import { objectsWithoutLimit } from "../objects.ts";
import { ADA, BODY, client, prepare, world } from "../one-subscriber.ts";

const REFUSALS = [
  "D1_ERROR: D1 DB is overloaded. Too many requests queued.",
  "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
  "D1_ERROR: Too many subrequests by single Worker invocation.",
];
/** May have run, and would be as heavy again. */
const TOO_HEAVY = [
  "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
  "D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.",
  "D1_ERROR: D1 DB exceeded its CPU time limit and was reset.",
];
const RETRYABLE = [
  "D1_ERROR: D1 DB reset because its code was updated.",
  "D1_ERROR: Internal error while starting up D1 DB storage caused object to be reset.",
  "D1_ERROR: Network connection lost.",
  "D1_ERROR: Internal error in D1 DB storage caused object to be reset.",
  "D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.",
  "D1_ERROR: Can't read from request stream because client disconnected.",
  "D1_ERROR: internal error; reference = 0123456789",
];

let calls: number;

prepare();

beforeEach(async () => {
  // The first request of a client stores, after its answer, that it was used.
  await world.fetch("/text/events", {
    headers: { "x-client-id": client.clientId, "x-client-secret": client.clientSecret },
  });
  await world.afterAnswer();
});

/** D1 whose transactions fail with these errors in turn, and with the last one from then on. */
async function whileFailing<T>(errors: string[], work: () => Promise<T>): Promise<T> {
  const whole = world.deps;
  calls = 0;
  const batch = async () => {
    throw new Error(errors[Math.min(calls++, errors.length - 1)]);
  };
  world.deps = { ...whole, db: { prepare: (sql: string) => whole.db.prepare(sql), batch } as unknown as D1Database };
  try {
    return await work();
  } finally {
    world.deps = whole;
  }
}

const send = (headers: Record<string, string> = {}) => world.post("/text/message/send", client, BODY, headers);
const jobs = () => world.jobs.splice(0).map(({ body }) => body);

describe("a send that D1 refuses", () => {
  it.each(REFUSALS)("(%s) is not repeated, answered 503, and leaves no job", async (error) => {
    const answer = await whileFailing([error], send);
    expect(answer.status).toBe(503);
    expect(calls).toBe(1);
    expect(jobs()).toEqual([]);
  });

  it("after it may have run is cancelled", async () => {
    const answer = await whileFailing([String(RETRYABLE[0]), String(REFUSALS[0])], send);
    expect(answer.status).toBe(503);
    expect(calls).toBe(2);
    expect(jobs()).toMatchObject([{ kind: "cancel" }]);
  });

  it("when it is asked whether a repeated transaction took effect is cancelled", async () => {
    const whole = world.deps;
    const refuse = () => Promise.reject(new Error(REFUSALS[0]));
    const prepare = (sql: string) =>
      sql.includes("SELECT m.message_id, m.status") ? { bind: () => ({ all: refuse }) } : whole.db.prepare(sql);
    // The first transaction takes effect unheard, so the second inserts nothing.
    const batch = async (statements: D1PreparedStatement[]) => {
      await whole.db.batch(statements);
      return whole.db.batch(statements);
    };
    world.deps = { ...whole, db: { prepare, batch } as unknown as D1Database };
    const answer = await send();
    world.deps = whole;
    expect(answer.status).toBe(503);
    expect(jobs()).toMatchObject([{ kind: "cancel" }]);
  });

  it("names a longer wait than one that D1 did not answer, and each answer another", async () => {
    const waits = async (errors: string[], random: number) => {
      world.deps = { ...world.deps, random: () => random };
      return Number((await whileFailing(errors, send)).headers.get("retry-after"));
    };
    expect([await waits(REFUSALS, 0), await waits(REFUSALS, 0.999)]).toEqual([3, 9]);
    expect([await waits(RETRYABLE, 0), await waits(RETRYABLE, 0.999)]).toEqual([2, 4]);
  });

  it("again and again: those that come once it takes calls again are stored", async () => {
    // As if each were of another website: the object of one makes one call at a time.
    world.deps = { ...world.deps, limiter: new RateGate(objectsWithoutLimit(() => world.deps)) };
    await whileFailing(REFUSALS, async () => {
      for (let round = 0; round < 10; round++) {
        await Promise.all(Array.from({ length: 5 }, () => send()));
        world.advance(1);
      }
    });
    expect(jobs()).toEqual([]);
    const next = await Promise.all(Array.from({ length: 20 }, () => send()));
    expect(next.map(({ status }) => status)).toEqual(new Array(20).fill(200));
    expect(await world.rows("SELECT count(*) AS count FROM messages")).toEqual([{ count: 20 }]);
  });

  it("in bulk leaves no job, and says what was stored before", async () => {
    const messages = Array.from({ length: 600 }, (_, i) => ({ ...BODY, text: `no ${i}` }));
    const whole = world.deps;
    let batches = 0;
    const batch = (statements: D1PreparedStatement[]) =>
      ++batches > 1 ? Promise.reject(new Error(REFUSALS[0])) : whole.db.batch(statements);
    world.deps = { ...whole, db: { prepare: (sql: string) => whole.db.prepare(sql), batch } as unknown as D1Database };
    const answer = await world.post("/text/bulk/message/send", client, { messages });
    expect([answer.status, batches]).toEqual([503, 2]);
    expect(((await answer.json()) as { details: unknown[] }).details).toHaveLength(500);
    expect(jobs().filter(({ kind }) => kind !== "deliver")).toEqual([]);
  });
});

it("a value that its column does not take is our own fault, and no outage", async () => {
  const error = "D1_ERROR: cannot store REAL value in INTEGER column messages.accepted_at: SQLITE_CONSTRAINT";
  expect((await whileFailing([error], send)).status).toBe(500);
  expect(calls).toBe(1);
});

describe("a send that D1 cannot carry out", () => {
  it.each(TOO_HEAVY)("(%s) is not repeated, and cancelled", async (error) => {
    expect((await whileFailing([error], send)).status).toBe(503);
    expect(calls).toBe(1);
    expect(jobs()).toMatchObject([{ kind: "cancel" }]);
  });

  it.each(RETRYABLE)("(%s) is repeated, and then cancelled", async (error) => {
    expect((await whileFailing([error], send)).status).toBe(503);
    expect(calls).toBe(4);
    expect(jobs()).toMatchObject([{ kind: "cancel" }]);
  });
});

describe("a job that D1 refuses", () => {
  const deliver = (messageId: string) =>
    world.deliver("textgate-messages", [{ kind: "deliver", messageIds: [messageId] }]);

  it("to claim is queued again some seconds later, as a new one, and has nothing to release", async () => {
    const ids = [await world.send(client, { phone: ADA }), await world.send(client, { phone: ADA })];
    jobs();
    const batch = ids.map((id) => ({ kind: "deliver", messageIds: [id] }));
    const refused = await whileFailing(REFUSALS, () => world.deliver("textgate-messages", batch));
    expect(refused).toEqual({ acknowledged: 2, retried: 0 });
    expect(calls).toBe(1);
    expect(world.jobs).toEqual([{ body: { kind: "deliver", messageIds: ids }, at: world.now + 8000 }]);
    world.advance(8);
    await world.runQueues();
    for (const id of ids) expect(await world.statusOf(id)).toBe("DELIVERED");
  });

  it("when the queue takes nothing either comes again", async () => {
    const messageId = await world.send(client, { phone: ADA });
    jobs();
    vi.spyOn(world.deps.messages, "sendBatch").mockRejectedValue(new Error("queue is down"));
    expect(await whileFailing(REFUSALS, () => deliver(messageId))).toEqual({ acknowledged: 0, retried: 1 });
  });

  it("to claim callbacks is queued again some seconds later, and has nothing to release", async () => {
    const messageId = await world.send(client, { phone: "+12125550177" });
    const [callback] = world.callbacks.splice(0);
    await whileFailing(REFUSALS, () => world.deliver("textgate-callbacks", [callback?.body]));
    expect(calls).toBe(1);
    expect(jobs()).toEqual([]);
    expect(fetch).not.toHaveBeenCalled();
    expect(world.callbacks).toEqual([{ body: callback?.body, at: world.now + 8000 }]);
    world.advance(8);
    await world.runQueues();
    expect(fetch).toHaveBeenCalledTimes(1);
    expect(await world.statusOf(messageId)).toBe("NOT_FOUND");
  });

  it("to record keeps the outcome in the queue", async () => {
    const messageId = await world.send(client, { phone: ADA });
    jobs();
    const { db } = world.deps;
    const prepare = (sql: string) => db.prepare(sql);
    let batches = 0;
    const batch = (statements: D1PreparedStatement[]) =>
      ++batches > 1 ? Promise.reject(new Error(REFUSALS[0])) : db.batch(statements);
    world.deps = { ...world.deps, db: { prepare, batch } as unknown as D1Database };
    await deliver(messageId);
    world.deps = { ...world.deps, db };
    expect(batches).toBe(2);
    expect(world.jobs.map(({ body }) => body)).toMatchObject([{ kind: "record" }]);
    world.advance(10);
    await world.runQueues();
    expect(await world.statusOf(messageId)).toBe("DELIVERED");
  });
});
