/** Messages with a time: stored, queued shortly before, never early, and cancelled by whoever is first. */
import { beforeEach, describe, expect, it } from "vitest";
import type { OutboundMessage } from "../../../src/carriers/carrier.ts";
import { cancelUnconfirmed } from "../../../src/store/messages/cancelled-messages.ts";
import { countsOf } from "../../counted.ts";
import { failingDatabase } from "../../failing-database.ts";
import { SEND, type TestClient, type World } from "../../world.ts";
import {
  ADA,
  BOB,
  expectAllGo,
  expectTakenBack,
  HOUR,
  MINUTE,
  race,
  ScheduledStage,
  STOPPED,
  type Step,
  submitAll,
} from "./scheduled-stage.ts";

let at: ScheduledStage;
let world: World;
let client: TestClient;

/** What the carrier got. */
let sent: OutboundMessage[];

beforeEach(async () => {
  at = await ScheduledStage.begin();
  ({ world, client, sent } = at);
});

describe("a message with a time that is far ahead", () => {
  it("is stored, answered and counted, and nothing of it is queued or sent", async () => {
    const sendAt = world.now + 2 * HOUR * 1000;
    const { messageId, scheduledFor } = await at.schedule(2 * HOUR);
    expect(scheduledFor).toBe(new Date(sendAt).toISOString());
    const scheduled = [{ message_id: messageId, phone: 12125550100, send_at: sendAt }];
    expect([await at.scheduled(), world.jobs, world.callbacks]).toEqual([scheduled, [], []]);
    expect(await at.statusOf(messageId)).toMatchObject({ status: "PENDING_TO_SEND", reason: null });
    expect((await countsOf(world)).accepted).toBe(1);
    await at.passUntil(sendAt - 8 * MINUTE * 1000);
    expect([await at.scheduled(), world.jobs]).toEqual([scheduled, []]);
  });

  it("gets its job seven minutes before, and goes at its time", async () => {
    const acceptedAt = world.now;
    const sendAt = world.now + 2 * HOUR * 1000;
    const { messageId } = await at.schedule(2 * HOUR, { clickUrl: "https://example.com/sale" });
    await at.passUntil(sendAt - 7 * MINUTE * 1000);
    expect(await at.stored()).toMatchObject([
      {
        message_id: messageId,
        status: "PENDING_TO_SEND",
        accepted_at: acceptedAt,
        due_at: sendAt,
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
    expect(await at.statusOf(messageId)).toMatchObject({ status: "SENDING" });
  });

  it("ends at once where it would end at once without a time, and has none in its answer", async () => {
    const answers = [];
    for (const fields of [{ phone: STOPPED }, { phone: "+12125550177" }, { phone: "", email: "nobody@example.com" }])
      answers.push(await at.schedule(2 * HOUR, fields));
    expect(answers.map(({ scheduledFor }) => scheduledFor)).toEqual([undefined, undefined, undefined]);
    expect(await at.scheduled()).toEqual([]);
    expect((await at.stored()).map(({ status }) => status).sort()).toEqual([
      "FAILED_TO_MATCH",
      "NOT_FOUND",
      "NOT_SUBSCRIBED",
    ]);
    expect(world.callbacks).toHaveLength(3);
  });

  it.each([
    ["before it has its job", -10 * MINUTE],
    ["after", -1 * MINUTE],
  ])("is not sent to a person who stops %s, and its client is told", async (_, seconds) => {
    const sendAt = world.now + HOUR * 1000;
    const { messageId } = await at.schedule(HOUR);
    await at.passUntil(sendAt + seconds * 1000);
    await world.subscribers("brand", [`${ADA},,false`]);
    await at.passUntil(sendAt + 5 * MINUTE * 1000);
    expect(sent).toEqual([]);
    expect(await at.statusOf(messageId)).toMatchObject({ status: "NOT_SUBSCRIBED" });
    expect((await world.events(client)).map(({ status }) => status)).toEqual(["NOT_SUBSCRIBED"]);
  });

  it("goes to the number that its address had when it was accepted", async () => {
    const { messageId } = await at.schedule(HOUR, { phone: "", email: "ada@example.com" });
    await world.subscribers("brand", [`${BOB},ada@example.com`]);
    await at.passUntil(world.now + HOUR * 1000);
    expect(sent.map(({ to }) => to)).toEqual([ADA]);
    expect(await at.statusOf(messageId)).toMatchObject({ status: "SENDING" });
  });

  it("goes once, however often the transaction that gives it its job runs", async () => {
    const { messageId } = await at.schedule(HOUR);
    await at.passUntil(world.now + (HOUR - 4 * MINUTE) * 1000);
    const { deps } = world;
    world.deps = { ...deps, db: failingDatabase(deps.db, 1, "after", undefined, "batches") };
    world.advance(MINUTE);
    await world.sweep();
    world.deps = deps;
    await at.passUntil(world.now + 10 * MINUTE * 1000);
    expect(sent.map(({ messageId: id }) => id)).toEqual([messageId]);
    expect((await countsOf(world)).accepted).toBe(1);
  });
});

describe("a message with a time within the next seven minutes", () => {
  it("is a message at once, and goes at its time, even if a job comes before", async () => {
    const sendAt = world.now + 6 * MINUTE * 1000;
    const { messageId, scheduledFor } = await at.schedule(6 * MINUTE);
    expect(scheduledFor).toBe(new Date(sendAt).toISOString());
    expect(await at.scheduled()).toEqual([]);
    expect(world.jobs.map(({ at }) => at)).toEqual([sendAt]);
    await world.deliver("textgate-messages", [{ kind: "deliver", messageIds: [messageId] }]);
    await world.sweep();
    expect(sent).toEqual([]);
    world.now = sendAt;
    await world.runQueues();
    expect(sent).toHaveLength(1);
  });

  it("goes at once if its time is up to five minutes past", async () => {
    const { scheduledFor } = await at.schedule(-5 * MINUTE);
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
    const fields = Object.fromEntries(Object.entries(times).map(([name, seconds]) => [name, at.inSeconds(seconds)]));
    const answer = await world.post("/text/message/send", client, { ...SEND, phone: ADA, ...fields });
    const { code, details } = await answer.json<{ code: number; details: { field: string; message: string }[] }>();
    expect([code, details.map(({ field, message }) => `${field}: ${message}`)]).toEqual([40001, [fault]]);
  });
});

describe("a request with a time that is repeated", () => {
  it("under its key gets the same answer, even when its time is past", async () => {
    const body = { ...SEND, phone: ADA, sendAt: at.inSeconds(HOUR) };
    const send = (headers: Record<string, string>, fields = {}) =>
      world.post("/text/message/send", client, { ...body, ...fields }, headers);
    const key = { "idempotency-key": "reminder-1" };
    const first = await (await send(key)).json();
    expect(first).toMatchObject({ scheduledFor: body.sendAt });
    expect(await (await send(key)).json()).toEqual(first);
    await at.passUntil(Date.parse(body.sendAt) + 10 * MINUTE * 1000);
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
    const sendAt = at.inSeconds(HOUR);
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
    await at.passUntil(Date.parse(sendAt) + 10 * MINUTE * 1000);
    const late = await send();
    expect(late.successSent.map(({ messageId }) => messageId)).toEqual(
      first.successSent.map(({ messageId }) => messageId),
    );
    expect(late.failedSent).toEqual([]);
    expect(sent.map(({ to }) => to).sort()).toEqual([ADA, BOB]);
  });

  it("with the same content and time is a duplicate of what is scheduled, and with another time is none", async () => {
    await world.website("brand", { duplicateWindowHours: 24 });
    const first = await at.schedule(HOUR);
    expect(await at.schedule(HOUR)).toEqual(first);
    expect(await at.scheduled()).toHaveLength(1);
    const other = await at.schedule(2 * HOUR);
    expect(other.messageId).not.toBe(first.messageId);
    expect(await at.scheduled()).toHaveLength(2);
  });
});

describe("a client that cancels", () => {
  it("ends what is scheduled and what waits, leaves what is begun or final, and knows nothing of others", async () => {
    const other = await world.brand([ADA], "other");
    const foreign = await world.send(other, { phone: ADA });
    const far = (await at.schedule(2 * HOUR)).messageId;
    const near = (await at.schedule(2 * MINUTE)).messageId;
    const begun = await world.send(client, { phone: BOB });
    await world.runQueues();
    const unknown = "00000000-0000-7000-8000-000000000000";
    const answer = await at.cancel([far, near, begun, foreign, unknown, far]);
    expect(answer).toEqual({
      cancelled: [far, near],
      notCancelled: [
        { messageId: begun, status: "SENDING" },
        { messageId: foreign, status: null },
        { messageId: unknown, status: null },
      ],
    });
    expect(await at.cancel([far, near, begun, foreign, unknown])).toEqual(answer);
    await at.passUntil(world.now + 3 * HOUR * 1000);
    expect(sent.map(({ messageId }) => messageId).sort()).toEqual([foreign, begun].sort());
    for (const id of [far, near])
      expect(await at.statusOf(id)).toMatchObject({ status: "FAILED_TO_SEND", reason: "CANCELLED" });
    const told = (await world.events(client)).filter(({ status }) => status === "FAILED_TO_SEND");
    expect(told.map(({ messageId }) => messageId).sort()).toEqual([far, near].sort());
  });

  it("races the run that submits: one wins, the answer names it, and the client hears of it once", async () => {
    for (const turn of [0, 1]) await race(at, turn, {}, () => submitAll(at));
  });

  it("races the sweep that queues: the same", async () => {
    for (const turn of [0, 1]) await race(at, turn, { sendAt: at.inSeconds(HOUR) }, () => world.sweep());
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

describe("a scheduled message whose client was told that it is not stored", () => {
  it("is taken back", async () => {
    const { messageId } = await at.schedule(HOUR);
    await world.invoke("queue", () => cancelUnconfirmed(world.deps.db, [messageId], world.now));
    expect(await at.scheduled()).toEqual([]);
    await at.passUntil(world.now + 2 * HOUR * 1000);
    expect(sent).toEqual([]);
  });

  it("does not go before the cancellation, whenever the store comes back", async () => {
    await expectTakenBack(2);
  });

  it("stays if its id was returned for a duplicate since", async () => {
    await world.website("brand", { duplicateWindowHours: 24 });
    const { messageId } = await at.schedule(HOUR);
    await at.schedule(HOUR);
    await world.invoke("queue", () => cancelUnconfirmed(world.deps.db, [messageId], world.now));
    await at.passUntil(world.now + HOUR * 1000);
    expect(sent.map(({ messageId: id }) => id)).toEqual([messageId]);
  });
});

it("no text goes early or twice, and all go, though the clock jumps back and a transaction that queues them is lost", async () => {
  const steps: Step[] = [
    { seconds: 20 * MINUTE, fault: "after", sweeps: true },
    { seconds: -HOUR, fault: "before", sweeps: true },
  ];
  await expectAllGo([-3 * MINUTE, 25 * MINUTE], steps);
});
