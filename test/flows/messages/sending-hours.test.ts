/** A website's hours for marketing messages: what comes while they are closed waits or ends, and nothing goes while they are. */
import { beforeEach, describe, expect, it } from "vitest";
import { countsOf } from "../../counted.ts";
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

const rows = () => world.rows("SELECT message_id, status, reason_code, send_at, opens_at FROM messages");

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
      { message_id: messageId, status: "PENDING_TO_SEND", reason_code: null, send_at: sendAt, opens_at: NINE },
    ]);
    expect(sendAt - NINE).toBeGreaterThanOrEqual(0);
    expect(sendAt - NINE).toBeLessThan(15 * MINUTE);
  });

  it("goes at its time, and not before", async () => {
    await hours(STRICT);
    const sendAt = Date.parse(String((await send()).scheduledFor));
    for (
      world.now = sendAt - 8 * MINUTE;
      world.now < sendAt - 1;
      world.now = Math.min(sendAt - 1, world.now + 3 * MINUTE)
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
    // After the last step of the quarter of an hour comes the first.
    const quarter = 15 * MINUTE;
    expect((Number(last) - Number(first) + quarter) % quarter).toBe(15_000);
  });
});

describe("a request that is repeated by day", () => {
  const headers = { "idempotency-key": "order-4711" };

  it.each([
    ["under its key", {}],
    ["as a duplicate", { duplicateWindowHours: 24 }],
  ])("%s is told when its message goes, as long as that waits", async (_how, more) => {
    world.now = newYork("20:00");
    await hours(STRICT, more);
    const key = "duplicateWindowHours" in more ? {} : headers;
    const bulk = async () =>
      (
        await world.post("/text/bulk/message/send", client, { messages: [{ ...SEND, phone: ADA, text: "Two" }] }, key)
      ).json();
    const first = [await send({}, key), await bulk()];
    const waits = Date.parse(String((first[0] as { scheduledFor: string }).scheduledFor));
    world.now = NINE;
    expect([await send({}, key), await bulk()]).toEqual(first);
    world.now = waits - 7 * MINUTE;
    await world.sweep();
    expect(await send({}, key)).toEqual(first[0]);
    world.now = waits;
    await world.runQueues();
    expect(await send({}, key)).toEqual({ messageId: (first[0] as { messageId: string }).messageId });
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
    carrier.answer = () => ({ kind: "later", failing: "carrier", reason: "away" });
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
    expect(await countsOf(world, "brand")).toMatchObject({ accepted: 1, endedBefore: 1 });
    expect([world.jobs, world.callbacks.length]).toEqual([[], 1]);
    const story = await (await world.operator("GET", `/messages/${messageId}`)).json();
    expect(story).toMatchObject({
      status: "FAILED_TO_SEND",
      reason: "QUIET_HOURS",
      reasonDetail: expect.stringContaining("Mon-Sat 09:00-20:00"),
    });
  });

  it("end the messages of a bulk request that come too late, and let the others go, the same when it is repeated", async () => {
    const messages = [ADA, LEA, STOPPED].map((phone) => ({ ...SEND, phone, text: "x".repeat(9) }));
    const key = { "idempotency-key": "bulk" };
    const post = async () => (await world.post("/text/bulk/message/send", client, { messages }, key)).json();
    world.now = newYork("21:00");
    const first = await post();
    expect(await post()).toEqual(first);
    expect((await rows()).map(({ status, reason_code }) => [status, reason_code])).toEqual([
      ["FAILED_TO_SEND", "QUIET_HOURS"],
      ["PENDING_TO_SEND", null],
      ["NOT_SUBSCRIBED", null],
    ]);
    const reasons = (await world.events(client)).map((event) => (event as unknown as { reason: string | null }).reason);
    expect(reasons.sort()).toEqual(["QUIET_HOURS", null].sort());
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
    [{ timeZone: "Factory" }, "timeZone"],
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
    await send({ timeZone: " america/CHICAGO ", region: "us-fl" });
    expect(await world.rows("SELECT time_zone, region FROM messages ORDER BY rowid")).toEqual([
      { time_zone: null, region: null },
      { time_zone: "america/CHICAGO", region: "US-FL" },
    ]);
  });

  it.each(["Europe/Kyiv", "Europe/Kiev", "Asia/Kolkata", "Asia/Ho_Chi_Minh", "US/Eastern", "UTC"])(
    "is kept under the name that was sent: %s",
    async (timeZone) => {
      await send({ timeZone });
      expect(await world.rows("SELECT time_zone FROM messages")).toEqual([{ time_zone: timeZone }]);
    },
  );
});

