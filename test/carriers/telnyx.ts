import { TELNYX_STATUSES, telnyxInboundFaults, telnyxReceiptFaults, telnyxRequestFaults } from "./descriptions.ts";
import {
  type Hook,
  json,
  PUBLIC_ORIGIN,
  type ReceiptGiven,
  type Submitted,
  type TestCarrier,
  text,
} from "./test-carrier.ts";

const API_KEY = "KEY0123";
const MESSAGE_ID = "40385f64-5717-4562-b3fc-2c963f66afa6";
const PROFILE = "4000eba1-a0c0-4563-9925-b25e842a7cb6";

const PUBLISHED = new Set(TELNYX_STATUSES);

const generate = () => crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]) as Promise<CryptoKeyPair>;
const ours = await generate();
const others = await generate();
const publicKey = new Uint8Array((await crypto.subtle.exportKey("raw", ours.publicKey)) as ArrayBuffer).toBase64();

const refusal = (status: number, code: string, title: string, headers: Record<string, string> = {}) =>
  json({ errors: [{ code, title, detail: "Why, in many words." }] }, status, headers);

export const telnyx: TestCarrier = {
  name: "telnyx",
  settings: { TELNYX_API_KEY: API_KEY, TELNYX_PUBLIC_KEY: publicKey },
  senders: ["+12125550000", "12345", PROFILE],
  badSenders: [null, "Brand", "2125550000", "4000eba1", "+1"],
  carriesMedia: true,
  isSubmission: (request) => request.url.startsWith("https://api.telnyx.com/"),
  read: (request, body) => {
    const given = JSON.parse(body) as Record<string, string> & { media_urls?: string[] };
    const receiptUrl = given.webhook_url ?? "";
    return {
      messageId: new URL(receiptUrl).searchParams.get("m") ?? "",
      to: given.to ?? "",
      from: given.from ?? given.messaging_profile_id ?? "",
      text: given.text ?? "",
      mediaUrls: given.media_urls ?? [],
      receiptUrl,
      faults: [
        ...telnyxRequestFaults(request, body),
        ...(request.headers.get("authorization") === `Bearer ${API_KEY}` ? [] : ["key"]),
      ],
    };
  },
  accepts: () => json({ data: { id: MESSAGE_ID, record_type: "message", direction: "outbound" } }, 200),
  carrierMessageId: MESSAGE_ID,
  refusals: [
    ["400", () => refusal(400, "40310", "Invalid 'to' address"), /^telnyx: HTTP 400, 40310: Invalid 'to' address$/],
    [
      "403, with a code that is about the message",
      () => refusal(403, "40001", "Not allowed"),
      /^telnyx: HTTP 403, 40001: Not allowed$/,
    ],
    ["422 in HTML", () => text("<html>", 422), /^telnyx: HTTP 422$/],
    ["409 that is no opt-out", () => refusal(409, "10015", "Bad request"), /^telnyx: HTTP 409, 10015/],
  ],
  unauthorized: [
    ["401, another key", () => refusal(401, "10009", "Authentication failed")],
    ["403, a key without the right", () => refusal(403, "10010", "Authorization failed")],
    ["404, no such path", () => refusal(404, "10005", "Resource not found")],
    ["401 in HTML", () => text("<html>", 401)],
  ],
  laters: [
    ["429", () => refusal(429, "10011", "Too many requests"), undefined],
    ["429 with x-ratelimit-reset", () => refusal(429, "10011", "Too many requests", { "x-ratelimit-reset": "17" }), 17],
  ],
  unknowns: [
    ["503", () => text("", 503)],
    ["200 in HTML", () => text("<html>", 200)],
    ["200 without an id", () => json({ data: {} }, 200)],
  ],
  statuses: {
    queued: "SENDING",
    sending: "SENDING",
    sent: "SENDING",
    delivery_unconfirmed: "SENDING",
    delivered: "DELIVERED",
    sending_failed: "FAILED_TO_DELIVERY",
    delivery_failed: "FAILED_TO_DELIVERY",
    expired: "FAILED_TO_DELIVERY",
    scheduled: "SENDING",
    cancelled: "FAILED_TO_DELIVERY",
    read: "DELIVERED",
    failed: "FAILED_TO_DELIVERY",
    gw_reject: "FAILED_TO_DELIVERY",
    gw_timeout: "SENDING",
    dlr_timeout: "SENDING",
    dlr_unconfirmed: "SENDING",
  },
  sent: "sent",
  delivered: "delivered",
  failed: "delivery_failed",
  failedReason: /^telnyx: delivery_failed, 40001: Not deliverable$/,
  receipt: (submitted, given, now) => sign(submitted.receiptUrl, receiptEvent(submitted, given), now),
  inbound: ({ id, from, to, text, more }, now) =>
    sign(`${PUBLIC_ORIGIN}/carriers/telnyx/inbound`, inboundEvent({ id, from, to, text }, now, more), now),
  forgeries: async (of, other, now) => {
    const body = receiptEvent(of, { status: "delivered" });
    const good = await sign(of.receiptUrl, body, now);
    const without = (name: string) => ({ ...good, headers: { ...good.headers, [name]: "" } });
    const altered = (from: string, to: string) => ({ ...good, body: (good.body ?? "").replaceAll(from, to) });
    return [
      ["without a signature", without("telnyx-signature-ed25519")],
      ["without a time stamp", without("telnyx-timestamp")],
      [
        "with a signature that is no Base64",
        { ...good, headers: { ...good.headers, "telnyx-signature-ed25519": "%" } },
      ],
      ["signed with another key", await sign(of.receiptUrl, body, now, others.privateKey)],
      ["with a status changed", altered('"delivered"', '"delivery_failed"')],
      ["for another message", { ...altered(of.messageId, other.messageId), url: other.receiptUrl }],
      ["written anew, with the same meaning", altered('"errors":[]', '"errors": []')],
      ["more than 5 minutes old", await sign(of.receiptUrl, body, now - 301_000)],
      ["more than 5 minutes ahead", await sign(of.receiptUrl, body, now + 301_000)],
      [
        "old, with a new time stamp",
        {
          ...(await sign(of.receiptUrl, body, now - 301_000)),
          headers: { ...(await sign(of.receiptUrl, body, now - 301_000)).headers, "telnyx-timestamp": seconds(now) },
        },
      ],
      ["as a GET", { method: "GET", url: good.url, headers: good.headers }],
    ];
  },
  optOut: {
    refusal: () => refusal(409, "40300", "Blocked due to STOP message"),
    receipt: { status: "sending_failed", error: "40300" },
  },
};

