/** A website's hours for marketing messages: what comes while they are closed waits or ends, and nothing goes while they are. */
import { beforeEach, describe, expect, it } from "vitest";
import { ToldCarrier } from "../../told-carrier.ts";
import { SEND, type TestClient, World } from "../../world.ts";

/** New York, Los Angeles, London. */
const ADA = "+12125550100";
const LEA = "+13105550100";
const TOM = "+442071234567";
const STOPPED = "+12125550199";
const MINUTE = 60_000;

let world: World;
let client: TestClient;
let carrier: ToldCarrier;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([`${ADA},ada@example.com`, LEA, TOM, `${STOPPED},,false`]);
  carrier = new ToldCarrier(world);
});

const STRICT = { profile: "us-strict", whenClosed: "delay" };
const hours = (sendingHours: unknown, more: Record<string, unknown> = {}) =>
  world.website("brand", { sendingHours, ...more });

/** Thursday, 26 November 2026, in New York: 5 hours behind UTC. */
const newYork = (time: string, day = "2026-11-26") => Date.parse(`${day}T${time}:00-05:00`);

async function send(fields: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
  const answer = await world.post("/text/message/send", client, { ...SEND, phone: ADA, ...fields }, headers);
  return (await answer.json()) as { messageId: string; scheduledFor?: string; details?: unknown[] };
}

const rows = () =>
  world.rows(
    "SELECT message_id, status, reason_code, send_at, opens_at FROM messages UNION ALL SELECT message_id, 'kept', NULL, send_at, opens_at FROM scheduled_as_messages",
  );

const NINE = newYork("09:00", "2026-11-27");

describe("a message that is accepted while its hours are closed", () => {
  beforeEach(() => {
    world.now = newYork("20:00");
  });

  it("waits until they open, and a part of a quarter of an hour more", async () => {
    await hours(STRICT);
    const { messageId, scheduledFor } = await send();
    const sendAt = Date.parse(String(scheduledFor));
    expect(await rows()).toEqual([
      { message_id: messageId, status: "kept", reason_code: null, send_at: sendAt, opens_at: NINE },
    ]);
    expect(sendAt - NINE).toBeGreaterThanOrEqual(0);
    expect(sendAt - NINE).toBeLessThan(15 * MINUTE);
  });

  it("goes at its time, and not before", async () => {
    await hours(STRICT);
    const sendAt = Date.parse(String((await send()).scheduledFor));
    for (
      world.now = sendAt - 4 * MINUTE;
      world.now < sendAt - 1;
      world.now = Math.min(sendAt - 1, world.now + MINUTE)
    ) {
      await world.sweep();
      await world.runQueues();
    }
    expect(carrier.submitted).toEqual([]);
    world.now = sendAt;
    await world.runQueues();
    expect(carrier.submitted).toHaveLength(1);
  });

  it("goes at once while they are open", async () => {
    world.now = newYork("19:59");
    await hours(STRICT);
    expect(await send()).not.toHaveProperty("scheduledFor");
    await world.runQueues();
    expect(carrier.submitted).toHaveLength(1);
  });

  it.each<[what: string, fields: Record<string, unknown>, more: Record<string, unknown>]>([
    ["a transactional message", { kind: "transactional" }, {}],
    ["a transactional purpose", { sendPurpose: "login code" }, { transactionalPurposes: ["login code"] }],
    ["a message to somewhere where they are open", { phone: LEA }, {}],
    ["a message whose client says such a zone", { timeZone: "America/Los_Angeles" }, {}],
  ])("does not hold %s", async (_, fields, more) => {
    await hours(STRICT, more);
    expect(await send(fields)).not.toHaveProperty("scheduledFor");
    await world.runQueues();
    expect(carrier.submitted).toHaveLength(1);
  });

  it("is held to the state that its client says", async () => {
    world.now = newYork("19:00", "2026-11-29");
    await hours(STRICT);
    expect(await send()).not.toHaveProperty("scheduledFor");
    const { scheduledFor } = await send({ timeZone: "America/Chicago", region: "US-LA" });
    expect(Math.floor(Date.parse(String(scheduledFor)) / (15 * MINUTE))).toBe(
      newYork("10:00", "2026-11-30") / (15 * MINUTE),
    );
  });

  it("by e-mail waits as its number has it", async () => {
    await hours(STRICT);
    expect(await send({ phone: "", email: "ada@example.com" })).toHaveProperty("scheduledFor");
  });

  it("ends at once where it would end at any time", async () => {
    await hours(STRICT);
    for (const fields of [{ phone: STOPPED }, { phone: "+12125550177" }, { phone: "", email: "no@example.com" }])
      expect(await send(fields)).not.toHaveProperty("scheduledFor");
    expect((await rows()).map(({ status }) => status).sort()).toEqual([
      "FAILED_TO_MATCH",
      "NOT_FOUND",
      "NOT_SUBSCRIBED",
    ]);
  });

  it("has times of its own in bulk", async () => {
    await hours(STRICT);
    const messages = [ADA, LEA, STOPPED, ADA].map((phone) => ({ ...SEND, phone }));
    const answer = await world.post("/text/bulk/message/send", client, { messages });
    const { successSent } = await answer.json<{ successSent: { scheduledFor?: string }[] }>();
    expect(successSent.map(({ scheduledFor }) => scheduledFor !== undefined)).toEqual([true, false, false, true]);
    const [first, last] = [successSent[0], successSent[3]].map((it) => Date.parse(String(it?.scheduledFor)));
    expect(Math.abs(Number(last) - Number(first))).toBe(15_000);
  });
});

