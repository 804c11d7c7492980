/** What every carrier must do with a message. contract-receipts.test.ts is the other half: what it must do with reports. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { unreachedBecause } from "../../src/domain/callbacks/edge-status.ts";
import { deliverMessages } from "../../src/flows/messages/deliver-messages.ts";
import { beginRun } from "../../src/flows/messages/delivery-run.ts";
import { OutcomeTally } from "../../src/flows/operations/count-outcomes.ts";
import { ADA, BOB, CARRIERS, CarrierWorld, mockSockets, OPTING_OUT, OURS, SETTINGS } from "./carrier-world.ts";
import { type Answering, text } from "./test-carrier.ts";

mockSockets();

const TEXTS = ["hello & 100% = +1 £", "Grüße 👍 ÿ", "two\nlines {}[]~€", "x".repeat(1600), "👍".repeat(400)];
/** What leaves open, from any carrier, whether it has the message. */
const UNKNOWNS: [what: string, answer: Answering][] = [
  ["a timeout", () => Promise.reject(new DOMException("The operation timed out", "TimeoutError"))],
  ["a reset", () => Promise.reject(new Error("Network connection lost."))],
  ["an answer that breaks off", () => new Response(breaksOff(), { status: 202 })],
  ["408", () => text("", 408)],
  ["500", () => text("", 500)],
  ["502", () => text("<html>", 502)],
  ["520, an empty answer", () => text("error code: 520", 520)],
  ["522, a timeout before or after the request", () => text("error code: 522", 522)],
  ["524, a timeout after the request", () => text("error code: 524", 524)],
  ["a redirect", () => text("", 307, { location: "https://elsewhere.example.com/" })],
  ["another redirect", () => text("", 303, { location: "/messages" })],
  ["204", () => new Response(null, { status: 204 })],
];

/** https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/ */
const UNSENT: [status: number, why: string][] = [
  [521, "connection refused"],
  [523, "no route"],
  [525, "no TLS handshake"],
  [526, "an invalid certificate"],
  [530, "no DNS name or tunnel"],
];

/** Longer than the circuit breaker stays open after several failures in a row. */
const LONGEST_REST_SECONDS = 600;

const MEDIA = "https://cdn.example.com/a%20picture.jpg?x=1&y=2";

