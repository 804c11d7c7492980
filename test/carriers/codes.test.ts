/**
 * What each code of a carrier is about, whether the text goes later, and why it has ended. The rows are facts of the carriers' own lists:
 * https://www.twilio.com/docs/api/errors, https://developers.telnyx.com/docs/messaging/messages/error-codes and
 * https://developers.telnyx.com/development/api-fundamentals/api-errors
 */
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Codes } from "../../src/carriers/codes.ts";
import { CODES as TELNYX_CODES } from "../../src/carriers/telnyx-codes.ts";
import { CODES as TWILIO_CODES } from "../../src/carriers/twilio-codes.ts";
import { failureReason } from "../../src/domain/messages/receipt.ts";
import { REASON_MEANINGS } from "../../src/openapi/meanings.ts";
import { accepted, carrierOf, NOW, requestOf, submitTo } from "./alone.ts";
import { kannel } from "./kannel.ts";
import { telnyx } from "./telnyx.ts";
import { json, type TestCarrier, text } from "./test-carrier.ts";
import { twilio } from "./twilio.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

type Fact = [
  about: string,
  then: "later" | "once fixed" | "final" | "permanent" | "unknown",
  reason: string,
  codes: string,
];

const TWILIO: Fact[] = [
  ["number", "permanent", "", "21211 21614 30005 30006"],
  ["number", "final", "", "21214 30003 30004"],
  ["number", "final", "OPTED_OUT", "21610"],
  ["number", "final", "MEDIA_NOT_SUPPORTED", "30011"],
  ["text", "final", "", "12300 21617 21620 21623"],
  ["text", "final", "CARRIER_FILTERED", "30007"],
  ["sender", "later", "SENDER_LIMIT", "14107 21611 30001 30022 30023 30027 30036 63038"],
  ["sender", "final", "", "21606 21612 21659 21701 21703"],
  ["sender", "final", "MEDIA_NOT_SUPPORTED", "21621"],
  ["sender", "final", "CARRIER_FILTERED", "30024 30032 30033 30034 30035 30040 30041 30042"],
  ["account", "later", "", "20429"],
  ["account", "later", "SENDER_LIMIT", "60728 63017"],
  ["account", "once fixed", "", "10001 20003 20005 20404 57019 70051 90010"],
  ["account", "final", "", "21408"],
  ["account", "final", "CARRIER_FILTERED", "30002 30037 30450 30453 30454"],
  ["carrier", "final", "", "30008 30017 30500"],
  ["carrier", "unknown", "", "30046 30410"],
];

const TELNYX: Fact[] = [
  ["number", "permanent", "", "40001 40012 40310"],
  ["number", "final", "", "40004 40006 40008"],
  ["number", "final", "OPTED_OUT", "40300"],
  ["text", "final", "", "40009 40302 40304 40316 40317"],
  ["text", "final", "CARRIER_FILTERED", "40017 40322"],
  ["sender", "later", "SENDER_LIMIT", "40011 40014 40016 40018 40318 40333"],
  ["sender", "final", "", "40301 40305 40306 40307 40308 40312 40325"],
  [
    ...(["sender", "final", "CARRIER_FILTERED"] as const),
    "40002 40003 40010 40013 40015 40019 40020 40100 40150 40151 40155 40315 40320 40329 40330",
  ],
  ["account", "later", "", "10011 10012"],
  ["account", "once fixed", "", "10009 10010 20012 20100"],
  ["account", "final", "", "40309 40331"],
  ["account", "final", "CARRIER_FILTERED", "40314"],
  ["carrier", "final", "", "40005"],
];

const CARRIERS: { carrier: TestCarrier; facts: Fact[]; table: Codes; unknown: string[]; answer: Answer }[] = [
  {
    ...{ carrier: twilio, facts: TWILIO, table: TWILIO_CODES, unknown: ["3000", "300077", "39999"] },
    answer: (code, status) =>
      json({ code: typeof code === "string" ? Number(code) : code, message: "Why", status }, status),
  },
  {
    ...{ carrier: telnyx, facts: TELNYX, table: TELNYX_CODES, unknown: ["4001", "400022", "40999"] },
    answer: (code, status) => json({ errors: [{ code, title: "Why" }] }, status),
  },
];

