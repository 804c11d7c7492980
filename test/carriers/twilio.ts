import { TWILIO_ANSWER, twilioRequestFaults } from "./descriptions.ts";
import {
  type Hook,
  json,
  PUBLIC_ORIGIN,
  type ReceiptGiven,
  type Submitted,
  type TestCarrier,
  text,
} from "./test-carrier.ts";

const ACCOUNT_SID = "AC00000000000000000000000000000000";
const AUTH_TOKEN = "0123456789abcdef0123456789abcdef";
const MESSAGE_SID = "SM11111111111111111111111111111111";

const refusal = (status: number, code: number, message: string, headers: Record<string, string> = {}) =>
  json({ code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status }, status, headers);

export const twilio: TestCarrier = {
  name: "twilio",
  settings: { TWILIO_ACCOUNT_SID: ACCOUNT_SID, TWILIO_AUTH_TOKEN: AUTH_TOKEN },
  senders: ["+12125550000", "12345", "MG33333333333333333333333333333333"],
  badSenders: [null, "Brand", "2125550000", "MG3", "+1", "XX33333333333333333333333333333333"],
  carriesMedia: true,
  isSubmission: (request) => request.url.startsWith("https://api.twilio.com/"),
  read: (request, body) => {
    const form = new URLSearchParams(body);
    const receiptUrl = form.get("StatusCallback") ?? "";
    return {
      messageId: new URL(receiptUrl).searchParams.get("m") ?? "",
      to: form.get("To") ?? "",
      from: form.get("From") ?? form.get("MessagingServiceSid") ?? "",
      text: form.get("Body") ?? "",
      mediaUrls: form.getAll("MediaUrl"),
      receiptUrl,
      faults: [
        ...twilioRequestFaults(request, body),
        ...(request.headers.get("authorization") === `Basic ${btoa(`${ACCOUNT_SID}:${AUTH_TOKEN}`)}`
          ? []
          : ["account"]),
      ],
    };
  },
  accepts: () => json({ ...TWILIO_ANSWER, sid: MESSAGE_SID }, 201),
  carrierMessageId: MESSAGE_SID,
  refusals: [
    [
      "400, no such number",
      () => refusal(400, 21211, "Invalid 'To' Phone Number"),
      /^twilio: HTTP 400, 21211: Invalid/,
    ],
    [
      "403, with a code that is about the message",
      () => refusal(403, 21408, "Permission to send an SMS has not been enabled for the region"),
      /^twilio: HTTP 403, 21408: Permission/,
    ],
    [
      "404, with such a code",
      () => refusal(404, 21701, "No such service"),
      /^twilio: HTTP 404, 21701: No such service$/,
    ],
    ["422 in HTML", () => text("<html>", 422), /^twilio: HTTP 422$/],
  ],
  unauthorized: [
    ["401, another token", () => refusal(401, 20003, "Authenticate")],
    ["403, a closed account", () => refusal(403, 20005, "Account not active")],
    ["404, no such account", () => refusal(404, 20404, "The requested resource was not found")],
    ["404 in HTML, no such path", () => text("<html>", 404)],
    ["403 without a code", () => json({ message: "Forbidden" }, 403)],
  ],
  laters: [
    ["429", () => refusal(429, 20429, "Too Many Requests"), undefined],
    ["429 with retry-after", () => refusal(429, 20429, "Too Many Requests", { "retry-after": "42" }), 42],
  ],
  unknowns: [
    ["503", () => text("", 503)],
    ["201 in HTML", () => text("<html>", 201)],
    ["201 without a sid", () => json({ status: "queued" }, 201)],
  ],
  statuses: {
    accepted: "SENDING",
    scheduled: "SENDING",
    queued: "SENDING",
    sending: "SENDING",
    sent: "SENDING",
    delivered: "DELIVERED",
    read: "DELIVERED",
    partially_delivered: "DELIVERED",
    undelivered: "FAILED_TO_DELIVERY",
    failed: "FAILED_TO_DELIVERY",
    canceled: "FAILED_TO_DELIVERY",
  },
  sent: "sent",
  delivered: "delivered",
  failed: "undelivered",
  failedReason: /^twilio: undelivered, 30005$/,
  withoutMedia: "30011",
  receipt: (submitted, given) => sign(submitted.receiptUrl, receiptForm(submitted, given)),
  inbound: ({ id, from, to, text, more }) =>
    sign(`${PUBLIC_ORIGIN}/carriers/twilio/inbound`, {
      ToCountry: "US",
      ToCity: "",
      MessageSid: id,
      SmsSid: id,
      SmsStatus: "received",
      NumMedia: "0",
      NumSegments: "1",
      From: from,
      To: to,
      Body: text,
      AccountSid: ACCOUNT_SID,
      ApiVersion: "2010-04-01",
      ...more,
    }),
  forgeries: async (of, other) => {
    const form = receiptForm(of, { status: "delivered" });
    const good = await sign(of.receiptUrl, form);
    return [
      ["without a signature", { ...good, headers: omit(good.headers, "x-twilio-signature") }],
      ["with an empty signature", { ...good, headers: { ...good.headers, "x-twilio-signature": "" } }],
      ["with a signature that is no Base64", { ...good, headers: { ...good.headers, "x-twilio-signature": "%%%" } }],
      ["signed with another token", await sign(of.receiptUrl, form, "f".repeat(32))],
      ["with a status changed", { ...good, body: good.body?.replaceAll("delivered", "failed") ?? "" }],
      ["with a field added", { ...good, body: `${good.body}&ErrorCode=21610` }],
      ["for another message", { ...good, url: other.receiptUrl }],
      ["with its query changed", { ...good, url: `${of.receiptUrl}&x=1` }],
      ["as a GET", { method: "GET", url: good.url, headers: good.headers }],
    ];
  },
  optOut: {
    refusal: () => refusal(400, 21610, "Attempt to send to unsubscribed recipient"),
    receipt: { status: "failed", error: "21610" },
  },
};

function receiptForm({ to, from }: Submitted, { status, error }: ReceiptGiven): Record<string, string> {
  return {
    SmsSid: MESSAGE_SID,
    SmsStatus: status,
    MessageStatus: status,
    To: to,
    MessageSid: MESSAGE_SID,
    AccountSid: ACCOUNT_SID,
    From: from,
    ApiVersion: "2010-04-01",
    ...(error === undefined && status !== "undelivered" ? {} : { ErrorCode: error ?? "30005" }),
  };
}

async function sign(url: string, fields: Record<string, string>, token = AUTH_TOKEN): Promise<Hook> {
  const signed = Object.keys(fields)
    .sort()
    .reduce((before, name) => before + name + fields[name], url);
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-1" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(token), algorithm, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(signed))).toBase64();
  return {
    method: "POST",
    url,
    headers: { "content-type": "application/x-www-form-urlencoded; charset=UTF-8", "x-twilio-signature": signature },
    body: new URLSearchParams(fields).toString(),
  };
}

function omit(headers: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
}
