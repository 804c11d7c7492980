/**
 * What becomes of a message, by what its carrier says of it. The Worker does the same for every carrier: what each carrier's answers
 * mean is in contract.test.ts.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { deliverMessages } from "../../src/flows/messages/deliver-messages.ts";
import { beginRun } from "../../src/flows/messages/delivery-run.ts";
import { countLedgers } from "../../src/flows/operations/count-ledgers.ts";
import { ADA, BOB, CarrierWorld, mockSockets, OURS, SETTINGS } from "./carrier-world.ts";
import { kannel } from "./kannel.ts";
import { breaksOff, text } from "./test-carrier.ts";
import { twilio } from "./twilio.ts";

mockSockets();

let at: CarrierWorld;

afterEach(() => {
  at.expectPublished();
  vi.restoreAllMocks();
});

/** Longer than the circuit breaker stays open after several failures in a row. */
const LONGEST_REST_SECONDS = 600;

const MEDIA = "https://cdn.example.com/a%20picture.jpg?x=1&y=2";

describe("a message", () => {
  beforeEach(async () => {
    at = await CarrierWorld.create(kannel);
  });

  it("accepted: is SENDING, and its client is called back", async () => {
    const { messageId, ...submitted } = await at.submit({ text: "Brand: hello" });
    expect(submitted).toMatchObject({ to: ADA, from: OURS, text: "Brand: hello", mediaUrls: [] });
    expect(await at.message(messageId)).toMatchObject({
      ...{ status: "SENDING", reason: null, carrier: "kannel", attempts: 1 },
    });
    await at.world.runQueues();
    expect(at.callbacks[messageId]).toEqual(["SENDING"]);
  });

  it("is sent from the sender of its website", async () => {
    await at.world.website("brand", { carrier: "kannel", sender: "Brand" });
    expect((await at.submit()).from).toBe("Brand");
  });

  it("refused: is FAILED_TO_SEND with a reason to read, and is not tried again", async () => {
    const [[, answer, reason]] = kannel.refusals as [(typeof kannel.refusals)[number]];
    at.answer = answer;
    const { messageId } = await at.submit();
    expect(await at.message(messageId)).toMatchObject({
      status: "FAILED_TO_SEND",
      reason: "CARRIER_REFUSED",
      reasonDetail: expect.stringMatching(reason),
      carrierMessageId: null,
    });
    await at.world.runQueues();
    expect(at.callbacks[messageId]).toEqual(["FAILED_TO_SEND"]);
    await at.world.pass(120);
    expect(at.submitted).toHaveLength(1);
    expect((await at.person(ADA)).subscribed).toBe(true);
  });

  it.each(kannel.laters)("later (%s): is tried again and then accepted, twice in total", async (_, answer, seconds) => {
    at.answer = answer;
    const { messageId } = await at.submit();
    const waiting = (await at.message(messageId)) as { retryAt: string };
    expect(waiting).toMatchObject({ status: "PENDING_TO_SEND", carrierMessageId: null });
    const wait = (Date.parse(waiting.retryAt) - at.world.now) / 1000;
    if (seconds === undefined) expect(wait).toBeGreaterThan(0);
    else expect(wait).toBe(seconds);
    at.answer = kannel.accepts;
    at.world.advance(wait - 1);
    await at.world.runQueues();
    expect(at.submitted).toHaveLength(1);
    at.world.advance(1);
    await at.world.runQueues();
    expect(at.submitted).toHaveLength(2);
    expect(at.submitted[1]).toEqual(at.submitted[0]);
    expect(await at.message(messageId)).toMatchObject({ status: "SENDING", reasonDetail: null });
    expect(await at.events(messageId)).toEqual(["SENDING"]);
  });

  it("whose carrier does not take our credentials: waits, the operator sees why, and it goes out once they are mended", async () => {
    const [[, answer]] = kannel.unauthorized as [(typeof kannel.unauthorized)[number]];
    at.answer = answer;
    const { messageId } = await at.submit();
    const reasonDetail = expect.stringMatching(/^kannel: HTTP 403/);
    expect(await at.message(messageId)).toMatchObject({ status: "PENDING_TO_SEND", reasonDetail });
    const { problems } = (await (await at.world.operator("GET", "/health")).json()) as { problems: string[] };
    expect(problems).toContain("carrier-credentials");
    await passHalfHours(6);
    expect(await at.message(messageId)).toMatchObject({ status: "PENDING_TO_SEND" });
    at.answer = kannel.accepts;
    await passHalfHours(1);
    expect(await at.message(messageId)).toMatchObject({ status: "SENDING", reasonDetail: null });
    expect(await at.events(messageId)).toEqual(["SENDING"]);
  });

  it("whose credentials cannot even be sent: waits too, and is not unknown", async () => {
    at.configure({ ...SETTINGS, KANNEL_PASSWORD: "with a line\nbreak, and é" });
    const messageId = await at.world.send(at.client, { phone: ADA });
    await at.world.runQueues();
    const message = await at.message(messageId);
    expect(message).toMatchObject({ status: "PENDING_TO_SEND" });
    expect(JSON.stringify(message)).not.toContain("with a line");
  });

  it("later, from somebody who says STOP in the meantime: is not sent", async () => {
    at.answer = () => text("", 429);
    const { messageId } = await at.submit();
    at.answer = kannel.accepts;
    await at.inbound("STOP", { from: ADA });
    at.world.advance(3600);
    await at.world.runQueues();
    expect(at.submitted.filter((one) => one.messageId === messageId)).toHaveLength(1);
    expect(await at.events(messageId)).toEqual(["NOT_SUBSCRIBED"]);
  });

  it.each([
    ["a reset", () => Promise.reject(new Error("Network connection lost."))],
    ["an answer that breaks off", () => new Response(breaksOff(), { status: 202 })],
    ["500", () => text("", 500)],
  ])("unknown (%s): is never submitted again, and a later receipt ends it", async (_, answer) => {
    at.answer = answer;
    const submitted = await at.submit();
    expect(await at.message(submitted.messageId)).toMatchObject({
      status: "SENDING",
      reason: "OUTCOME_UNKNOWN",
      reasonDetail: expect.stringMatching(/^outcome unknown, not sent again: ./),
      carrierMessageId: null,
    });
    await passHalfHours(10);
    expect(at.submitted).toHaveLength(1);
    expect((await at.receipt(submitted, kannel.delivered)).status).toBe(200);
    await at.world.runQueues();
    expect(at.callbacks[submitted.messageId]).toEqual(["SENDING", "DELIVERED"]);
  });

  it("that Cloudflare could not pass on: is tried again, and then accepted", async () => {
    at.answer = () => text("error code: 1000", 530);
    const { messageId } = await at.submit();
    expect(await at.message(messageId)).toMatchObject({ status: "PENDING_TO_SEND" });
    at.answer = kannel.accepts;
    at.world.advance(LONGEST_REST_SECONDS);
    await at.world.runQueues();
    expect(at.submitted).toHaveLength(2);
    expect(await at.message(messageId)).toMatchObject({ status: "SENDING", reasonDetail: null });
  });

  it("answered 200 by something that is not the carrier: three are lost at most, and the others wait", async () => {
    at.answer = () => text("<html>Back soon</html>", 200);
    for (let message = 0; message < 8; message++) {
      await at.world.send(at.client, { phone: ADA, text: `no. ${message}` });
      await at.world.runQueues();
    }
    expect(at.submitted).toHaveLength(3);
    at.answer = kannel.accepts;
    await at.world.pass(3);
    expect(at.submitted).toHaveLength(8);
  });

  it("that the platform does not carry (too many subrequests): is tried again, and its carrier is not blamed", async () => {
    at.answer = () => Promise.reject(new Error("Too many subrequests by single Worker invocation."));
    const ids = await Promise.all(Array.from({ length: 20 }, () => at.world.send(at.client, { phone: ADA })));
    await at.world.deliver("textgate-messages", [{ kind: "deliver", messageIds: ids }]);
    // The run is over: of the others, no submission has begun.
    expect(at.submitted.length).toBeLessThanOrEqual(5);
    expect(await at.message(String(at.submitted[0]?.messageId))).toMatchObject({
      status: "PENDING_TO_SEND",
      reasonDetail: expect.stringMatching(/Too many subrequests/),
    });
    at.answer = kannel.accepts;
    at.world.advance(5);
    await at.world.runQueues();
    for (const id of ids) expect(await at.message(id)).toMatchObject({ status: "SENDING", reasonDetail: null });
  });

  it("with media, at a carrier of text alone: is FAILED_TO_SEND without a request", async () => {
    const messageId = await at.world.send(at.client, { phone: ADA, mediaUrl: MEDIA });
    await at.world.runQueues();
    expect(at.submitted).toEqual([]);
    expect(await at.message(messageId)).toMatchObject({
      status: "FAILED_TO_SEND",
      reason: "MEDIA_NOT_SUPPORTED",
      reasonDetail: expect.stringMatching(/cannot carry media/),
    });
  });

  it("of a website that names a carrier without its settings: there is no such website, and the answer says what lacks", async () => {
    at.configure({ ...SETTINGS, KANNEL_USERNAME: "" });
    const settings = { name: "Other", carrier: "kannel", sender: OURS };
    const answer = await at.world.operator("PUT", "/websites/other", settings);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      code: 40001,
      details: [{ field: "carrier", message: "kannel is not set up: it lacks KANNEL_USERNAME" }],
    });
    expect((await at.world.operator("GET", "/websites/other")).status).toBe(404);
  });

  it("from a sender that the carrier does not take: the website is refused", async () => {
    const settings = { name: "Brand", carrier: "kannel", sender: "Brand of too many letters" };
    const answer = await at.world.operator("PUT", "/websites/brand", settings);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      code: 40001,
      details: [{ field: "sender", message: expect.stringMatching(/^must be /) }],
    });
  });
});