describe.each(CARRIERS)("$name, with a message", (carrier) => {
  let at: CarrierWorld;

  beforeEach(async () => {
    at = await CarrierWorld.create(carrier);
  });

  afterEach(() => {
    at.expectPublished();
    vi.restoreAllMocks();
  });

  const passHours = async (hours: number) => {
    for (let halfHour = 0; halfHour < 2 * hours; halfHour++) {
      at.world.advance(1800);
      await at.world.sweep();
      await at.world.runQueues();
    }
  };

  it("accepted: is SENDING, and the carrier's id for it is kept", async () => {
    const { messageId, ...submitted } = await at.submit({ text: "Brand: hello" });
    expect(submitted).toMatchObject({ to: ADA, from: OURS, text: "Brand: hello", mediaUrls: [] });
    expect(submitted.receiptUrl).toMatch(new RegExp(`^https://sms.example.com/carriers/${carrier.name}/receipts\\?m=`));
    expect(await at.message(messageId)).toMatchObject({
      status: "SENDING",
      reason: null,
      carrier: carrier.name,
      carrierMessageId: carrier.carrierMessageId,
      attempts: 1,
    });
    await at.world.runQueues();
    expect(at.callbacks[messageId]).toEqual(["SENDING"]);
  });

  it("reaches the carrier with its text as it is", async () => {
    for (const words of TEXTS) expect((await at.submit({ text: words })).text).toBe(words);
  });

  it("is sent from the sender of its website, of whichever kind", async () => {
    for (const sender of carrier.senders) {
      await at.world.website("brand", { carrier: carrier.name, sender });
      expect((await at.submit()).from).toBe(sender);
    }
  });

  it("refused: is FAILED_TO_SEND with a reason to read, and is not tried again", async () => {
    for (const [what, answer, reason] of carrier.refusals) {
      at.answer = answer;
      const { messageId } = await at.submit();
      expect([what, await at.message(messageId)]).toMatchObject([
        what,
        {
          status: "FAILED_TO_SEND",
          reason: "CARRIER_REFUSED",
          reasonDetail: expect.stringMatching(reason),
          carrierMessageId: null,
        },
      ]);
      await at.world.runQueues();
      expect(at.callbacks[messageId]).toEqual(["FAILED_TO_SEND"]);
    }
    await passHours(2);
    expect(at.submitted).toHaveLength(carrier.refusals.length);
    expect((await at.person(ADA)).subscribed).toBe(true);
  });

  it.each(carrier.laters)(
    "later (%s): is tried again and then accepted, twice in total",
    async (_, answer, seconds) => {
      at.answer = answer;
      const { messageId } = await at.submit();
      const waiting = (await at.message(messageId)) as { retryAt: string };
      expect(waiting).toMatchObject({ status: "PENDING_TO_SEND", carrierMessageId: null });
      const wait = (Date.parse(waiting.retryAt) - at.world.now) / 1000;
      if (seconds === undefined) expect(wait).toBeGreaterThan(0);
      else expect(wait).toBe(seconds);
      at.answer = carrier.accepts;
      at.world.advance(wait - 1);
      await at.world.runQueues();
      expect(at.submitted).toHaveLength(1);
      at.world.advance(1);
      await at.world.runQueues();
      expect(at.submitted).toHaveLength(2);
      expect(at.submitted[1]).toEqual(at.submitted[0]);
      expect(await at.message(messageId)).toMatchObject({ status: "SENDING", reasonDetail: null });
      expect(await at.events(messageId)).toEqual(["SENDING"]);
    },
  );

  it.each(carrier.unauthorized)(
    "when it does not take our credentials (%s): waits, the operator sees why, and it goes out once they are mended",
    async (_, answer) => {
      at.answer = answer;
      const { messageId } = await at.submit();
      expect(await at.message(messageId)).toMatchObject({
        status: "PENDING_TO_SEND",
        reasonDetail: expect.stringMatching(new RegExp(`^${carrier.name}: HTTP 40[134]`)),
      });
      const { problems } = (await (await at.world.operator("GET", "/health")).json()) as { problems: string[] };
      expect(problems).toContain("carrier-credentials");
      await passHours(3);
      expect(await at.message(messageId)).toMatchObject({ status: "PENDING_TO_SEND" });
      at.answer = carrier.accepts;
      await passHours(0.5);
      expect(await at.message(messageId)).toMatchObject({ status: "SENDING", reasonDetail: null });
      expect(await at.events(messageId)).toEqual(["SENDING"]);
    },
  );

  it("when our credentials cannot even be sent: waits too, and is not unknown", async () => {
    const [secret = ""] = Object.keys(carrier.settings).filter((name) => /AUTH_TOKEN|API_KEY|PASSWORD/.test(name));
    at.configure({ ...SETTINGS, [secret]: "with a line\nbreak, and é" });
    at.answer = () => text("", 401);
    const messageId = await at.world.send(at.client, { phone: ADA });
    await at.world.runQueues();
    const message = await at.message(messageId);
    expect(message).toMatchObject({ status: "PENDING_TO_SEND" });
    expect(JSON.stringify(message)).not.toContain("with a line");
    at.submitted.length = 0;
  });

  it("later, from somebody who says STOP in the meantime: is not sent", async () => {
    at.answer = carrier.laters[0]?.[1] ?? carrier.accepts;
    const { messageId } = await at.submit();
    at.answer = carrier.accepts;
    await at.inbound("STOP", { from: ADA });
    at.world.advance(3600);
    await at.world.runQueues();
    expect(at.submitted.filter((one) => one.messageId === messageId)).toHaveLength(1);
    expect(await at.events(messageId)).toEqual(["NOT_SUBSCRIBED"]);
  });

  it("unknown: is never submitted again, and a later receipt ends it", async () => {
    const unknowns = [...UNKNOWNS, ...carrier.unknowns];
    for (const [what, answer] of unknowns) {
      at.answer = answer;
      const { messageId } = await at.submit();
      at.world.advance(LONGEST_REST_SECONDS);
      expect([what, await at.message(messageId)]).toMatchObject([
        what,
        {
          status: "SENDING",
          reason: "OUTCOME_UNKNOWN",
          reasonDetail: expect.stringMatching(/^outcome unknown, not sent again: ./),
          carrierMessageId: null,
        },
      ]);
    }
    await passHours(5);
    expect(at.submitted).toHaveLength(unknowns.length);
    for (const submitted of at.submitted) {
      expect((await at.receipt(submitted, carrier.delivered)).status).toBe(200);
      await at.world.runQueues();
      expect(at.callbacks[submitted.messageId]).toEqual(["SENDING", "DELIVERED"]);
    }
  });

  it("unknown, and then reported: has the id that the carrier gave it", async () => {
    at.answer = () => Promise.reject(new Error("Network connection lost."));
    const submitted = await at.submit();
    await at.receipt(submitted, carrier.delivered);
    expect(await at.message(submitted.messageId)).toMatchObject({
      status: "DELIVERED",
      carrierMessageId: carrier.carrierMessageId,
    });
  });

  it.each([429, 401, 530])("%d, in an answer that breaks off: is tried again, and then accepted", async (status) => {
    at.answer = () => new Response(breaksOff(), { status });
    const { messageId } = await at.submit();
    expect(await at.message(messageId)).toMatchObject({ status: "PENDING_TO_SEND" });
    at.answer = carrier.accepts;
    at.world.advance(LONGEST_REST_SECONDS);
    await at.world.runQueues();
    expect(await at.message(messageId)).toMatchObject({ status: "SENDING", reasonDetail: null });
  });

  it("400, in an answer that breaks off: is refused", async () => {
    at.answer = () => new Response(breaksOff(), { status: 400 });
    const { messageId } = await at.submit();
    expect(await at.message(messageId)).toMatchObject({ status: "FAILED_TO_SEND", reason: "CARRIER_REFUSED" });
  });

  it("answered 200 by something that is not the carrier: three are lost at most, and the others wait", async () => {
    at.answer = () => text("<html>Back soon</html>", 200);
    const ids = [];
    for (let message = 0; message < 8; message++) {
      ids.push(await at.world.send(at.client, { phone: ADA, text: `no. ${message}` }));
      await at.world.runQueues();
    }
    expect(at.submitted).toHaveLength(3);
    at.answer = carrier.accepts;
    for (let minute = 0; minute < 3; minute++) {
      at.world.advance(60);
      await at.world.sweep();
      await at.world.runQueues();
    }
    expect(at.submitted).toHaveLength(8);
  });

  it.each(UNSENT)("that Cloudflare could not pass on (%d, %s): is tried again, and then accepted", async (status) => {
    at.answer = () => text("error code: 1000", status);
    const { messageId } = await at.submit();
    expect(await at.message(messageId)).toMatchObject({
      status: "PENDING_TO_SEND",
      reasonDetail: `${carrier.name}: HTTP ${status}${carrier.name === "kannel" ? ": error code: 1000" : ""} (${unreachedBecause(status)})`,
    });
    at.answer = carrier.accepts;
    at.world.advance(LONGEST_REST_SECONDS);
    await at.world.runQueues();
    expect(at.submitted).toHaveLength(2);
    expect(await at.message(messageId)).toMatchObject({ status: "SENDING", reasonDetail: null });
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
    at.answer = carrier.accepts;
    at.world.advance(5);
    await at.world.runQueues();
    for (const id of ids) expect(await at.message(id)).toMatchObject({ status: "SENDING", reasonDetail: null });
  });

  it("with media: is sent with it, or refused by a carrier of text alone", async () => {
    if (carrier.carriesMedia) {
      expect((await at.submit({ mediaUrl: MEDIA })).mediaUrls).toEqual([MEDIA]);
      return;
    }
    const messageId = await at.world.send(at.client, { phone: ADA, mediaUrl: MEDIA });
    await at.world.runQueues();
    expect(at.submitted).toEqual([]);
    expect(await at.message(messageId)).toMatchObject({
      status: "FAILED_TO_SEND",
      reason: "MEDIA_NOT_SUPPORTED",
      reasonDetail: expect.stringMatching(/cannot carry media/),
    });
  });

  it("of a website that names it without its settings: there is no such website, and the answer says what lacks", async () => {
    const [first = ""] = Object.keys(carrier.settings);
    at.configure({ ...carrier.settings, PUBLIC_ORIGIN: "https://sms.example.com", [first]: "" });
    const settings = { name: "Other", carrier: carrier.name, sender: OURS };
    const lacksOne = await at.world.operator("PUT", "/websites/other", settings);
    expect(lacksOne.status).toBe(400);
    expect(await lacksOne.json()).toMatchObject({
      code: 40001,
      details: [{ field: "carrier", message: `${carrier.name} is not set up: it lacks ${first}` }],
    });
    at.configure({});
    const lacksAll = await at.world.operator("PUT", "/websites/other", settings);
    const names = [...Object.keys(carrier.settings), "PUBLIC_ORIGIN"].join(", ");
    expect(await lacksAll.json()).toMatchObject({
      details: [{ field: "carrier", message: `${carrier.name} is not set up: it lacks ${names}` }],
    });
    expect((await at.world.operator("GET", "/websites/other")).status).toBe(404);
  });

  it("from a sender that the carrier does not take: the website is refused", async () => {
    for (const sender of carrier.badSenders) {
      const answer = await at.world.operator("PUT", "/websites/brand", {
        name: "Brand",
        carrier: carrier.name,
        sender,
      });
      expect([sender, answer.status, await answer.json()]).toMatchObject([
        sender,
        400,
        { code: 40001, details: [{ field: "sender", message: expect.stringMatching(/^must be /) }] },
      ]);
    }
  });
});

