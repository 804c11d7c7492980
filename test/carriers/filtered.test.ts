/**
 * What a carrier blocks because of the operator's sender or of the text is CARRIER_FILTERED, in a refusal and in a receipt. Nobody is
 * to be unsubscribed for it. The codes are those of the carriers' own lists:
 * https://www.twilio.com/docs/api/errors and https://developers.telnyx.com/docs/messaging/messages/error-codes
 */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { REASON_MEANINGS } from "../../src/openapi/meanings.ts";
import { CarrierWorld, mockSockets } from "./carrier-world.ts";
import { json } from "./test-carrier.ts";
import { twilio } from "./twilio.ts";

mockSockets();

afterEach(() => {
  vi.restoreAllMocks();
});

let at: CarrierWorld;

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

it("nobody is told to unsubscribe many people for a fault of the operator's", () => {
  expect(REASON_MEANINGS.CARRIER_FILTERED.advice).toContain("unsubscribe nobody");
  expect(REASON_MEANINGS.UNDELIVERED.advice).toMatch(/many numbers at once, unsubscribe nobody/);
});
