/** What every carrier must make of a receipt, by its functions alone. receipts.test.ts has what the Worker does with it. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { cutReceipt, failureReason } from "../../src/domain/messages/receipt.ts";
import { accepted, carrierOf, NOW, requestOf } from "./alone.ts";
import { BOB, CARRIERS, OPTING_OUT } from "./carrier-world.ts";
import { TELNYX_STATUSES, TWILIO_STATUSES } from "./descriptions.ts";
import telnyxLater from "./fixtures/telnyx-later.json" with { type: "json" };
import { kannel } from "./kannel.ts";
import { inboundOf, telnyx } from "./telnyx.ts";
import type { ReceiptGiven, Submitted, TestCarrier } from "./test-carrier.ts";
import { twilio } from "./twilio.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** What the carrier's functions make of a receipt. */
async function read(carrier: TestCarrier, submitted: Submitted, given: ReceiptGiven) {
  return carrierOf(carrier).readReceipts(requestOf(await carrier.receipt(submitted, given, NOW)));
}

/** The one report of a receipt, as it is queued. */
async function report(carrier: TestCarrier, submitted: Submitted, given: ReceiptGiven) {
  const verified = await read(carrier, submitted, given);
  if (verified.kind !== "verified" || verified.reports.length !== 1) throw new Error(JSON.stringify(verified));
  return verified.reports.map(cutReceipt)[0] as (typeof verified.reports)[number];
}

describe.each(CARRIERS)("$name, with a receipt", (carrier) => {
  it.each(Object.entries(carrier.statuses))("that says %s: reports %s of its message", async (word, status) => {
    const submitted = await accepted(carrier);
    expect(await report(carrier, submitted, { status: word })).toMatchObject({
      ...{ messageId: submitted.messageId, status, carrierMessageId: carrier.carrierMessageId, optedOut: false },
      reason: status === "FAILED_TO_DELIVERY" ? expect.stringMatching(`^${carrier.name}: `) : null,
    });
  });

  it("of a failure: says why, for the operator to read", async () => {
    const receipt = await report(carrier, await accepted(carrier), { status: carrier.failed });
    expect([failureReason(receipt), receipt.reason]).toEqual([
      "UNDELIVERED",
      expect.stringMatching(carrier.failedReason),
    ]);
  });

  it("of a failure at great length: is cut, because no queue would take it whole", async () => {
    const given = { status: carrier.failed, error: "9".repeat(150_000) };
    const receipt = await report(carrier, await accepted(carrier), given);
    expect(receipt.status).toBe(carrier.statuses[carrier.failed]);
    expect(JSON.stringify(receipt).length).toBeLessThan(1000);
  });

  it.each(["unheard-of", "", "constructor", "__proto__"])(
    "that says %j: reports nothing, and names it",
    async (status) => {
      const submitted = await accepted(carrier);
      expect(await read(carrier, submitted, { status })).toEqual({
        ...{ kind: "verified", reports: [], unknown: { messageId: submitted.messageId, status } },
      });
    },
  );

  it("that it has not sent: is forged", async () => {
    const [of, other] = [await accepted(carrier), await accepted(carrier, { to: BOB })];
    for (const [what, hook] of await carrier.forgeries(of, other, NOW)) {
      expect([what, await carrierOf(carrier).readReceipts(requestOf(hook))]).toEqual([what, { kind: "forged" }]);
    }
  });

  it("at the other path, of inbound texts: is forged or means nothing", async () => {
    const hook = await carrier.receipt(await accepted(carrier), { status: carrier.delivered }, NOW);
    const request = requestOf({ ...hook, url: hook.url.replace("/receipts", "/inbound") });
    const isVerified = carrier.name === "telnyx";
    expect(await carrierOf(carrier).readInbound(request)).toEqual(
      isVerified ? { kind: "verified", reports: [], isOurs: true } : { kind: "forged" },
    );
  });
});