describe.each(OPTING_OUT)("$name, with a message", (carrier) => {
  it("to somebody who has opted out there: is FAILED_TO_SEND, and they are here too", async () => {
    const at = await CarrierWorld.create(carrier);
    at.answer = carrier.optOut?.refusal ?? carrier.accepts;
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
    vi.restoreAllMocks();
  });

  it("that confirms a STOP, which the carrier has obeyed itself: is no opt-out of its own in the report", async () => {
    const at = await CarrierWorld.create(carrier);
    await at.submit();
    at.answer = carrier.optOut?.refusal ?? carrier.accepts;
    await at.inbound("STOP", { from: ADA });
    await at.world.runQueues();
    expect(at.submitted).toHaveLength(2);
    const report = await (await at.world.operator("GET", "/websites/brand/report")).json();
    const { days } = (await (await at.world.operator("GET", "/overview")).json()) as { days: { optedOut: number }[] };
    expect(report).toMatchObject({ total: { optedOut: 1 } });
    expect(days.at(-1)).toMatchObject({ optedOut: 1, parted: 1 });
    vi.restoreAllMocks();
  });
});

describe("kannel, which says the same of a refused connection and of a broken one", () => {
  it("is tried again while nothing listens, without a submission, and then accepted", async () => {
    const kannel = CARRIERS[2] as (typeof CARRIERS)[number];
    const at = await CarrierWorld.create(kannel);
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
    vi.restoreAllMocks();
  });
});

describe("kannel, whose gateway is probed", () => {
  let at: CarrierWorld;

  beforeEach(async () => {
    at = await CarrierWorld.create(CARRIERS[2] as (typeof CARRIERS)[number]);
  });

  afterEach(() => {
    vi.restoreAllMocks();
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
    const run = beginRun(at.world.deps, "messages", new OutcomeTally(at.world.deps));
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

/** A body whose connection is lost after its first bytes. */
function breaksOff(): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  void writer
    .write(new TextEncoder().encode('{"sid":"SM1'))
    .then(() => writer.abort(new Error("Network connection lost.")))
    .catch(() => {});
  return readable;
}
