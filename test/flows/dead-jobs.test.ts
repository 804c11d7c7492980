import { beforeEach, describe, expect, it } from "vitest";
import type { SubmissionRecord } from "../../src/domain/job.ts";
import type { Carrier } from "../../src/platform/carriers/carrier.ts";
import { sandbox } from "../../src/platform/carriers/sandbox.ts";
import { consume } from "../../src/queue.ts";
import { failingDatabase } from "../faults.ts";
import { type TestClient, World } from "../world.ts";

const ADA = "+12125550100";
const MESSAGES = "textgate-messages";
const DEAD = "textgate-messages-dead";

let world: World;
let client: TestClient;
let submitted: string[];

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
  submitted = [];
  const carrier: Carrier = {
    ...sandbox,
    submit: async ({ messageId }) => {
      submitted.push(messageId);
      return { kind: "accepted", carrierMessageId: "c" };
    },
  };
  world.deps = { ...world.deps, carriers: { ready: { sandbox: carrier }, missing: {} } };
});

interface Given {
  id: string;
  body: unknown;
  attempts?: number;
}

/** Delivers a batch. @returns by id, null for what is done, and the seconds after which the others come again */
async function deliver(queue: string, given: Given[]): Promise<Record<string, number | null>> {
  const ends: Record<string, number | null> = {};
  const messages = given.map(({ id, body, attempts = 1 }) => ({
    ...{ id, body, attempts, timestamp: new Date(world.now) },
    ack: () => {
      ends[id] = null;
    },
    retry: ({ delaySeconds }: { delaySeconds: number }) => {
      ends[id] = delaySeconds;
    },
  }));
  await consume({ queue, messages } as unknown as MessageBatch, world.deps);
  await world.afterAnswer();
  return ends;
}

interface Listed {
  id: string;
  queue: string;
  body: unknown;
  diedAt: string;
  error: string | null;
  putBackAt: string | null;
}

const list = async (query = "") =>
  ((await (await world.operator("GET", `/dead-jobs${query}`)).json()) as { deadJobs: Listed[] }).deadJobs;
const putBack = async (id?: string) => {
  const answer = await world.operator("POST", `/dead-jobs${id === undefined ? "" : `/${id}`}/put-back`);
  return [answer.status, await answer.json()];
};
const jobLines = () =>
  world.logs.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ event }) => event === "job");
const send = async () => {
  const messageId = await world.send(client, { phone: ADA });
  world.jobs.length = 0;
  return messageId;
};
const deliverJob = (...messageIds: string[]) => ({ kind: "deliver", messageIds });
const broken = () => failingDatabase(world.deps.db, Number.POSITIVE_INFINITY);

/** D1 on which a statement with these words is a fault of our own. */
function faultyDatabase(words: string): D1Database {
  const { db } = world.deps;
  const batch = (statements: D1PreparedStatement[]) => {
    const asked = JSON.stringify(statements);
    const isFaulty = asked.includes(words) && !asked.includes("dead_jobs");
    return isFaulty ? Promise.reject(new Error("D1_ERROR: no such column: x")) : db.batch(statements);
  };
  return { prepare: (sql: string) => db.prepare(sql), batch } as unknown as D1Database;
}

describe("the line of a job", () => {
  it("says what it was about, and how it ended", async () => {
    const messageId = await send();
    expect(await deliver(MESSAGES, [{ id: "a", body: deliverJob(messageId) }])).toEqual({ a: null });
    expect(jobLines()).toEqual([
      {
        level: "info",
        event: "job",
        queueMessageId: "a",
        kind: "deliver",
        count: 1,
        outcome: "done",
        attempts: 1,
        milliseconds: 0,
      },
    ]);
  });

  it("that is to be tried again says why", async () => {
    world.deps = { ...world.deps, db: broken() };
    await deliver(MESSAGES, [{ id: "a", body: { kind: "release", claim: "c" }, attempts: 3 }]);
    expect(jobLines()).toMatchObject([
      {
        level: "warn",
        kind: "release",
        count: null,
        outcome: "retried",
        attempts: 3,
        error: expect.stringContaining("store-unavailable"),
      },
    ]);
  });

  it("of callbacks stands for the batch", async () => {
    await deliver("textgate-callbacks", [{ id: "a", body: "x_SENDING" }]);
    expect(jobLines()).toMatchObject([{ kind: "callback", count: 1, outcome: "done" }]);
  });
});