describe.each(OPTING_OUT)("$name, with a receipt", (carrier) => {
  it("that says that the person has opted out there: reports it", async () => {
    const receipt = await report(carrier, await accepted(carrier), carrier.optOut?.receipt ?? { status: "" });
    expect(receipt).toMatchObject({ status: "FAILED_TO_DELIVERY", optedOut: true });
    expect(failureReason(receipt)).toBe("OPTED_OUT");
  });
});

describe("twilio, with a receipt", () => {
  it("of a failure for want of media: says so", async () => {
    const receipt = await report(twilio, await accepted(twilio), { status: twilio.failed, error: "30011" });
    expect(failureReason(receipt)).toBe("MEDIA_NOT_SUPPORTED");
  });
});

describe("telnyx, with a receipt", () => {
  it.each([
    ["failed", "FAILED_TO_DELIVERY", "telnyx: failed, 40311: Not deliverable"],
    ["gw_timeout", "SENDING", "telnyx: gw_timeout, 40311: Not deliverable"],
    ["delivery_unconfirmed", "SENDING", "telnyx: delivery_unconfirmed, 40311: Not deliverable"],
    ["delivered", "DELIVERED", null],
  ])("that says %s with a code: keeps the code, and why it is no delivery", async (status, expected, reason) => {
    const receipt = await report(telnyx, await accepted(telnyx), { status, error: "40311" });
    expect(receipt).toMatchObject({ status: expected, reason, carrierCode: "40311", optedOut: false });
  });

  it("that says what is in no table, with an opt-out: names it, and the deadline and the opt-out count", async () => {
    const submitted = await accepted(telnyx);
    expect(await read(telnyx, submitted, { status: "unheard-of", error: "40300" })).toMatchObject({
      reports: [{ messageId: submitted.messageId, status: "SENDING", carrierCode: "40300", optedOut: true }],
      unknown: { messageId: submitted.messageId, status: "unheard-of" },
    });
  });
});

describe("telnyx, with an inbound text of a later form", () => {
  it.each(telnyxLater.inbound)("$name: reads the STOP, and what was texted", async ({ to, payload }) => {
    expect(await carrierOf(telnyx).readInbound(requestOf(await inboundOf(payload, NOW)))).toMatchObject({
      kind: "verified",
      reports: [{ carrierMessageId: payload.id, from: "+12125550100", to, text: "STOP" }],
    });
  });
});

describe("the type of Kannel's receipt", () => {
  it.each([
    "-1",
    "0",
    "-2",
    "128",
    "129",
    "255",
    "65535",
    "4294967297",
    "1.0",
    "1.5",
    "1e0",
    "0x1",
    "%20 1",
    "%2B1",
    "1,2",
    "%25d",
    "NaN",
    "",
    "64",
    "96",
  ])("reports nothing where it is no mask, or has none of the bits that mean something: %s", async (type) => {
    const verified = await read(kannel, await accepted(kannel), { status: type });
    expect(verified).toMatchObject({ kind: "verified", reports: [], unknown: { messageId: expect.any(String) } });
  });

  it.each([
    ["1", "DELIVERED"],
    ["3", "DELIVERED"],
    ["65", "DELIVERED"],
    ["127", "DELIVERED"],
    ["2", "FAILED_TO_DELIVERY"],
    ["34", "FAILED_TO_DELIVERY"],
    ["66", "FAILED_TO_DELIVERY"],
    ["126", "FAILED_TO_DELIVERY"],
    ["16", "FAILED_TO_DELIVERY"],
    ["12", "SENDING"],
  ])("is a mask of seven bits: %s means %s", async (type, status) => {
    expect(await report(kannel, await accepted(kannel), { status: type })).toMatchObject({ status });
  });
});

describe("a status table", () => {
  /** Those of inbound texts. */
  const NOT_OURS = ["receiving", "received"];

  it("has every status that the carrier publishes", () => {
    expect([...Object.keys(twilio.statuses), ...NOT_OURS].sort()).toEqual([...TWILIO_STATUSES].sort());
    const all = [...TELNYX_STATUSES, ...telnyxLater.statuses].filter((status) => !NOT_OURS.includes(status));
    expect(Object.keys(telnyx.statuses).sort()).toEqual(all.sort());
  });
});