describe("a message with times of its own", () => {
  it("goes at the next opening if its time is in the night", async () => {
    await hours(STRICT);
    world.now = newYork("12:00");
    const { scheduledFor } = await send({ sendAt: new Date(newYork("23:00")).toISOString() });
    expect(Math.floor((Date.parse(String(scheduledFor)) - NINE) / (15 * MINUTE))).toBe(0);
    const day = new Date(newYork("13:00")).toISOString();
    expect((await send({ sendAt: day })).scheduledFor).toBe(day);
  });

  it("goes before it expires, however short the time is", async () => {
    await hours(STRICT);
    world.now = newYork("22:00");
    const { scheduledFor } = await send({ expireAt: new Date(NINE + 4000).toISOString() });
    expect(scheduledFor).toBe(new Date(NINE).toISOString());
  });

  it("ends at once if it expires before they open", async () => {
    await hours(STRICT);
    world.now = newYork("22:00");
    const answer = await send({ expireAt: new Date(NINE).toISOString() });
    expect(answer).not.toHaveProperty("scheduledFor");
    expect(await world.events(client)).toMatchObject([{ status: "FAILED_TO_SEND", reason: "EXPIRED" }]);
  });

  it("expires SUBMIT_WITHIN_HOURS after it might go first", async () => {
    await hours(STRICT);
    carrier.answer = () => ({ kind: "later", failing: true, reason: "away" });
    world.now = newYork("20:00");
    const { messageId, scheduledFor } = await send();
    const sendAt = Date.parse(String(scheduledFor));
    for (const minutes of [-1, 1, 239]) {
      world.now = sendAt + minutes * MINUTE;
      await world.sweep();
      await world.runQueues();
      expect(await world.statusOf(messageId)).toBe("PENDING_TO_SEND");
    }
    world.now = sendAt + 242 * MINUTE;
    await world.sweep();
    expect(await world.events(client)).toMatchObject([{ status: "FAILED_TO_SEND", reason: "EXPIRED" }]);
  });
});

describe("hours that refuse", () => {
  beforeEach(async () => {
    world.now = newYork("22:00");
    await hours({ ...STRICT, whenClosed: "refuse" });
  });

  it("end a message at once, with its event and its counts, and nothing of it is sent", async () => {
    const { messageId } = await send({ clickUrl: "https://example.com/sale" });
    expect(await world.events(client)).toMatchObject([{ messageId, status: "FAILED_TO_SEND", reason: "QUIET_HOURS" }]);
    const traffic = "SELECT accepted, failed FROM traffic_counts WHERE website_id = 'brand' AND span = 'day'";
    expect(await world.rows(traffic)).toEqual([{ accepted: 1, failed: 1 }]);
    expect([world.jobs, world.callbacks.length]).toEqual([[], 1]);
    const story = await (await world.operator("GET", `/messages/${messageId}`)).json();
    expect(story).toMatchObject({
      status: "FAILED_TO_SEND",
      reason: "QUIET_HOURS",
      reasonDetail: expect.stringContaining("Mon-Sat 09:00-20:00"),
    });
  });

  it("end nothing that nobody would get", async () => {
    await send({ phone: STOPPED });
    expect((await rows()).map(({ status }) => status)).toEqual(["NOT_SUBSCRIBED"]);
  });

  it("end a message whose time is in the night", async () => {
    await send({ sendAt: new Date(newYork("23:30")).toISOString() });
    expect(await rows()).toMatchObject([{ status: "FAILED_TO_SEND", reason_code: "QUIET_HOURS" }]);
  });

  it("answer the same again under its key, and let a duplicate go when they are open", async () => {
    await hours({ ...STRICT, whenClosed: "refuse" }, { duplicateWindowHours: 24 });
    const key = { "idempotency-key": "a" };
    const first = await send({}, key);
    expect(await send({}, key)).toEqual(first);
    world.now = NINE;
    const { messageId } = await send();
    expect(messageId).not.toBe(first.messageId);
    await world.runQueues();
    expect(carrier.submitted).toEqual([messageId]);
  });
});

describe("a place that a client says", () => {
  it.each([
    [{ timeZone: "EST5" }, "timeZone"],
    [{ timeZone: "-05:00" }, "timeZone"],
    [{ timeZone: 5 }, "timeZone"],
    [{ region: "Florida" }, "region"],
    [{ region: "US-ZZ" }, "region"],
    [{ region: ["US-FL"] }, "region"],
  ])("is not %j", async (fields, field) => {
    expect(await send(fields)).toMatchObject({ code: 40001, details: [{ field }] });
    const answer = await world.post("/text/bulk/message/send", client, {
      messages: [{ ...SEND, phone: ADA, ...fields }],
    });
    expect(await answer.json()).toMatchObject({
      failedSent: [{ errorMessage: expect.stringMatching(`^${field}: must`) }],
    });
  });

  it("may be empty, in any case, and is stored with the message", async () => {
    await send({ timeZone: "", region: null });
    await send({ timeZone: " America/Chicago ", region: "us-fl" });
    expect(await world.rows("SELECT time_zone, region FROM messages ORDER BY rowid")).toEqual([
      { time_zone: null, region: null },
      { time_zone: "America/Chicago", region: "US-FL" },
    ]);
  });
});
