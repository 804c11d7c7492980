/** What we ask of Twilio and Telnyx is what they publish, and so is what our tests have them answer. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { submitTo } from "./alone.ts";
import {
  TWILIO_ANSWER,
  telnyxAnswerFaults,
  telnyxReceiptFaults,
  telnyxRefusalFaults,
  telnyxRequestFaults,
  twilioAnswerFaults,
  twilioRequestFaults,
} from "./descriptions.ts";
import { testDrawnRequests } from "./drawn-requests.ts";
import { telnyx } from "./telnyx.ts";
import { json } from "./test-carrier.ts";
import { twilio } from "./twilio.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each([twilio, telnyx])("a request to $name", (carrier) => {
  testDrawnRequests(carrier, 20);

  it("holds no secret in its URL", async () => {
    const { requests } = await submitTo(carrier);
    for (const secret of ["0123456789abcdef", "KEY0123"]) expect(requests[0]?.request.url).not.toContain(secret);
  });
});

describe("the descriptions", () => {
  const request = (url: string, type: string) =>
    new Request(url, { method: "POST", headers: { "content-type": type } });

  it("find a misspelt, a missing and a doubled field, and a wrong path, of Twilio's", () => {
    const url = "https://api.twilio.com/2010-04-01/Accounts/AC00000000000000000000000000000000/Messages.json";
    const faults = (body: string, at = url) =>
      twilioRequestFaults(request(at, "application/x-www-form-urlencoded"), body);
    const good = "To=%2B12125550100&From=%2B12125550000&Body=hi";
    expect(faults(good)).toEqual([]);
    for (const bad of [
      `${good}&Statuscallback=https%3A%2F%2Fa.b`,
      `${good}&To=%2B1212`,
      "From=1234&Body=a",
      "To=1234&Body=a",
    ]) {
      expect([bad, faults(bad).length]).toEqual([bad, 1]);
    }
    expect(faults(good, url.replace("Messages", "Message"))).not.toEqual([]);
    expect(faults(good, url.replace("AC0", "XX0"))).not.toEqual([]);
  });

  it("find a misspelt, a missing and a wrong field, and a wrong path, of Telnyx's", () => {
    const url = "https://api.telnyx.com/v2/messages";
    const faults = (body: unknown, at = url) =>
      telnyxRequestFaults(request(at, "application/json"), JSON.stringify(body));
    const good = { to: "+12125550100", from: "+12125550000", text: "hi" };
    expect(faults(good)).toEqual([]);
    expect(faults({ ...good, webhookUrl: "https://a.b" })).not.toEqual([]);
    expect(faults({ ...good, media_urls: "https://a.b" })).not.toEqual([]);
    expect(faults({ from: "1", text: "hi" })).not.toEqual([]);
    expect(faults(good, `${url}/`)).not.toEqual([]);
  });

  it("find an event of Telnyx's that it does not send", () => {
    expect(telnyxReceiptFaults({ data: { payload: { to: [{ status: "lost" }] } } })).not.toEqual([]);
  });
});

describe("an answer as published", () => {
  it.each([
    ["from a number", { from: "+12125550000", messaging_service_sid: null }],
    ["from a service", {}],
    ["queued, with everything null that may be", { body: null, price: null, date_sent: null, error_code: null }],
    ["of an MMS", { sid: `MM${"1".repeat(32)}`, num_media: "1", status: "accepted" }],
  ])("of Twilio's, %s: is accepted under its sid", async (_, fields) => {
    const answer = { ...TWILIO_ANSWER, ...fields };
    expect(twilioAnswerFaults(answer)).toEqual([]);
    expect((await submitTo(twilio, () => json(answer, 201))).submission).toEqual({
      kind: "accepted",
      carrierMessageId: answer.sid,
    });
  });

  it("of Telnyx's: is accepted under its id", async () => {
    const id = crypto.randomUUID();
    const to = [{ phone_number: "+12125550100", status: "queued", carrier: "EXAMPLE", line_type: "Wireless" }];
    for (const fields of [{}, { type: "MMS", media: [{ url: "https://a.b/c.jpg" }] }, { sent_at: null, cost: null }]) {
      const answer = { data: { record_type: "message", direction: "outbound", id, type: "SMS", to, ...fields } };
      expect(telnyxAnswerFaults(answer)).toEqual([]);
      expect((await submitTo(telnyx, () => json(answer, 200))).submission).toEqual({
        kind: "accepted",
        carrierMessageId: id,
      });
    }
  });

  it("of Telnyx's that refuses: is refused with its first error, an opt-out wherever it stands", async () => {
    const optedOut = { code: "40300", title: "Blocked due to STOP message", detail: "d", source: { pointer: "/to" } };
    const other = { code: "40305", title: "Invalid 'from' address", meta: { url: "https://a.b" } };
    for (const errors of [[optedOut], [other], [other, optedOut]]) {
      expect(telnyxRefusalFaults({ errors })).toEqual([]);
      const [{ code, title } = other] = errors;
      expect((await submitTo(telnyx, () => json({ errors }, 409))).submission).toEqual({
        kind: "refused",
        reason: `telnyx: HTTP 409, ${code}: ${title}`,
        ...(errors.includes(optedOut) ? { optedOut: true } : { about: "sender" }),
      });
    }
  });

  it("of Twilio's that says who takes no media: has a reason of its own", async () => {
    expect(
      (await submitTo(twilio, () => json({ code: 21621, message: "No MMS from this number", status: 400 }, 400)))
        .submission,
    ).toMatchObject({ kind: "refused", code: "MEDIA_NOT_SUPPORTED" });
  });

  it("that the suite has the carriers give is one of these", async () => {
    expect(twilioAnswerFaults(await (await twilio.accepts()).json())).toEqual([]);
    expect(telnyxAnswerFaults(await (await telnyx.accepts()).json())).toEqual([]);
    expect(telnyxRefusalFaults(await (await telnyx.optOut?.refusal())?.json())).toEqual([]);
  });
});