type Answer = (code: string, status: number) => Response;

const rowsOf = (facts: Fact[]) =>
  facts.flatMap(([about, then, reason, codes]) => codes.split(" ").map((code) => [code, about, then, reason] as const));

/** What a receipt of a failure with this code reports. */
async function reported(carrier: TestCarrier, error: string) {
  const hook = await carrier.receipt(await accepted(carrier), { status: carrier.failed, error }, NOW);
  const verified = await carrierOf(carrier).readReceipts(requestOf(hook));
  const [receipt] = verified.kind === "verified" ? verified.reports : [];
  if (!receipt) return undefined;
  const { status, carrierCode, optedOut, numberFault } = receipt;
  return [status, failureReason(receipt), carrierCode, optedOut, ...(numberFault ? [numberFault] : [])];
}

describe.each(CARRIERS)("$carrier.name", ({ carrier, facts, table, unknown, answer }) => {
  const rows = rowsOf(facts);
  const answered = async (code: string, status: number) =>
    (await submitTo(carrier, () => answer(code, status))).submission;

  it("has a line for each code, and no other", () => {
    const found = [...table].map(([code, { about, outcome, reason = "" }]) => [
      code,
      about,
      outcome.replace("-", " "),
      reason,
    ]);
    expect(found.toSorted()).toEqual(rows.map((row) => [...row]).toSorted());
  });

  it.each(rows.filter(([, , then]) => then !== "unknown"))(
    "%s in a receipt ends the text: it is about the %s, %s %s",
    async (code, _, then, reason) => {
      const fault = then === "permanent" ? [code] : [];
      const expected = ["FAILED_TO_DELIVERY", reason || "UNDELIVERED", code, reason === "OPTED_OUT", ...fault];
      expect(await reported(carrier, code)).toEqual(expected);
    },
  );

  it.each(rows.filter(([, , then]) => then === "later" || then === "once fixed"))(
    "%s in an answer is about the %s, and the text goes later (%s), whatever the status",
    async (code, failing, then) => {
      const expected = {
        ...{ kind: "later", failing, reason: expect.stringContaining(code) },
        ...(then === "once fixed" ? { unauthorized: true } : {}),
      };
      for (const status of [400, 401, 402, 403, 404, 409, 422, 429, 500, 503])
        expect([status, await answered(code, status)]).toEqual([status, expected]);
    },
  );

  it.each(rows.filter(([, , then]) => then === "final" || then === "permanent"))(
    "%s in an answer is about the %s, and ends the text (%s) %s",
    async (code, about, then, reason) => {
      const fault = then === "permanent" ? { numberFault: code } : {};
      const named = reason === "OPTED_OUT" ? { optedOut: true } : reason === "" ? fault : { code: reason };
      const others = about === "number" || about === "text" ? {} : { about };
      for (const status of [400, 401, 402, 403, 404, 409, 422]) {
        const expected = { kind: "refused", reason: expect.stringContaining(code), ...named, ...others };
        expect([status, await answered(code, status)]).toEqual([status, expected]);
      }
      expect(await answered(code, 429)).toMatchObject({ kind: "later", failing: "account" });
      expect(await answered(code, 500)).toMatchObject({ kind: "unknown", failing: "carrier" });
    },
  );

  it.each(unknown)("%s, which no list has, ends the text without a reason of its own", async (code) => {
    expect(await reported(carrier, code)).toEqual(["FAILED_TO_DELIVERY", "UNDELIVERED", code, false]);
    expect(await answered(code, 400)).toEqual({ kind: "refused", reason: expect.stringContaining(code) });
    expect(await answered(code, 429)).toMatchObject({ kind: "later", failing: "account" });
  });

  it.each([402, 429])("%d without a code is about the account", async (status) => {
    const { submission } = await submitTo(carrier, () => text("", status));
    expect(submission).toMatchObject({ kind: "later", failing: "account" });
  });
});