describe("a message to a carrier that gives ids and carries media", () => {
  beforeEach(async () => {
    at = await CarrierWorld.create(twilio);
  });

  it("accepted: has the carrier's id, and is sent with its media", async () => {
    const { messageId, mediaUrls } = await at.submit({ mediaUrl: MEDIA });
    expect(mediaUrls).toEqual([MEDIA]);
    expect(await at.message(messageId)).toMatchObject({
      ...{ status: "SENDING", carrier: "twilio", carrierMessageId: twilio.carrierMessageId },
    });
  });

  it("unknown, and then reported: has the id that the carrier gave it", async () => {
    at.answer = () => Promise.reject(new Error("Network connection lost."));
    const submitted = await at.submit();
    await at.receipt(submitted, twilio.delivered);
    expect(await at.message(submitted.messageId)).toMatchObject({
      status: "DELIVERED",
      carrierMessageId: twilio.carrierMessageId,
    });
  });
});

describe("a message to a carrier that keeps its own list of opt-outs", () => {
  beforeEach(async () => {
    at = await CarrierWorld.create(twilio);
  });

  it("to somebody who has opted out there: is FAILED_TO_SEND, and they are here too", async () => {
    at.answer = twilio.optOut?.refusal ?? twilio.accepts;
    const { messageId } = await at.submit();
    const { status, reason, reasonDetail } = await at.message(messageId);
    expect([status, reason]).toEqual(["FAILED_TO_SEND", "OPTED_OUT"]);
    const person = await at.person(ADA);
    expect(person).toMatchObject({ subscribed: false, optedOutByPerson: true });
    expect(person.changes.at(-1)).toMatchObject({ from: true, to: false, source: "carrier", proof: reasonDetail });
    expect((await at.person(BOB)).subscribed).toBe(true);
    const next = await at.world.send(at.client, { phone: ADA });
    await at.world.runQueues();
    expect(await at.world.statusOf(next)).toBe("NOT_SUBSCRIBED");
    expect(at.submitted).toHaveLength(1);
  });

  it("that confirms a STOP, which the carrier has obeyed itself: is no opt-out of its own in the report", async () => {
    await at.submit();
    at.answer = twilio.optOut?.refusal ?? twilio.accepts;
    await at.inbound("STOP", { from: ADA });
    await at.world.runQueues();
    expect(at.submitted).toHaveLength(2);
    await countLedgers(at.world.deps, at.world.now);
    const report = await (await at.world.operator("GET", "/websites/brand/report")).json();
    const { days } = (await (await at.world.operator("GET", "/overview")).json()) as { days: { optedOut: number }[] };
    expect(report).toMatchObject({ total: { optedOut: 1 } });
    expect(days.at(-1)).toMatchObject({ optedOut: 1, parted: 1 });
  });
});