const address = (phone_number: string, more = {}) => ({
  phone_number,
  carrier: "EXAMPLE",
  line_type: "Wireless",
  ...more,
});

function receiptEvent({ to, from, text, receiptUrl }: Submitted, { status, error }: ReceiptGiven): string {
  const isFailure = status.endsWith("failed") || error !== undefined;
  const code = error ?? "40001";
  const event = {
    data: {
      event_type: status === "sent" ? "message.sent" : "message.finalized",
      id: crypto.randomUUID(),
      occurred_at: "2026-11-21T12:00:00.123+00:00",
      payload: {
        id: MESSAGE_ID,
        record_type: "message",
        direction: "outbound",
        type: "SMS",
        messaging_profile_id: PROFILE,
        from: address(from),
        to: [address(to, { status: PUBLISHED.has(status) ? status : "sent" })],
        text,
        encoding: "GSM-7",
        parts: 1,
        tags: [],
        errors: isFailure
          ? [{ code, title: code === "40300" ? "Blocked due to STOP message" : "Not deliverable" }]
          : [],
        received_at: "2026-11-21T12:00:00.000+00:00",
        sent_at: null,
        webhook_url: receiptUrl,
        webhook_failover_url: null,
      },
      record_type: "event",
    },
    meta: { attempt: 1, delivered_to: receiptUrl },
  };
  const body = published(telnyxReceiptFaults, event);
  return PUBLISHED.has(status) ? body : body.replace('"status":"sent"', `"status":${JSON.stringify(status)}`);
}

function inboundEvent(given: { id: string; from: string; to: string; text: string }, now: number, more = {}): string {
  const event = {
    data: {
      event_type: "message.received",
      id: crypto.randomUUID(),
      occurred_at: "2026-11-21T12:00:00.123+00:00",
      payload: {
        id: given.id,
        record_type: "message",
        direction: "inbound",
        type: "SMS",
        messaging_profile_id: PROFILE,
        from: address(given.from),
        to: [address(given.to, { status: "webhook_delivered" })],
        text: given.text,
        encoding: "GSM-7",
        parts: 1,
        tags: [],
        errors: [],
        media: [],
        received_at: new Date(now).toISOString(),
        ...more,
      },
      record_type: "event",
    },
  };
  return published(telnyxInboundFaults, event);
}

/** What our tests say that Telnyx sends is what Telnyx says that it sends. */
function published(faultsOf: (value: unknown) => string[], event: unknown): string {
  const faults = faultsOf(event);
  if (faults.length > 0) throw new Error(`Telnyx sends no such event: ${faults.join("; ")}`);
  return JSON.stringify(event);
}

const seconds = (milliseconds: number) => String(Math.floor(milliseconds / 1000));

/** An inbound text in a form that the published description does not have. */
export const inboundOf = (payload: unknown, now: number): Promise<Hook> =>
  sign(
    `${PUBLIC_ORIGIN}/carriers/telnyx/inbound`,
    JSON.stringify({ data: { event_type: "message.received", payload } }),
    now,
  );

async function sign(url: string, body: string, now: number, key = ours.privateKey): Promise<Hook> {
  const signed = new TextEncoder().encode(`${seconds(now)}|${body}`);
  const signature = new Uint8Array(await crypto.subtle.sign("Ed25519", key, signed)).toBase64();
  const headers = {
    "content-type": "application/json",
    "telnyx-timestamp": seconds(now),
    "telnyx-signature-ed25519": signature,
  };
  return { method: "POST", url, headers, body };
}
