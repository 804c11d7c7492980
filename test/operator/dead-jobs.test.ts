import { beforeEach, describe, expect, it } from "vitest";
import { keepDeadJobs } from "../../src/flows/operations/dead-jobs.ts";
import { DEAD, DeadJobsStage, deliverJob, MESSAGES } from "../dead-jobs.ts";
import type { World } from "../world.ts";

let at: DeadJobsStage;
let world: World;
let submitted: string[];

beforeEach(async () => {
  at = await DeadJobsStage.begin();
  ({ world, submitted } = at);
});

const putBack = async (id?: string) => {
  const answer = await world.operator("POST", `/dead-jobs${id === undefined ? "" : `/${id}`}/put-back`);
  return [answer.status, await answer.json()];
};

describe("the operator", () => {
  const keep = async (id: string, body: unknown) => {
    await world.invoke("queue", () => keepDeadJobs(world.deps, MESSAGES, [{ id, body }]));
    world.advance(1);
  };

  it("sees them, the latest first, a hundred at a time", async () => {
    const batch = Array.from({ length: 150 }, (_, index) => ({ id: `j${1000 + index}`, body: deliverJob("m") }));
    await at.deliver(DEAD, batch);
    const first = await at.list();
    const rest = await at.list(`?before=${first.at(-1)?.id}`);
    expect([first.length, rest.length]).toEqual([100, 50]);
    expect(new Set([...first, ...rest].map(({ id }) => id)).size).toBe(150);
    expect(await (await world.operator("GET", "/health")).json()).toMatchObject({
      deadJobs: { count: 150, oldestSeconds: 0 },
      problems: expect.arrayContaining(["dead-jobs"]),
    });
  });

  it("puts one back, twice: what it was about is done once", async () => {
    const messageId = await at.send();
    await keep("a", deliverJob(messageId));
    expect(await putBack("a")).toEqual([200, { putBack: 1, unreadable: 0 }]);
    expect(await putBack("a")).toEqual([200, { putBack: 1, unreadable: 0 }]);
    expect(world.jobs.map(({ body }) => body)).toEqual([deliverJob(messageId), deliverJob(messageId)]);
    await world.runQueues();
    expect(submitted).toEqual([messageId]);
    expect(await world.statusOf(messageId)).toBe("SENDING");
    expect(await at.list()).toMatchObject([{ id: "a", putBackAt: "2026-11-21T12:00:01.000Z" }]);
    expect(await (await world.operator("GET", "/health")).json()).toMatchObject({ deadJobs: { count: 0 } });
  });

  it("puts back each kind, long after: it changes only what its claim still allows", async () => {
    const messageId = await at.send();
    const record = { messageId, status: null, reason: "busy", carrierMessageId: null, retryAt: 1, optedOut: false };
    const jobs = [
      { kind: "cancel", messageIds: [messageId] },
      { kind: "release", claim: "of another run", messageIds: [messageId] },
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
    await at.deliver(
      DEAD,
      Array.from({ length: 120 }, (_, index) => ({ id: `j${index}`, body: deliverJob("m") })),
    );
    expect(await putBack()).toEqual([200, { putBack: 100, unreadable: 0, left: 20 }]);
    expect(await putBack()).toEqual([200, { putBack: 20, unreadable: 0, left: 0 }]);
    expect(await putBack()).toEqual([200, { putBack: 0, unreadable: 0, left: 0 }]);
    expect(world.jobs).toHaveLength(120);
  });

  it("puts back as many as expected, or none", async () => {
    await keep("a", deliverJob("m"));
    await keep("b", deliverJob("m"));
    const press = async (expected: number) => {
      const answer = await world.operator("POST", "/dead-jobs/put-back", { expected });
      return [answer.status, await answer.json()];
    };
    expect(await press(1)).toMatchObject([409, { code: 40903, details: [{ count: 2 }] }]);
    expect(world.jobs).toEqual([]);
    expect(await world.rows("SELECT action FROM audit_log WHERE action = 'put-back'")).toEqual([]);
    expect(await press(2)).toEqual([200, { putBack: 2, unreadable: 0, left: 0 }]);
    expect(world.jobs).toHaveLength(2);
  });

  it("sees a job that fails again as another", async () => {
    await keep("a", deliverJob("m"));
    await putBack("a");
    expect(world.jobs).toHaveLength(1);
    await at.deliver(DEAD, [{ id: "b", body: world.jobs[0]?.body }]);
    expect(await at.list()).toMatchObject([
      { id: "b", putBackAt: null },
      { id: "a", putBackAt: expect.any(String) },
    ]);
  });

  it.each([{ kind: "fly" }, { kind: "deliver" }, "words", null])(
    "ends a job that cannot be read, which would only die again: %j",
    async (body) => {
      await keep("a", body);
      await keep("b", deliverJob("m"));
      expect(await putBack("a")).toEqual([200, { putBack: 0, unreadable: 1 }]);
      expect(world.jobs).toEqual([]);
      expect(await at.list()).toMatchObject([
        { id: "b", putBackAt: null },
        { id: "a", body, putBackAt: expect.any(String) },
      ]);
      await keep("c", body);
      expect(await putBack()).toEqual([200, { putBack: 1, unreadable: 1, left: 0 }]);
      expect(world.jobs.map(({ body }) => body)).toEqual([deliverJob("m")]);
      expect(await (await world.operator("GET", "/health")).json()).toMatchObject({ deadJobs: { count: 0 } });
    },
  );

  it("is told when the queue does not take it, and may press again", async () => {
    await keep("a", deliverJob("m"));
    const { messages } = world.deps;
    const send = () => Promise.reject(new Error("queue is down"));
    world.deps = { ...world.deps, messages: { ...messages, send } as unknown as typeof messages };
    expect((await putBack("a"))[0]).toBe(503);
    expect(await at.list()).toMatchObject([{ putBackAt: null }]);
    world.deps = { ...world.deps, messages };
    expect(await putBack()).toEqual([200, { putBack: 1, unreadable: 0, left: 0 }]);
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
    expect(await at.list()).toHaveLength(1);
    world.advance(2);
    await world.sweep();
    expect(await at.list()).toEqual([]);
  });
});
