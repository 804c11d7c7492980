/** Messages with a time: kept, made messages shortly before, never early, and cancelled by whoever is first. */
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeEach, describe, expect, inject, it } from "vitest";
import type { OutboundMessage, Submission } from "../../../src/carriers/carrier.ts";
import { recoverySeconds } from "../../../src/domain/messages/retry-policy.ts";
import { cancelUnconfirmed } from "../../../src/store/messages/cancelled-messages.ts";
import { KEPT_JOBS_A_SWEEP, keepJob } from "../../../src/store/messages/kept-jobs.ts";
import { failingDatabase } from "../../failing-database.ts";
import { ACCEPTED, ToldCarrier } from "../../told-carrier.ts";
import { SEND, type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";
const BOB = "+12125550101";
const STOPPED = "+12125550199";
const MINUTE = 60;
const HOUR = 3600;

let world: World;
let client: TestClient;
let carrier: ToldCarrier;
/** What the carrier got. */
let sent: OutboundMessage[];
let answer: Submission;

async function begin(): Promise<void> {
  world = await World.create();
  client = await world.brand([`${ADA},ada@example.com`, BOB, `${STOPPED},,false`]);
  carrier = new ToldCarrier(world);
  sent = [];
  answer = ACCEPTED;
  carrier.answer = (message) => {
    sent.push(message);
    return answer;
  };
}

beforeEach(begin);

const inSeconds = (seconds: number) => new Date(world.now + seconds * 1000).toISOString();

async function schedule(seconds: number, fields: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
  const body = { ...SEND, phone: ADA, sendAt: inSeconds(seconds), ...fields };
  const answer = await world.post("/text/message/send", client, body, headers);
  return {
    status: answer.status,
    ...(await answer.json<{ messageId: string; scheduledFor?: string; code?: number }>()),
  };
}

const kept = () => world.rows("SELECT message_id, phone, send_at FROM scheduled_messages ORDER BY send_at");
const stored = () =>
  world.rows("SELECT message_id, status, reason_code, accepted_at, requested_at, send_at FROM messages");
const statusOf = async (messageId: string) =>
  (
    await world.fetch(`/text/message/status?messageId=${messageId}`, {
      headers: { "x-client-id": client.clientId, "x-client-secret": client.clientSecret },
    })
  ).json<{ status: string; reason: string | null }>();

async function cancel(ids: string[], of = client) {
  const answer = await world.post("/text/message/cancel", of, { messageIds: ids });
  return answer.json<{ cancelled: string[]; notCancelled: { messageId: string; status: string | null }[] }>();
}

/** The last minutes of a time that passes are swept as a service sweeps. */
const SWEPT_EACH_MINUTE = 15 * MINUTE * 1000;

/** Lets time pass, with a sweep and the jobs that are due after each step: a minute, and a quarter of an hour as long as the end is far. */
async function passUntil(time: number): Promise<void> {
  while (world.now < time) {
    const step = world.now < time - SWEPT_EACH_MINUTE ? SWEPT_EACH_MINUTE : MINUTE * 1000;
    world.now = Math.min(time, world.now + step);
    await world.sweep();
    await world.runQueues();
  }
}

describe("a message with a time that is far ahead", () => {
  it("is kept and answered, and no message yet: nothing of it is queued, counted or sent", async () => {
    const sendAt = world.now + 2 * HOUR * 1000;
    const { messageId, scheduledFor } = await schedule(2 * HOUR);
    expect(scheduledFor).toBe(new Date(sendAt).toISOString());
    expect(await kept()).toEqual([{ message_id: messageId, phone: 12125550100, send_at: sendAt }]);
    expect([await stored(), world.jobs, world.callbacks]).toEqual([[], [], []]);
    expect(await statusOf(messageId)).toMatchObject({ status: "PENDING_TO_SEND", reason: null });
    const counted = "accepted + pending + sending + delivered + undelivered + failed + not_sent > 0";
    expect(await world.rows(`SELECT * FROM traffic_counts WHERE ${counted}`)).toEqual([]);
    await passUntil(sendAt - 8 * MINUTE * 1000);
    expect(await stored()).toEqual([]);
  });

  it("becomes a message seven minutes before, goes at its time, and is reported", async () => {
    const requestedAt = world.now;
    const sendAt = world.now + 2 * HOUR * 1000;
    const { messageId } = await schedule(2 * HOUR, { clickUrl: "https://example.com/sale" });
    await passUntil(sendAt - 7 * MINUTE * 1000);
    expect(await kept()).toEqual([]);
    expect(await stored()).toMatchObject([
      {
        message_id: messageId,
        status: "PENDING_TO_SEND",
        accepted_at: world.now,
        requested_at: requestedAt,
        send_at: sendAt,
      },
    ]);
    expect(await world.rows("SELECT message_id FROM links")).toEqual([{ message_id: messageId }]);
    expect(world.jobs).toEqual([{ body: { kind: "deliver", messageIds: [messageId] }, at: sendAt }]);
    world.now = sendAt - 1;
    await world.deliver("textgate-bulk", [{ kind: "deliver", messageIds: [messageId] }]);
    expect(sent).toEqual([]);
    world.now = sendAt;
    await world.runQueues();
    expect(sent).toHaveLength(1);
    expect(await statusOf(messageId)).toMatchObject({ status: "SENDING" });
  });

  it("ends at once where it would end at once without a time, and has none in its answer", async () => {
    const answers = [];
    for (const fields of [{ phone: STOPPED }, { phone: "+12125550177" }, { phone: "", email: "nobody@example.com" }])
      answers.push(await schedule(2 * HOUR, fields));
    expect(answers.map(({ scheduledFor }) => scheduledFor)).toEqual([undefined, undefined, undefined]);
    expect(await kept()).toEqual([]);
    expect((await stored()).map(({ status }) => status).sort()).toEqual([
      "FAILED_TO_MATCH",
      "NOT_FOUND",
      "NOT_SUBSCRIBED",
    ]);
    expect(world.callbacks).toHaveLength(3);
  });

  it.each([
    ["before it becomes a message", -10 * MINUTE],
    ["after", -1 * MINUTE],
  ])("is not sent to a person who stops %s, and its client is told", async (_, seconds) => {
    const sendAt = world.now + HOUR * 1000;
    const { messageId } = await schedule(HOUR);
    await passUntil(sendAt + seconds * 1000);
    await world.subscribers("brand", [`${ADA},,false`]);
    await passUntil(sendAt + 5 * MINUTE * 1000);
    expect(sent).toEqual([]);
    expect(await statusOf(messageId)).toMatchObject({ status: "NOT_SUBSCRIBED" });
    expect((await world.events(client)).map(({ status }) => status)).toEqual(["NOT_SUBSCRIBED"]);
  });

  it("goes to the number that its address has when it goes", async () => {
    const { messageId } = await schedule(HOUR, { phone: "", email: "ada@example.com" });
    await world.subscribers("brand", [`${BOB},ada@example.com`]);
    await passUntil(world.now + HOUR * 1000);
    expect(sent.map(({ to }) => to)).toEqual([BOB]);
    expect(await statusOf(messageId)).toMatchObject({ status: "SENDING" });
  });

  it("is stored once, however often the transaction that releases it runs", async () => {
    const { messageId } = await schedule(HOUR);
    await passUntil(world.now + (HOUR - 4 * MINUTE) * 1000);
    const { deps } = world;
    world.deps = { ...deps, db: failingDatabase(deps.db, 1, "after", undefined, "batches") };
    world.advance(MINUTE);
    await world.sweep();
    world.deps = deps;
    await passUntil(world.now + 10 * MINUTE * 1000);
    expect(sent.map(({ messageId: id }) => id)).toEqual([messageId]);
    expect(
      (await world.rows("SELECT sum(accepted) AS count FROM traffic_counts WHERE website_id = '' AND span = 'day'"))[0],
    ).toEqual({
      count: 1,
    });
  });
});

describe("a message with a time within the next seven minutes", () => {
  it("is a message at once, and goes at its time, even if a job comes before", async () => {
    const sendAt = world.now + 6 * MINUTE * 1000;
    const { messageId, scheduledFor } = await schedule(6 * MINUTE);
    expect(scheduledFor).toBe(new Date(sendAt).toISOString());
    expect(await kept()).toEqual([]);
    expect(world.jobs.map(({ at }) => at)).toEqual([sendAt]);
    await world.deliver("textgate-messages", [{ kind: "deliver", messageIds: [messageId] }]);
    await world.sweep();
    expect(sent).toEqual([]);
    world.now = sendAt;
    await world.runQueues();
    expect(sent).toHaveLength(1);
  });

  it("goes at once if its time is up to five minutes past", async () => {
    const { scheduledFor } = await schedule(-5 * MINUTE);
    expect(scheduledFor).toBeUndefined();
    await world.runQueues();
    expect(sent).toHaveLength(1);
  });

  it.each([
    ["a time that is past", { sendAt: -5 * MINUTE - 1 }, "sendAt: must not be more than 5 minutes in the past"],
    ["a time too far ahead", { sendAt: 35 * 24 * HOUR + 1 }, "sendAt: must be at most 35 days ahead"],
    ["an end before its time", { sendAt: HOUR, expireAt: HOUR }, "expireAt: must be later than sendAt"],
    ["an end that is past", { sendAt: -10, expireAt: 0 }, "expireAt: must be later than now"],
    [
      "an end too far ahead",
      { sendAt: HOUR, expireAt: 7 * 24 * HOUR + HOUR + 1 },
      "expireAt: must be at most 7 days after sendAt",
    ],
  ])("is refused with %s", async (_, times, fault) => {
    const fields = Object.fromEntries(Object.entries(times).map(([name, seconds]) => [name, inSeconds(seconds)]));
    const answer = await world.post("/text/message/send", client, { ...SEND, phone: ADA, ...fields });
    const { code, details } = await answer.json<{ code: number; details: { field: string; message: string }[] }>();
    expect([code, details.map(({ field, message }) => `${field}: ${message}`)]).toEqual([40001, [fault]]);
  });
});

describe("a message that expires", () => {
  it("is not submitted from then on, and ends as EXPIRED", async () => {
    answer = { kind: "later", failing: false, reason: "busy" };
    const { messageId } = await schedule(HOUR, { expireAt: inSeconds(HOUR + 30 * MINUTE) });
    const expiresAt = world.now + (HOUR + 30 * MINUTE) * 1000;
    await passUntil(expiresAt - 1);
    const tries = sent.length;
    expect(tries).toBeGreaterThan(1);
    answer = { kind: "accepted", carrierMessageId: "late" };
    await passUntil(expiresAt + 5 * MINUTE * 1000);
    expect(sent).toHaveLength(tries);
    expect(await statusOf(messageId)).toMatchObject({ status: "FAILED_TO_SEND", reason: "EXPIRED" });
    expect((await world.events(client)).map(({ status }) => status)).toEqual(["FAILED_TO_SEND"]);
  });

  it("may wait for longer than any other", async () => {
    answer = { kind: "later", failing: true, reason: "away" };
    const messageId = await world.send(client, { phone: ADA, expireAt: inSeconds(24 * HOUR) });
    await passUntil(world.now + 6 * HOUR * 1000);
    expect(await statusOf(messageId)).toMatchObject({ status: "PENDING_TO_SEND" });
    answer = { kind: "accepted", carrierMessageId: "at last" };
    await passUntil(world.now + HOUR * 1000);
    expect(await statusOf(messageId)).toMatchObject({ status: "SENDING" });
  });
});

describe("a request with a time that is repeated", () => {
  it("under its key gets the same answer, even when its time is past", async () => {
    const body = { ...SEND, phone: ADA, sendAt: inSeconds(HOUR) };
    const send = (headers: Record<string, string>, fields = {}) =>
      world.post("/text/message/send", client, { ...body, ...fields }, headers);
    const key = { "idempotency-key": "reminder-1" };
    const first = await (await send(key)).json();
    expect(first).toMatchObject({ scheduledFor: body.sendAt });
    expect(await (await send(key)).json()).toEqual(first);
    await passUntil(Date.parse(body.sendAt) + 10 * MINUTE * 1000);
    const late = await send(key);
    expect([late.status, await late.json()]).toEqual([200, { messageId: (first as { messageId: string }).messageId }]);
    expect((await send(key, { text: "another" })).status).toBe(409);
    expect((await send({ "idempotency-key": "reminder-2" })).status).toBe(400);
    expect((await send({})).status).toBe(400);
    world.advance(24 * HOUR);
    expect((await send(key)).status).toBe(400);
    expect(sent).toHaveLength(1);
  });

  it("in bulk gets the same answer under its key, even when its time is past", async () => {
    const sendAt = inSeconds(HOUR);
    const messages = [
      { ...SEND, phone: ADA, sendAt },
      { ...SEND, phone: STOPPED, sendAt },
      { ...SEND, phone: BOB },
    ];
    const send = async () => {
      const headers = { "idempotency-key": "campaign-1" };
      const answer = await world.post("/text/bulk/message/send", client, { messages }, headers);
      return answer.json<{ successSent: { messageId: string; scheduledFor?: string }[]; failedSent: unknown[] }>();
    };
    const first = await send();
    expect(first.successSent.map(({ scheduledFor }) => scheduledFor)).toEqual([sendAt, undefined, undefined]);
    expect(await send()).toEqual(first);
    await passUntil(Date.parse(sendAt) + 10 * MINUTE * 1000);
    const late = await send();
    expect(late.successSent.map(({ messageId }) => messageId)).toEqual(
      first.successSent.map(({ messageId }) => messageId),
    );
    expect(late.failedSent).toEqual([]);
    expect(sent.map(({ to }) => to).sort()).toEqual([ADA, BOB]);
  });

  it("with the same content and time is a duplicate of what is kept, and with another time is none", async () => {
    await world.website("brand", { duplicateWindowHours: 24 });
    const first = await schedule(HOUR);
    expect(await schedule(HOUR)).toEqual(first);
    expect(await kept()).toHaveLength(1);
    const other = await schedule(2 * HOUR);
    expect(other.messageId).not.toBe(first.messageId);
    expect(await kept()).toHaveLength(2);
  });
});

describe("a client that cancels", () => {
  it("ends what is kept and what waits, leaves what is begun or final, and knows nothing of others", async () => {
    const other = await world.brand([ADA], "other");
    const foreign = await world.send(other, { phone: ADA });
    const far = (await schedule(2 * HOUR)).messageId;
    const near = (await schedule(2 * MINUTE)).messageId;
    const begun = await world.send(client, { phone: BOB });
    await world.runQueues();
    const unknown = "00000000-0000-7000-8000-000000000000";
    const answer = await cancel([far, near, begun, foreign, unknown, far]);
    expect(answer).toEqual({
      cancelled: [far, near],
      notCancelled: [
        { messageId: begun, status: "SENDING" },
        { messageId: foreign, status: null },
        { messageId: unknown, status: null },
      ],
    });
    expect(await cancel([far, near, begun, foreign, unknown])).toEqual(answer);
    await passUntil(world.now + 3 * HOUR * 1000);
    expect(sent.map(({ messageId }) => messageId).sort()).toEqual([foreign, begun].sort());
    for (const id of [far, near])
      expect(await statusOf(id)).toMatchObject({ status: "FAILED_TO_SEND", reason: "CANCELLED" });
    const told = (await world.events(client)).filter(({ status }) => status === "FAILED_TO_SEND");
    expect(told.map(({ messageId }) => messageId).sort()).toEqual([far, near].sort());
  });

  /** 25 messages, which are cancelled while another actor works. Each is sent, or is in the answer, and its client hears of it once. */
  async function race(turn: number, fields: Record<string, unknown>, other: () => Promise<unknown>): Promise<void> {
    const messages = Array.from({ length: 25 }, (_, index) => ({
      ...SEND,
      phone: ADA,
      text: `${turn} ${index}`,
      ...fields,
    }));
    const answer = await world.post("/text/bulk/message/send", client, { messages });
    const { successSent } = await answer.json<{ successSent: { messageId: string }[] }>();
    const ids = successSent.map(({ messageId }) => messageId);
    if (fields.sendAt) world.now = Date.parse(String(fields.sendAt)) - 3 * MINUTE * 1000;
    const runs = [() => cancel(ids), other];
    if (turn % 2 === 1) runs.reverse();
    const ends = await Promise.all(runs.map((run) => run()));
    const { cancelled } = ends[turn % 2] as Awaited<ReturnType<typeof cancel>>;
    world.advance(3 * MINUTE);
    await world.runQueues();
    const submitted = new Set(sent.map(({ messageId }) => messageId));
    expect(ids.filter((id) => !submitted.has(id))).toEqual(cancelled);
    const events = Map.groupBy(await world.events(client), ({ messageId }) => messageId);
    const told = ids.map((id) => events.get(id)?.map(({ status }) => status));
    expect(told).toEqual(ids.map((id) => [submitted.has(id) ? "SENDING" : "FAILED_TO_SEND"]));
    sent.length = 0;
    await world.rows("DELETE FROM events");
  }

  it("races the run that submits, 500 times: one wins, the answer names it, and the client hears of it once", async () => {
    for (let turn = 0; turn < 20; turn++)
      await race(turn, {}, () =>
        world.deliver(
          "textgate-messages",
          world.jobs.splice(0).map(({ body }) => body),
        ),
      );
  });

  it("races the sweep that releases, 500 times: the same", async () => {
    for (let turn = 0; turn < 20; turn++) await race(turn, { sendAt: inSeconds(HOUR) }, () => world.sweep());
  });

  it.each([
    [{}, "messageId"],
    [{ messageId: "a", messageIds: ["a"] }, "messageId"],
    [{ messageIds: [] }, "messageIds"],
    [{ messageIds: Array.from({ length: 1001 }, () => "a") }, "messageIds"],
    [{ messageIds: [5] }, "messageIds[0]"],
    [{ messageId: 5 }, "messageId"],
  ])("is told what is wrong with %j", async (body, field) => {
    const answer = await world.post("/text/message/cancel", client, body);
    expect([answer.status, (await answer.json<{ details: { field: string }[] }>()).details[0]?.field]).toEqual([
      400,
      field,
    ]);
  });
});

describe("an operator", () => {
  it("counts and cancels what is scheduled with what waits, by purpose", async () => {
    await schedule(HOUR, { sendPurpose: "spring" });
    await schedule(HOUR, { sendPurpose: "other", phone: BOB });
    await world.send(client, { phone: ADA, sendPurpose: "spring" });
    const call = async (body: unknown) => (await world.operator("POST", "/websites/brand/cancel", body)).json();
    expect(await call({ sendPurpose: "spring", dryRun: true })).toEqual({ cancelled: 2 });
    expect(await call({ sendPurpose: "spring", expected: 1 })).toMatchObject({ code: 40903 });
    expect(await call({ sendPurpose: "spring", expected: 2 })).toEqual({ cancelled: 2 });
    expect(await kept()).toHaveLength(1);
    await passUntil(world.now + 2 * HOUR * 1000);
    expect(sent.map(({ to }) => to)).toEqual([BOB]);
  });

  it("cancels one, and sees it with its time", async () => {
    const { messageId, scheduledFor } = await schedule(HOUR);
    const read = async () => (await world.operator("GET", `/messages/${messageId}`)).json();
    expect(await read()).toMatchObject({
      scheduledFor,
      waits: { until: scheduledFor, because: "its sendAt" },
      endsAt: inSeconds(5 * HOUR),
      phone: ADA,
    });
    expect((await world.operator("POST", `/messages/${messageId}/cancel`)).status).toBe(200);
    expect(await read()).toMatchObject({ status: "FAILED_TO_SEND", reason: "CANCELLED", scheduledFor });
    expect(await kept()).toEqual([]);
  });

  it("holds it: it waits beyond its time, and goes once it is released", async () => {
    const { messageId } = await schedule(HOUR);
    await world.operator("POST", "/websites/brand/hold", {});
    await passUntil(world.now + (HOUR + 10 * MINUTE) * 1000);
    expect(sent).toEqual([]);
    await world.operator("POST", "/websites/brand/release", {});
    await passUntil(world.now + MINUTE * 1000);
    expect(sent.map(({ messageId: id }) => id)).toEqual([messageId]);
  });

  it("exports it with the person, and erases it: nothing is sent", async () => {
    const { messageId } = await schedule(HOUR);
    const person = await (
      await world.operator("GET", `/websites/brand/people/${encodeURIComponent(ADA)}/export`)
    ).text();
    expect(person).toContain(messageId);
    await world.operator("DELETE", `/websites/brand/people/${encodeURIComponent(ADA)}`);
    expect(await kept()).toEqual([]);
    await passUntil(world.now + 2 * HOUR * 1000);
    expect(sent).toEqual([]);
  });

  it("is not erased again by a release that began before", async () => {
    await schedule(HOUR);
    world.advance(HOUR - MINUTE);
    const { deps } = world;
    let isFirst = true;
    const db = {
      prepare: (query: string) => deps.db.prepare(query),
      batch: async (statements: D1PreparedStatement[]) => {
        if (isFirst) {
          isFirst = false;
          await env.DB.prepare("DELETE FROM scheduled_messages").run();
        }
        return deps.db.batch(statements);
      },
    } as unknown as D1Database;
    world.deps = { ...deps, db };
    await world.sweep();
    world.deps = deps;
    expect(await stored()).toEqual([]);
  });
});

describe("a request that is kept, whose client was told that it is not", () => {
  it("is taken back, and a late transaction keeps nothing", async () => {
    const { messageId } = await schedule(HOUR);
    await world.invoke("queue", () => cancelUnconfirmed(world.deps.db, [messageId], world.now));
    expect(await kept()).toEqual([]);
    await passUntil(world.now + 2 * HOUR * 1000);
    expect(sent).toEqual([]);
  });

  it.each([4, 8, 12])(
    "%i minutes ahead does not go before the cancellation, whenever the store comes back",
    async (minutes) => {
      for (let awaySeconds = 30; awaySeconds < minutes * MINUTE + 120; awaySeconds += 110) {
        await begin();
        // The transaction took effect, and its answer was lost, as was that of each further try.
        const { deps } = world;
        world.deps = { ...deps, db: failingDatabase(deps.db, 100, "after") };
        const { status } = await schedule(minutes * MINUTE);
        expect(status).toBe(503);
        world.deps = deps;
        const askedAt = world.now;
        const backAt = askedAt + awaySeconds * 1000;
        // Each try while the store is away is followed by a pause, as the queue has it.
        const [job] = world.jobs.splice(0);
        let triedAt = askedAt;
        for (let attempts = 1; triedAt < backAt; attempts++) triedAt += recoverySeconds(attempts) * 1000;
        world.jobs.push({ body: (job as (typeof world.jobs)[number]).body, at: triedAt });
        for (world.now = backAt; world.now < askedAt + (minutes * MINUTE + 900) * 1000; world.now += 30_000) {
          if (world.now % 60_000 === 0) await world.sweep();
          await world.runQueues();
        }
        expect([awaySeconds, sent.length]).toEqual([awaySeconds, 0]);
      }
    },
  );

  it("is not released before all that KV keeps is queued, however much that is", async () => {
    const ids = await scheduleAll(new Array(KEPT_JOBS_A_SWEEP + 30).fill(10 * MINUTE));
    for (const [index, id] of ids.entries()) {
      const name = `${world.now}:${String(index).padStart(4, "0")}`;
      await keepJob(world.deps.kv, name, { job: { kind: "cancel", messageIds: [id] }, dueAt: world.now });
    }
    // The queue was away until their time.
    world.advance(11 * MINUTE);
    await world.sweep();
    expect(world.jobs.filter(({ body }) => body.kind !== "cancel")).toEqual([]);
    await passUntil(world.now + HOUR * 1000);
    expect(sent).toEqual([]);
    expect(await stored()).toEqual([]);
  });

  it("stays if its id was returned for a duplicate since", async () => {
    await world.website("brand", { duplicateWindowHours: 24 });
    const { messageId } = await schedule(HOUR);
    await schedule(HOUR);
    await world.invoke("queue", () => cancelUnconfirmed(world.deps.db, [messageId], world.now));
    await passUntil(world.now + HOUR * 1000);
    expect(sent.map(({ messageId: id }) => id)).toEqual([messageId]);
  });
});

/** The long form has 100,000 texts. */
const isLong = inject("faultSeeds") > 1;
const TEXTS_A_RUN = isLong ? { minLength: 500, maxLength: 900, size: "max" as const } : { minLength: 1, maxLength: 6 };
const RUNS = isLong ? 200 : 5;

/** In one request. They outlive every jump of the clock. @returns their ids */
async function scheduleAll(seconds: number[]): Promise<string[]> {
  const messages = seconds.map((after, index) => ({
    ...SEND,
    phone: ADA,
    text: `Text ${index}`,
    sendAt: inSeconds(after),
    expireAt: inSeconds(Math.max(after, 0) + 48 * HOUR),
  }));
  const answer = await world.post("/text/bulk/message/send", client, { messages });
  const { successSent } = await answer.json<{ successSent: { messageId: string }[] }>();
  return successSent.map(({ messageId }) => messageId);
}

describe("no text", () => {
  it("goes early or twice, whatever the times, the clock, the sweeps and the faults; and all go", async () => {
    const times = fc.array(fc.integer({ min: -4 * MINUTE, max: 3 * HOUR }), TEXTS_A_RUN);
    const step = fc.record({
      seconds: fc.oneof(
        { weight: 4, arbitrary: fc.integer({ min: 1, max: 20 * MINUTE }) },
        { weight: 1, arbitrary: fc.constantFrom(-HOUR, HOUR) },
      ),
      fault: fc.constantFrom(null, "before", "after"),
      sweeps: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(times, fc.array(step, { maxLength: 12 }), async (given, steps) => {
        await begin();
        const start = world.now;
        const due = new Map<string, number>();
        for (const [index, messageId] of (await scheduleAll(given)).entries())
          due.set(messageId, start + Number(given[index]) * 1000);
        const { deps } = world;
        const submitAt = new Map<string, number>();
        const note = () => {
          for (const { messageId } of sent.slice(submitAt.size)) {
            expect(submitAt.has(messageId)).toBe(false);
            submitAt.set(messageId, world.now);
            expect(world.now).toBeGreaterThanOrEqual(due.get(messageId) as number);
          }
        };
        for (const { seconds, fault, sweeps } of steps) {
          world.advance(seconds);
          world.deps = fault ? { ...deps, db: failingDatabase(deps.db, 1, fault) } : deps;
          if (sweeps) await world.sweep();
          world.deps = deps;
          await world.runQueues();
          note();
        }
        await passUntil(Math.max(world.now, start + 3 * HOUR * 1000) + 2 * HOUR * 1000);
        note();
        expect([...submitAt.keys()].sort()).toEqual([...due.keys()].sort());
      }),
      { numRuns: RUNS },
    );
  });
});