describe("kannel, whose gateway is probed because fetch says the same of a refused connection and of a broken one,", () => {
  beforeEach(async () => {
    at = await CarrierWorld.create(kannel);
  });

  it("is tried again while nothing listens, without a submission, and then accepted", async () => {
    at.connection = () => Promise.reject(new Error("proxy request failed, cannot connect to the specified address"));
    const messageId = await at.world.send(at.client, { phone: ADA });
    await at.world.runQueues();
    expect(at.submitted).toEqual([]);
    expect(await at.message(messageId)).toMatchObject({
      status: "PENDING_TO_SEND",
      reasonDetail: "kannel: connection refused",
      attempts: 1,
    });
    at.connection = async () => {};
    at.world.advance(3600);
    await at.world.runQueues();
    expect(at.submitted).toHaveLength(1);
    expect(await at.message(messageId)).toMatchObject({ status: "SENDING", reasonDetail: null, attempts: 2 });
  });

  it("when the platform refuses the probe (too many subrequests): is tried again, and not blamed", async () => {
    at.connection = () => Promise.reject(new Error("Too many subrequests by single Worker invocation."));
    const ids = await Promise.all(Array.from({ length: 20 }, () => at.world.send(at.client, { phone: ADA })));
    await at.world.deliver("textgate-messages", [{ kind: "deliver", messageIds: ids }]);
    at.connection = async () => {};
    at.world.advance(5);
    await at.world.runQueues();
    for (const id of ids) expect(await at.message(id)).toMatchObject({ status: "SENDING", reasonDetail: null });
  });

  it("when no connection opens: keeps it among those of the invocation until the system gives up", async () => {
    const attempt = Promise.withResolvers<never>();
    at.connection = () => attempt.promise;
    const wait = vi.spyOn(scheduler, "wait").mockResolvedValue();
    const ids = await Promise.all(Array.from({ length: 4 }, () => at.world.send(at.client, { phone: ADA })));
    const run = beginRun(at.world.deps, "messages");
    await at.world.invoke("queue", () => deliverMessages(at.world.deps, ids, run));
    wait.mockRestore();
    await expect.poll(() => run.connections.free).toBe(1);
    expect(at.submitted).toEqual([]);
    attempt.reject(new Error("proxy request failed, cannot connect to the specified address"));
    await expect.poll(() => run.connections.free).toBe(5);
    await at.world.afterAnswer();
    for (const id of ids) expect(await at.world.statusOf(id)).toBe("PENDING_TO_SEND");
  });
});

/** A carrier that fails is tried again after half an hour at the latest. */
async function passHalfHours(count: number): Promise<void> {
  for (let halfHour = 0; halfHour < count; halfHour++) {
    at.world.advance(1800);
    await at.world.sweep();
    await at.world.runQueues();
  }
}
