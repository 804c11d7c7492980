import { beforeEach, describe, expect, it } from "vitest";
import type { Job, SubmissionRecord } from "../../../src/domain/messages/job.ts";
import { JOB_TRIES, STORE_TRIES } from "../../../src/domain/messages/retry-policy.ts";
import { ADA, DEAD, DeadJobsStage, deliverJob, MESSAGES } from "../../dead-jobs.ts";
import { failingDatabase } from "../../failing-database.ts";
import type { World } from "../../world.ts";

let at: DeadJobsStage;
let world: World;
let submitted: string[];

beforeEach(async () => {
  at = await DeadJobsStage.begin();
  ({ world, submitted } = at);
});

const jobLines = () =>
  world.logs.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ event }) => event === "job");
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
    const messageId = await at.send();
    expect(await at.deliver(MESSAGES, [{ id: "a", body: deliverJob(messageId) }])).toEqual({ a: null });
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
    await at.deliver(MESSAGES, [{ id: "a", body: { kind: "release", claim: "c", messageIds: ["m"] }, attempts: 3 }]);
    expect(jobLines()).toMatchObject([
      {
        level: "warn",
        kind: "release",
        count: 1,
        outcome: "retried",
        attempts: 3,
        error: expect.stringContaining("store-unavailable"),
      },
    ]);
  });

  it("of callbacks stands for the batch", async () => {
    await at.deliver("textgate-callbacks", [{ id: "a", body: ["x_SENDING"] }]);
    expect(jobLines()).toMatchObject([{ kind: "callback", count: 1, outcome: "done" }]);
  });
});

describe("a job that always fails", () => {
  const record: SubmissionRecord = {
    ...{ messageId: "x", status: "FAILED_TO_SEND", reason: `no such number: ${ADA}`, carrierMessageId: null },
    ...{ retryAt: null, optedOut: false, receipt: null, attempted: true, code: null, entry: null },
  };
  const poison = { kind: "record", claim: "poison-1", records: [record] };

  beforeEach(() => {
    world.deps = { ...world.deps, db: faultyDatabase("poison-1") };
  });

  it("holds up no other of its batch", async () => {
    const messageId = await at.send();
    const batch = [
      { id: "bad", body: poison },
      { id: "good", body: { kind: "release", claim: "c", messageIds: ["m"] } },
      { id: "message", body: deliverJob(messageId) },
    ];
    expect(await at.deliver(MESSAGES, batch)).toEqual({ bad: 5, good: null, message: null });
    expect(submitted).toEqual([messageId]);
  });

  it("is tried six times, with growing pauses, and then kept with its error and without numbers", async () => {
    const ends = [];
    for (let attempts = 1; attempts <= 6; attempts++) {
      ends.push((await at.deliver(MESSAGES, [{ id: "bad", body: poison, attempts }])).bad);
      expect(await at.list()).toHaveLength(attempts < 6 ? 0 : 1);
    }
    expect(ends).toEqual([5, 7, 11, 16, 25, null]);
    const kept = { ...poison, records: [{ ...record, reason: "no such number: +…00" }] };
    const error = "Error: D1_ERROR: no such column: x";
    const diedAt = "2026-11-21T12:00:00.000Z";
    expect(await at.list()).toEqual([{ id: "bad", queue: MESSAGES, body: kept, diedAt, error, putBackAt: null }]);
    expect(jobLines().at(-1)).toMatchObject({ level: "error", outcome: "dead", attempts: 6, error });
  });

  it("for the store's sake is tried on: how often, the queue decides", async () => {
    world.deps = { ...world.deps, db: broken() };
    expect(await at.deliver(MESSAGES, [{ id: "a", body: poison, attempts: 10 }])).toEqual({ a: 60 });
  });

  it("and that the store does not keep comes again", async () => {
    await world.rows("DROP TABLE dead_jobs");
    expect(await at.deliver(MESSAGES, [{ id: "a", body: poison, attempts: 6 }])).toEqual({ a: 37 });
  });
});

describe("deliveries of a batch", () => {
  it("run together at first, and alone once they have failed, so that one that always fails fails alone", async () => {
    const [good, bad, late] = [await at.send(), await at.send(), await at.send()];
    world.deps = { ...world.deps, db: faultyDatabase(bad) };
    const given = [good, bad].map((id) => ({ id, body: deliverJob(id) }));
    expect(await at.deliver(MESSAGES, given)).toEqual({ [good]: 4, [bad]: 4 });
    expect(submitted).toEqual([]);
    const again = [...given.map((it) => ({ ...it, attempts: 2 })), { id: late, body: deliverJob(late) }];
    expect(await at.deliver(MESSAGES, again)).toEqual({ [good]: null, [bad]: 8, [late]: null });
    expect(submitted).toEqual([late, good]);
  });
});