it.each(["30046", "30410"])(
  "twilio, of which nobody knows what became of the text (%s): it stays SENDING",
  async (code) => {
    expect(await reported(twilio, code)).toEqual(["SENDING", null, undefined, false]);
    const { submission } = await submitTo(twilio, () => json({ code: Number(code) }, 400));
    expect(submission).toMatchObject({ kind: "unknown", failing: "carrier" });
  },
);

it.each([
  ["a number", 40318, { kind: "later", failing: "sender" }],
  ["a number", 40300, { kind: "refused", optedOut: true }],
  ["a number", 40010, { kind: "refused", code: "CARRIER_FILTERED" }],
])("telnyx, whose code is %s: %d", async (_, code, expected) => {
  const { submission } = await submitTo(telnyx, () => json({ errors: [{ code }] }, 403));
  expect(submission).toMatchObject({ ...expected, reason: `telnyx: HTTP 403, ${code}` });
});

it("twilio, whose code is a string", async () => {
  const { submission } = await submitTo(twilio, () => json({ code: "21611" }, 400));
  expect(submission).toMatchObject({ kind: "later", failing: "sender", reason: "twilio: HTTP 400, 21611" });
});

it.each<[codes: string[], expected: Record<string, unknown>]>([
  [["40318", "40300"], { kind: "refused", optedOut: true }],
  [["40009", "40010"], { kind: "refused", code: "CARRIER_FILTERED" }],
  [["99999", "20100"], { kind: "later", failing: "account", unauthorized: true }],
])("telnyx, with several errors: %j", async (codes, expected) => {
  const { submission } = await submitTo(telnyx, () => json({ errors: codes.map((code) => ({ code })) }, 400));
  expect(submission).toMatchObject(expected);
});

it.each<[status: number, body: string, expected: Record<string, unknown>]>([
  [503, "Temporal failure, try again later.", { kind: "later", failing: "account" }],
  [429, "", { kind: "later", failing: "account" }],
  [403, "Authorization failed for sendsms", { kind: "later", failing: "account", unauthorized: true }],
  [403, "Not routable. Do not try again.", { kind: "refused" }],
  [400, "Empty receiver number not allowed, rejected", { kind: "refused" }],
  [500, "", { kind: "unknown", failing: "carrier" }],
  [530, "", { kind: "later", failing: "carrier" }],
])("kannel answers %d %s", async (status, body, expected) => {
  const { submission } = await submitTo(kannel, () => text(body, status));
  expect(submission).toEqual({ ...expected, reason: expect.stringContaining(`kannel: HTTP ${status}`) });
});

it.each([
  ["NACK/validity expired", "CARRIER_UNAVAILABLE"],
  ["NACK/0x0000000b/Invalid Destination Address", "UNDELIVERED"],
  ["NACK/", "UNDELIVERED"],
])("kannel, whose gateway gives a text up with %s", async (answer, reason) => {
  const hook = await kannel.receipt(await accepted(kannel), { status: "16" }, NOW);
  const url = hook.url.replace(/answer=[^&]*/, `answer=${encodeURIComponent(answer)}`);
  const verified = await carrierOf(kannel).readReceipts(requestOf({ ...hook, url }));
  const [receipt] = verified.kind === "verified" ? verified.reports : [];
  expect(receipt && [receipt.status, failureReason(receipt)]).toEqual(["FAILED_TO_DELIVERY", reason]);
});

it("SENDER_LIMIT is about pace, and no number is unsubscribed for it", () => {
  expect(REASON_MEANINGS.SENDER_LIMIT.advice).toMatch(/send more slowly.*unsubscribe nobody/);
});
