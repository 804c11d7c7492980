/** The forms of a time that RFC 3339 has, in each field that takes one: its section 5.6 lets "T" and "Z" be lower case. */
import { describe, expect, it } from "vitest";
import { trySendRequest } from "../../../src/domain/messages/send-request.ts";
import { readConsentCells } from "../../../src/domain/people/consent.ts";
import { trySubscribeRequest } from "../../../src/domain/people/subscribe-request.ts";

const AT = Date.UTC(2026, 10, 27, 14);
const LINK = "https://l.example/l/AAAAAAAAAA";

const FORMS: [time: string, at: number][] = [
  ["2026-11-27T14:00:00Z", AT],
  ["2026-11-27T14:00:00z", AT],
  ["2026-11-27t14:00:00Z", AT],
  ["2026-11-27t09:00:00-05:00", AT],
  ["2026-11-27t14:00:00.5z", AT + 500],
  ["2026-11-27T14:00:00.000000001Z", AT],
];

const send = (times: object, now: number) => {
  const body = { phone: "+12125550100", text: "hi", callbackData: "", sendPurpose: "a", ...times };
  return trySendRequest(body, LINK, now);
};

describe.each(FORMS)("%s", (time, at) => {
  it("is when a message may go, and until when", () => {
    expect(send({ sendAt: time }, AT - 1000).data?.sendAt).toBe(at);
    expect(send({ expireAt: time }, AT - 1000).data?.expireAt).toBe(at);
    expect(send({ sendAt: time }, at - 36 * 86_400_000).details).toMatchObject([{ field: "sendAt" }]);
  });

  it("is when people agreed, in a request and in a file", () => {
    const body = { phone_numbers: ["+12125550100"], sendPurpose: "a", consentedAt: time };
    expect(trySubscribeRequest(body, AT).data?.consent?.consentedAt).toBe(at);
    const none = (fault: object) => expect(fault).toBeUndefined();
    expect(readConsentCells({ time, evidence: null }, AT, none)?.consentedAt).toBe(at);
  });
});