describe("a malformed job", () => {
  it("is kept at once, and done with", async () => {
    const batch = [
      { id: "a", body: { kind: "fly", to: 12125550100, note: `to ${ADA}` } },
      { id: "b", body: null },
    ];
    expect(await at.deliver(MESSAGES, batch)).toEqual({ a: null, b: null });
    expect(await at.list()).toMatchObject([
      { id: "b", body: null, error: "Error: malformed: body is wrong" },
      {
        id: "a",
        body: { kind: "fly", to: "…00", note: "to +…00" },
        error: "Error: malformed: kind is wrong",
      },
    ]);
    expect(jobLines()).toMatchObject([{ kind: "malformed", outcome: "dead" }, { queueMessageId: "b" }]);
  });

  it("comes again while the store does not take it, and stands once", async () => {
    const { deps } = world;
    const job = { id: "a", body: { kind: "fly" } };
    world.deps = { ...deps, db: broken() };
    expect(await at.deliver(MESSAGES, [job])).toEqual({ a: 4 });
    world.deps = { ...deps, db: failingDatabase(deps.db, 1, "after") };
    expect(await at.deliver(MESSAGES, [{ ...job, attempts: 2 }])).toEqual({ a: null });
    expect(await at.deliver(MESSAGES, [{ ...job, attempts: 3 }])).toEqual({ a: null });
    expect(await at.list()).toHaveLength(1);
  });
});

describe("the dead-letter queue", () => {
  it("is emptied into the store, each job once", async () => {
    const body = deliverJob(await at.send());
    expect(await at.deliver(DEAD, [{ id: "a", body }])).toEqual({ a: null });
    world.advance(1);
    expect(await at.deliver(DEAD, [{ id: "a", body }])).toEqual({ a: null });
    const diedAt = "2026-11-21T12:00:00.000Z";
    expect(await at.list()).toEqual([{ id: "a", queue: MESSAGES, body, diedAt, error: null, putBackAt: null }]);
    expect(jobLines()).toMatchObject([{ level: "error", kind: "deliver", outcome: "dead" }, { outcome: "dead" }]);
  });

  it("is asked again for as long as it keeps a job, while the store does not answer", async () => {
    const { deps } = world;
    world.deps = { ...deps, db: broken() };
    const body = deliverJob("m");
    let shortest = 0;
    for (let attempts = 1; attempts <= 100; attempts++) {
      const { a } = await at.deliver(DEAD, [{ id: "a", body, attempts }]);
      shortest += (a ?? 0) * (2 / 3);
      if (attempts === 20) expect(a).toBe(5400);
      if (attempts > 12) attempts += 7;
    }
    expect(shortest * 8).toBeGreaterThan(3.5 * 86_400);
    world.deps = deps;
    expect(await at.deliver(DEAD, [{ id: "a", body, attempts: 101 }])).toEqual({ a: null });
    expect(await at.list()).toHaveLength(1);
  });
});

describe("a job that makes up for a failed store", () => {
  const claim = "of a run that failed";
  let release: { id: string; body: Job };

  beforeEach(async () => {
    const messageId = await at.send();
    release = { id: "a", body: { kind: "release", claim, messageIds: [messageId] } };
    await world.rows(
      "UPDATE messages SET claimed_at = ?2, claim = ?3 WHERE message_id = ?1",
      messageId,
      world.now,
      claim,
    );
  });

  it("goes from the dead-letter queue back to its own, as nothing else does its work, however long the store is away", async () => {
    const { deps } = world;
    world.deps = { ...deps, db: broken() };
    expect(await at.deliver(MESSAGES, [{ ...release, attempts: 21 }])).toEqual({ a: 60 });
    expect(await at.deliver(DEAD, [release])).toEqual({ a: null });
    const [back] = world.jobs.splice(0).slice(-1);
    expect(back).toEqual({ body: release.body, at: world.now });
    expect(jobLines().at(-1)).toMatchObject({ kind: "release", outcome: "retried" });
    world.deps = deps;
    expect(await at.deliver(MESSAGES, [{ id: "b", body: back?.body }])).toEqual({ b: null });
    expect(await world.rows("SELECT claim, claimed_at FROM messages")).toEqual([{ claim: null, claimed_at: null }]);
    expect(await at.list()).toEqual([]);
  });

  it("stays in the dead-letter queue while its own takes nothing, and never becomes a dead job there", async () => {
    const sendBatch = async () => Promise.reject(new Error("Queue sendBatch failed"));
    world.deps = { ...world.deps, messages: { sendBatch } as unknown as typeof world.deps.messages };
    const body = { kind: "receipts", carrier: "sandbox", receipts: [] };
    const batch = [
      { ...release, attempts: 90 },
      { id: "b", body, attempts: 90 },
    ];
    expect(await at.deliver(DEAD, batch)).toEqual({ a: 60, b: null });
    expect(world.receipts.map((job) => job.body)).toEqual([body]);
    expect(await at.list()).toEqual([]);
  });
});

describe("a job whose store is away", () => {
  it.each(["deliver", "release"])("does not die, even where the store is back a moment later: %s", async (kind) => {
    const messageId = await at.send();
    const body = kind === "deliver" ? deliverJob(messageId) : { kind, claim: "c", messageIds: [messageId] };
    const { deps } = world;
    for (let attempts = JOB_TRIES; attempts < JOB_TRIES + 3; attempts++) {
      world.deps = { ...deps, db: failingDatabase(deps.db, STORE_TRIES) };
      expect(await at.deliver(MESSAGES, [{ id: "a", body, attempts }])).toEqual({ a: expect.any(Number) });
    }
    world.deps = deps;
    expect(await at.list()).toEqual([]);
    expect(await at.deliver(MESSAGES, [{ id: "a", body, attempts: JOB_TRIES + 3 }])).toEqual({ a: null });
    expect(submitted).toEqual(kind === "deliver" ? [messageId] : []);
  });
});