describe("a job that always fails", () => {
  const record: SubmissionRecord = {
    ...{ messageId: "x", status: "FAILED_TO_SEND", reason: `no such number: ${ADA}`, carrierMessageId: null },
    ...{ retryAt: null, optedOut: false, receipt: null, attempted: true },
  };
  const poison = { kind: "record", claim: "poison-1", records: [record] };

  beforeEach(() => {
    world.deps = { ...world.deps, db: faultyDatabase("poison-1") };
  });

  it("holds up no other of its batch", async () => {
    const messageId = await send();
    const batch = [
      { id: "bad", body: poison },
      { id: "good", body: { kind: "release", claim: "c" } },
      { id: "message", body: deliverJob(messageId) },
    ];
    expect(await deliver(MESSAGES, batch)).toEqual({ bad: 4, good: null, message: null });
    expect(submitted).toEqual([messageId]);
  });

  it("is tried six times, with growing pauses, and then kept with its error and without numbers", async () => {
    const ends = [];
    for (let attempts = 1; attempts <= 6; attempts++) {
      ends.push((await deliver(MESSAGES, [{ id: "bad", body: poison, attempts }])).bad);
      expect(await list()).toHaveLength(attempts < 6 ? 0 : 1);
    }
    expect(ends).toEqual([4, 8, 15, 30, 60, null]);
    const kept = { ...poison, records: [{ ...record, reason: "no such number: +…00" }] };
    const error = "Error: D1_ERROR: no such column: x";
    const diedAt = "2026-11-21T12:00:00.000Z";
    expect(await list()).toEqual([{ id: "bad", queue: MESSAGES, body: kept, diedAt, error, putBackAt: null }]);
    expect(jobLines().at(-1)).toMatchObject({ level: "error", outcome: "dead", attempts: 6, error });
  });

  it("for the store's sake is tried on: how often, the queue decides", async () => {
    world.deps = { ...world.deps, db: broken() };
    expect(await deliver(MESSAGES, [{ id: "a", body: poison, attempts: 10 }])).toEqual({ a: 450 });
  });

  it("and that the store does not keep comes again", async () => {
    await world.rows("DROP TABLE dead_jobs");
    expect(await deliver(MESSAGES, [{ id: "a", body: poison, attempts: 6 }])).toEqual({ a: 120 });
  });
});

describe("deliveries of a batch", () => {
  it("run together at first, and alone once they have failed, so that one that always fails fails alone", async () => {
    const [good, bad, late] = [await send(), await send(), await send()];
    world.deps = { ...world.deps, db: faultyDatabase(bad) };
    const given = [good, bad].map((id) => ({ id, body: deliverJob(id) }));
    expect(await deliver(MESSAGES, given)).toEqual({ [good]: 4, [bad]: 4 });
    expect(submitted).toEqual([]);
    const again = [...given.map((it) => ({ ...it, attempts: 2 })), { id: late, body: deliverJob(late) }];
    expect(await deliver(MESSAGES, again)).toEqual({ [good]: null, [bad]: 8, [late]: null });
    expect(submitted).toEqual([late, good]);
  });
});

describe("a malformed job", () => {
  it("is kept at once, and done with", async () => {
    const batch = [
      { id: "a", body: { kind: "fly", to: 12125550100, note: `to ${ADA}` } },
      { id: "b", body: null },
    ];
    expect(await deliver(MESSAGES, batch)).toEqual({ a: null, b: null });
    expect(await list()).toMatchObject([
      { id: "b", body: null, error: expect.stringMatching(/^Error: malformed: /) },
      {
        id: "a",
        body: { kind: "fly", to: "…00", note: "to +…00" },
        error: expect.stringMatching(/^Error: malformed: /),
      },
    ]);
    expect(jobLines()).toMatchObject([{ kind: "malformed", outcome: "dead" }, { queueMessageId: "b" }]);
  });

  it("comes again while the store does not take it, and stands once", async () => {
    const { deps } = world;
    const job = { id: "a", body: { kind: "fly" } };
    world.deps = { ...deps, db: broken() };
    expect(await deliver(MESSAGES, [job])).toEqual({ a: 4 });
    world.deps = { ...deps, db: failingDatabase(deps.db, 1, "after") };
    expect(await deliver(MESSAGES, [{ ...job, attempts: 2 }])).toEqual({ a: null });
    expect(await deliver(MESSAGES, [{ ...job, attempts: 3 }])).toEqual({ a: null });
    expect(await list()).toHaveLength(1);
  });
});

describe("the dead-letter queue", () => {
  it("is emptied into the store, each job once", async () => {
    const body = deliverJob(await send());
    expect(await deliver(DEAD, [{ id: "a", body }])).toEqual({ a: null });
    world.advance(1);
    expect(await deliver(DEAD, [{ id: "a", body }])).toEqual({ a: null });
    const diedAt = "2026-11-21T12:00:00.000Z";
    expect(await list()).toEqual([{ id: "a", queue: MESSAGES, body, diedAt, error: null, putBackAt: null }]);
    expect(jobLines()).toMatchObject([{ level: "error", kind: "deliver", outcome: "dead" }, { outcome: "dead" }]);
  });

  it("is asked again for as long as it keeps a job, while the store does not answer", async () => {
    const { deps } = world;
    world.deps = { ...deps, db: broken() };
    const body = deliverJob("m");
    let shortest = 0;
    for (let attempts = 1; attempts <= 100; attempts++) {
      const { a } = await deliver(DEAD, [{ id: "a", body, attempts }]);
      shortest += (a ?? 0) * (2 / 3);
      if (attempts === 20) expect(a).toBe(5400);
      if (attempts > 12) attempts += 7;
    }
    expect(shortest * 8).toBeGreaterThan(3.5 * 86_400);
    world.deps = deps;
    expect(await deliver(DEAD, [{ id: "a", body, attempts: 101 }])).toEqual({ a: null });
    expect(await list()).toHaveLength(1);
  });
});