describe("a message that is about to go when its hours close", () => {
  const queue = (ids: string[]) => world.deliver("textgate-messages", [{ kind: "deliver", messageIds: ids }]);
  const row = async (id: string) =>
    (
      await world.rows(
        "SELECT status, reason, reason_code, attempts, claimed_at, send_at, opens_at, due_at, expires_at FROM messages WHERE message_id = ?1",
        id,
      )
    )[0];

  it("is put back until they open, and goes then", async () => {
    await hours(STRICT);
    world.now = newYork("19:59");
    const { messageId } = await send();
    world.now = newYork("20:00");
    await world.runQueues();
    expect(carrier.submitted).toEqual([]);
    const put = await row(messageId);
    expect(put).toMatchObject({
      status: "PENDING_TO_SEND",
      reason: null,
      attempts: 0,
      claimed_at: null,
      opens_at: NINE,
    });
    const sendAt = Number(put?.send_at);
    expect([put?.due_at, world.jobs]).toEqual([null, []]);
    expect(Math.floor((sendAt - NINE) / (15 * MINUTE))).toBe(0);
    world.now = sendAt - 1;
    await queue([messageId]);
    expect(carrier.submitted).toEqual([]);
    world.now = sendAt - 7 * MINUTE;
    await world.sweep();
    expect(world.jobs.map(({ at }) => at)).toEqual([sendAt]);
    world.now = sendAt;
    await world.runQueues();
    expect(carrier.submitted).toEqual([messageId]);
    const story = await (await world.operator("GET", `/messages/${messageId}`)).json<{ submissions: unknown[] }>();
    expect(story.submissions).toMatchObject([
      { outcome: "skipped", attempt: null, reason: expect.stringContaining("sending hours are closed") },
      { outcome: "accepted", attempt: 1 },
    ]);
  });

  it("is put back after a carrier's failure, and its end is counted from its opening", async () => {
    await hours(STRICT);
    world.now = newYork("19:58");
    carrier.answer = () => ({ kind: "later", reason: "busy", retryAfterSeconds: 300 });
    const { messageId } = await send();
    await world.runQueues();
    world.advance(301);
    await world.runQueues();
    expect(carrier.submitted).toHaveLength(1);
    expect(await row(messageId)).toMatchObject({
      status: "PENDING_TO_SEND",
      attempts: 1,
      opens_at: NINE,
      expires_at: null,
    });
    carrier.answer = () => ({ kind: "accepted", carrierMessageId: "late" });
    // Its id decides about its place in the first quarter of an hour.
    world.now = NINE;
    await world.pass(17);
    expect(await world.statusOf(messageId)).toBe("SENDING");
  });

  it("ends if they refuse, is not counted as begun, and its client hears of it once", async () => {
    await hours({ ...STRICT, whenClosed: "refuse" }, { frequencyCap: { count: 1, hours: 24 } });
    world.now = newYork("19:59");
    const { messageId } = await send();
    world.now = newYork("20:00");
    await world.runQueues();
    expect(await row(messageId)).toMatchObject({
      ...{ status: "FAILED_TO_SEND", reason_code: "QUIET_HOURS", claimed_at: null, attempts: 0, due_at: null },
    });
    expect(await world.events(client)).toMatchObject([{ status: "FAILED_TO_SEND", reason: "QUIET_HOURS" }]);
    world.now = NINE;
    const next = await send();
    await world.runQueues();
    expect(carrier.submitted).toEqual([next.messageId]);
  });

  it("ends if its client wants it no later than they open", async () => {
    await hours(STRICT);
    world.now = newYork("19:59");
    const { messageId } = await send({ expireAt: new Date(NINE).toISOString() });
    world.now = newYork("20:00");
    await world.runQueues();
    expect(await row(messageId)).toMatchObject({ status: "FAILED_TO_SEND", reason_code: "EXPIRED" });
  });

  it("is put back for a week and a day at most after it was accepted", async () => {
    // It goes within a quarter of an hour: the hours are still open then.
    const windows = [{ days: ["thu"], from: "12:00", until: "12:20" }];
    await hours({ profile: "custom", windows, whenClosed: "delay" });
    world.now = newYork("12:00");
    carrier.answer = () => ({ kind: "later", reason: "busy", retryAfterSeconds: 1260 });
    const { messageId } = await send();
    for (let retries = 0; retries < 2; retries++) {
      await world.runQueues();
      world.advance(1261);
      await world.runQueues();
      const put = await row(messageId);
      if (retries > 0) break;
      expect(put).toMatchObject({ status: "PENDING_TO_SEND", opens_at: newYork("12:00", "2026-12-03") });
      world.now = Number(put?.send_at) - 7 * MINUTE;
      await world.sweep();
      world.now = Number(put?.send_at);
    }
    expect(carrier.submitted).toHaveLength(2);
    expect(await row(messageId)).toMatchObject({ status: "FAILED_TO_SEND", reason_code: "EXPIRED" });
  });

  it("was accepted before there were hours, and is held to them", async () => {
    world.now = newYork("22:00");
    const { messageId } = await send();
    const code = await send({ kind: "transactional" });
    await hours(STRICT);
    await world.runQueues();
    expect(carrier.submitted).toEqual([code.messageId]);
    expect(await row(messageId)).toMatchObject({ status: "PENDING_TO_SEND", opens_at: NINE });
  });

  it("goes if there are none any more, at the time that it has", async () => {
    await hours(STRICT);
    world.now = newYork("22:00");
    const { scheduledFor } = await send();
    await hours(null);
    world.now = Date.parse(String(scheduledFor)) - 7 * MINUTE;
    await world.sweep();
    await world.runQueues();
    expect(carrier.submitted).toEqual([]);
    world.advance(7 * 60);
    await world.runQueues();
    expect(carrier.submitted).toHaveLength(1);
  });

  it("by e-mail is held to the place of the number that it had when it was accepted", async () => {
    await hours(STRICT);
    world.now = newYork("19:59");
    await world.subscribers("brand", [`${LEA},lea@example.com`]);
    const { messageId } = await send({
      phone: "",
      email: "lea@example.com",
      sendAt: new Date(newYork("20:30")).toISOString(),
    });
    await world.subscribers("brand", [`${ADA},lea@example.com`]);
    world.now = newYork("20:23");
    await world.sweep();
    world.now = newYork("20:30");
    await world.runQueues();
    expect(carrier.submitted).toEqual([messageId]);
    expect(await row(messageId)).toMatchObject({ status: "SENDING", opens_at: null });
  });

  it("is a reply to a keyword, and goes", async () => {
    await hours(STRICT, { helpText: "Brand: call us." });
    world.now = newYork("22:00");
    await world.rows(
      "INSERT INTO messages (message_id, website_id, client_id, phone, text, callback_data, send_purpose, status, accepted_at, updated_at, due_at, is_reply, encoding, segments) VALUES ('00000000-0000-4000-8000-000000000001', 'brand', '', 12125550100, 'help', '', '', 'PENDING_TO_SEND', ?1, ?1, ?1, 2, 'GSM-7', 1)",
      world.now,
    );
    await queue(["00000000-0000-4000-8000-000000000001"]);
    expect(carrier.submitted).toHaveLength(1);
  });

  it("is asked of its hours after it has waited for a connection", async () => {
    await hours(STRICT);
    world.now = newYork("19:59");
    const ids = [];
    for (let count = 0; count < 8; count++) ids.push((await send()).messageId);
    world.jobs.length = 0;
    carrier.answer = () => {
      world.now = newYork("20:00");
      return { kind: "accepted", carrierMessageId: "c" };
    };
    await queue(ids);
    expect(carrier.submitted.length).toBeLessThan(8);
    const states = await world.rows("SELECT status, count(*) AS count FROM messages GROUP BY status ORDER BY status");
    expect(states).toEqual([
      { status: "PENDING_TO_SEND", count: 8 - carrier.submitted.length },
      { status: "SENDING", count: carrier.submitted.length },
    ]);
  });
});
