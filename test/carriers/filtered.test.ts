/**
 * What a carrier blocks because of the operator's sender or of the text is CARRIER_FILTERED, in a refusal and in a receipt. Nobody is
 * to be unsubscribed for it. The codes are those of the carriers' own lists:
 * https://www.twilio.com/docs/api/errors and https://developers.telnyx.com/docs/messaging/messages/error-codes
 */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import carriersPage from "../../docs/carriers.md?raw";
import { failureReason } from "../../src/domain/messages/receipt.ts";
import { REASON_MEANINGS } from "../../src/openapi/meanings.ts";
import { accepted, carrierOf, NOW, requestOf, submitTo } from "./alone.ts";
import { CarrierWorld, mockSockets } from "./carrier-world.ts";
import { telnyx } from "./telnyx.ts";
import { json, type TestCarrier } from "./test-carrier.ts";
import { twilio } from "./twilio.ts";

mockSockets();

afterEach(() => {
  vi.restoreAllMocks();
});

interface Codes {
  carrier: TestCarrier;
  refuse(code: string): Response;
  /** The sender, its registration or the text is blocked. */
  filtered: string[];
  /** The number, the phone or the person is the cause, or nobody knows. */
  undelivered: string[];
}

const CODES: Codes[] = [
  {
    carrier: twilio,
    refuse: (code) => json({ code: Number(code), message: "Blocked", status: 400 }, 400),
    filtered: [
      ...["30002", "30007", "30022", "30023", "30024", "30027", "30032", "30033", "30034", "30035"],
      ...["30037", "30040", "30041", "30042", "30450", "30453", "30454"],
    ],
    undelivered: ["30003", "30004", "30005", "30006", "30008", "3000", "300077"],
  },
  {
    carrier: telnyx,
    refuse: (code) => json({ errors: [{ code, title: "Blocked" }] }, 403),
    filtered: [
      ...["40002", "40003", "40010", "40011", "40013", "40015", "40016", "40017", "40018", "40100"],
      ...["40150", "40151", "40314", "40315", "40322", "40329"],
    ],
    undelivered: ["40001", "40004", "40005", "40006", "40008", "40009", "40012", "40014", "4001", "400022"],
  },
];

let at: CarrierWorld;

/** What a receipt of a failure with this code reports. */
async function reported(carrier: TestCarrier, error: string) {
  const hook = await carrier.receipt(await accepted(carrier), { status: carrier.failed, error }, NOW);
  const verified = await carrierOf(carrier).readReceipts(requestOf(hook));
  const [receipt] = verified.kind === "verified" ? verified.reports : [];
  return receipt && [receipt.status, failureReason(receipt), receipt.carrierCode, receipt.optedOut];
}

describe.each(CODES)("$carrier.name", ({ carrier, refuse, filtered, undelivered }) => {
  const others = undelivered.filter((code) => code.length === 5);

  it.each(filtered)("says so with %s, in a receipt and in a refusal", async (code) => {
    expect(await reported(carrier, code)).toEqual(["FAILED_TO_DELIVERY", "CARRIER_FILTERED", code, false]);
    const { submission } = await submitTo(carrier, () => refuse(code));
    const reason = expect.stringContaining(code);
    expect(submission).toEqual({ kind: "refused", reason, code: "CARRIER_FILTERED" });
  });

  it.each(undelivered)("says in a receipt with %s that the text is undelivered", async (code) => {
    expect(await reported(carrier, code)).toEqual(["FAILED_TO_DELIVERY", "UNDELIVERED", code, false]);
  });

  it.each(others)("says in a refusal with %s that it refused", async (code) => {
    const { submission } = await submitTo(carrier, () => refuse(code));
    expect(submission).toEqual({ kind: "refused", reason: expect.stringContaining(code) });
  });
});

describe("a text that a carrier has filtered", () => {
  beforeEach(async () => {
    at = await CarrierWorld.create(twilio);
  });

  it("is told to its client, in the status, and leaves the number subscribed", async () => {
    const submitted = await at.submit();
    await at.receipt(submitted, twilio.failed, "30007");
    expect(await at.message(submitted.messageId)).toMatchObject({
      ...{ status: "FAILED_TO_DELIVERY", reason: "CARRIER_FILTERED", reasonDetail: expect.stringContaining("30007") },
    });
    const answer = await at.world.post("/text/message/statuses", at.client, { messageIds: [submitted.messageId] });
    expect(await answer.json()).toMatchObject({ messages: [{ reason: "CARRIER_FILTERED" }] });
    expect((await at.person(submitted.to)).subscribed).toBe(true);
  });

  it("in a refusal, is FAILED_TO_SEND, and leaves the number subscribed", async () => {
    at.answer = () => json({ code: 30007, message: "Blocked", status: 400 }, 400);
    const { messageId, to } = await at.submit();
    expect(await at.message(messageId)).toMatchObject({
      ...{ status: "FAILED_TO_SEND", reason: "CARRIER_FILTERED", reasonDetail: expect.stringContaining("30007") },
    });
    expect((await at.person(to)).subscribed).toBe(true);
  });

  it("is no opt-out, which has a reason of its own", async () => {
    const submitted = await at.submit();
    await at.receipt(submitted, twilio.optOut?.receipt.status ?? "", twilio.optOut?.receipt.error);
    expect((await at.message(submitted.messageId)).reason).toBe("OPTED_OUT");
  });
});

it("docs/carriers.md lists the same codes", () => {
  const [, table = ""] = carriersPage.split("| CARRIER_FILTERED, in a refusal or a receipt: filtered |");
  const rows = `| |${table}`.split("| UNDELIVERED")[0]?.trim().split("\n") ?? [];
  const column = (place: number) => rows.flatMap((row) => row.split("|")[place]?.match(/\d{5}/g) ?? []).sort();
  expect([column(2), column(3)]).toEqual(CODES.map(({ filtered }) => [...filtered].sort()));
});

it("nobody is told to unsubscribe many people for a fault of the operator's", () => {
  expect(REASON_MEANINGS.CARRIER_FILTERED.advice).toContain("unsubscribe nobody");
  expect(REASON_MEANINGS.UNDELIVERED.advice).toMatch(/many numbers at once, unsubscribe nobody/);
});