describe("the operator", () => {
  const keep = async (id: string, body: unknown) => {
    await deliver(DEAD, [{ id, body }]);
    world.advance(1);
  };

  it("sees them, the latest first, a hundred at a time", async () => {
    const batch = Array.from({ length: 150 }, (_, index) => ({ id: `j${1000 + index}`, body: deliverJob("m") }));
    await deliver(DEAD, batch);
    const first = await list();
    const rest = await list(`?before=${first.at(-1)?.id}`);
    expect([first.length, rest.length]).toEqual([100, 50]);
    expect(new Set([...first, ...rest].map(({ id }) => id)).size).toBe(150);
    expect(await (await world.operator("GET", "/health")).json()).toMatchObject({
      deadJobs: { count: 150, oldestSeconds: 0 },
      problems: expect.arrayContaining(["dead-jobs"]),
    });
  });

  it("puts one back, twice: what it was about is done once", async () => {
    const messageId = await send();
    await keep("a", deliverJob(messageId));
    expect(await putBack("a")).toEqual([200, { putBack: 1 }]);
    expect(await putBack("a")).toEqual([200, { putBack: 1 }]);
    expect(world.jobs.map(({ body }) => body)).toEqual([deliverJob(messageId), deliverJob(messageId)]);
    await world.runQueues();
    expect(submitted).toEqual([messageId]);
    expect(await world.statusOf(messageId)).toBe("SENDING");
    expect(await list()).toMatchObject([{ id: "a", putBackAt: "2026-11-21T12:00:01.000Z" }]);
    expect(await (await world.operator("GET", "/health")).json()).toMatchObject({ deadJobs: { count: 0 } });
  });

  it("puts back each kind, long after: it changes only what its claim still allows", async () => {
    const messageId = await send();
    const record = { messageId, status: null, reason: "busy", carrierMessageId: null, retryAt: 1, optedOut: false };
    const jobs = [
      { kind: "cancel", messageIds: [messageId] },
      { kind: "release", claim: "of another run" },
      { kind: "record", claim: "of another run", records: [{ ...record, receipt: null }] },
    ];
    await world.deliver(MESSAGES, [deliverJob(messageId)]);
    const before = await world.rows("SELECT * FROM messages");
    for (const job of jobs) await keep(job.kind, job);
    for (let press = 0; press < 2; press++) for (const { kind } of jobs) await putBack(kind);
    await world.runQueues();
    expect(await world.rows("SELECT * FROM messages")).toEqual(before);
    expect(submitted).toEqual([messageId]);
  });

  it("puts all back that wait, a hundred at a time, until none is left", async () => {
    await deliver(
      DEAD,
      Array.from({ length: 120 }, (_, index) => ({ id: `j${index}`, body: deliverJob("m") })),
    );
    expect(await putBack()).toEqual([200, { putBack: 100, left: 20 }]);
    expect(await putBack()).toEqual([200, { putBack: 20, left: 0 }]);
    expect(await putBack()).toEqual([200, { putBack: 0, left: 0 }]);
    expect(world.jobs).toHaveLength(120);
  });

  it("sees a job that fails again as another", async () => {
    await keep("a", { kind: "fly" });
    await putBack("a");
    await deliver(MESSAGES, [{ id: "b", body: world.jobs[0]?.body }]);
    expect(await list()).toMatchObject([
      { id: "b", putBackAt: null },
      { id: "a", putBackAt: expect.any(String) },
    ]);
  });

  it("is told when the queue does not take it, and may press again", async () => {
    await keep("a", deliverJob("m"));
    const { messages } = world.deps;
    const send = () => Promise.reject(new Error("queue is down"));
    world.deps = { ...world.deps, messages: { ...messages, send } as unknown as typeof messages };
    expect((await putBack("a"))[0]).toBe(503);
    expect(await list()).toMatchObject([{ putBackAt: null }]);
    world.deps = { ...world.deps, messages };
    expect(await putBack()).toEqual([200, { putBack: 1, left: 0 }]);
  });

  it("is told of a job that is unknown", async () => {
    expect(await putBack("nobody")).toMatchObject([404, { code: 40401 }]);
  });

  it.each([
    ["GET", "/dead-jobs"],
    ["POST", "/dead-jobs/put-back"],
    ["POST", "/dead-jobs/a/put-back"],
  ])("alone may: %s %s", async (method, path) => {
    expect((await world.fetch(`/operator${path}`, { method })).status).toBe(401);
  });

  it("no longer sees them when messages of that time are gone too", async () => {
    await keep("a", deliverJob("m"));
    world.advance(30 * 86_400 - 2);
    await world.sweep();
    expect(await list()).toHaveLength(1);
    world.advance(2);
    await world.sweep();
    expect(await list()).toEqual([]);
  });
});
