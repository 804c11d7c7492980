// Pure. The body of a callback and its signature.
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import * as z from "zod";
import { MESSAGE_STATUSES, type MessageStatus } from "../messages/message.ts";
import { type Reason, reasonSchema } from "../messages/reason.ts";
import { KEYWORDS } from "../people/keyword.ts";

/** Id of an event with a callback to post: `<messageId>_<event>`; of a notice, its id and type. */
export type DueEvent = string;

export const MESSAGE_EVENT_TYPES = ["message.status", "message.clicked"] as const;

/** The types of notices, which tell of an inbound text, of a change of a subscription, or of a number. They belong to no message. */
export const NOTICE_TYPES = ["message.received", "subscription.changed", "number.unreachable"] as const;

export const EVENT_TYPES = [...MESSAGE_EVENT_TYPES, ...NOTICE_TYPES] as const;

export type NoticeType = (typeof NOTICE_TYPES)[number];

/** What the one attempt of a callback came to. */
export const ATTEMPT_OUTCOMES = ["answered", "timed-out", "unreachable", "not-posted"] as const;

export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

const messageFields = {
  eventId: z.string(),
  messageId: z.uuid(),
  reason: reasonSchema,
  occurredAt: z.iso.datetime(),
  phone: z.string().nullable().describe("Null if no number was found."),
  sendPurpose: z.string(),
  callbackData: z.string().describe("As the send request has it, byte for byte."),
};

/** The bodies of callbacks. */
export const callbackSchemas = {
  status: z.object({
    ...messageFields,
    eventType: z.literal("message.status"),
    status: z.enum(MESSAGE_STATUSES.filter((status) => status !== "PENDING_TO_SEND")),
  }),
  click: z.object({
    ...messageFields,
    eventType: z.literal("message.clicked"),
    status: z.enum(MESSAGE_STATUSES).describe("The status when the event is posted."),
    clickUrl: z.string().describe("The `clickUrl` of the send request."),
  }),
  received: z.object({
    eventId: z.string(),
    eventType: z.literal("message.received"),
    from: z.string().describe("E.164, or as the carrier gives it if it is no phone number."),
    to: z
      .string()
      .describe('The sender of the website that was texted, as the carrier gives it; `""` if it gives none.'),
    text: z.string(),
    mediaUrls: z.array(z.string()).describe("URLs at the carrier. Some carriers ask for credentials there."),
    receivedAt: z.iso.datetime(),
    keyword: z
      .enum(KEYWORDS)
      .nullable()
      .describe("The keyword that the service or the carrier recognized in the text. Null: any other text."),
    inReplyTo: z.uuid().nullable().describe("The latest message of the website to that number that the carrier took."),
  }),
  changed: z.object({
    eventId: z.string(),
    eventType: z.literal("subscription.changed"),
    phone: z.string().describe("E.164."),
    subscribed: z.boolean(),
    source: z
      .enum(["api", "keyword", "carrier"])
      .describe("A call of another client, a text of the person, or the word of the carrier."),
    changedAt: z.iso.datetime(),
    changeId: z
      .int()
      .describe("The higher of two changes of a number is the later. Ids of different numbers cannot be compared."),
  }),
  unreachable: z.object({
    eventId: z.string(),
    eventType: z.literal("number.unreachable"),
    phone: z.string().describe("E.164."),
    code: z.string().describe("The carrier's own code of the latest text: see the carriers' codes."),
    since: z.iso.datetime().describe("From then on, texts to the number end as FAILED_TO_SEND with `UNREACHABLE`."),
  }),
};

/** An operator or the client tries the endpoint: no event that is stored. */
export const testEventSchema = z.object({
  eventId: z.string().describe("`test_` and an id."),
  eventType: z.literal("test"),
  occurredAt: z.iso.datetime(),
});

/** @returns JSON */
export function testEventBody(eventId: string, now: number): string {
  const event: z.output<typeof testEventSchema> = {
    eventId,
    eventType: "test",
    occurredAt: new Date(now).toISOString(),
  };
  return JSON.stringify(event);
}

/** An inbound text or a change of a subscription, for one client. */
export interface Notice {
  eventId: string;
  eventType: NoticeType;
  /** The other fields of the callback. */
  body: Record<string, unknown>;
}

export type CallbackEvent = MessageEvent | Notice;

/** A change of a message's status, or a click. */
export interface MessageEvent {
  eventId: string;
  eventType: (typeof MESSAGE_EVENT_TYPES)[number];
  messageId: string;
  status: MessageStatus;
  reason: Reason | null;
  /** Milliseconds since 1970. */
  occurredAt: number;
  /** E.164 */
  phone: string | null;
  sendPurpose: string;
  callbackData: string;
  /** The URL that was clicked; null: the event is no click. */
  clickUrl: string | null;
}

/** @returns JSON */
export function callbackBody(event: CallbackEvent): string {
  return JSON.stringify(callbackFields(event));
}

export function callbackFields(event: CallbackEvent) {
  if ("body" in event) return { eventId: event.eventId, eventType: event.eventType, ...event.body };
  return {
    eventId: event.eventId,
    eventType: event.eventType,
    messageId: event.messageId,
    status: event.status,
    reason: event.reason,
    occurredAt: new Date(event.occurredAt).toISOString(),
    phone: event.phone,
    sendPurpose: event.sendPurpose,
    callbackData: event.callbackData,
    ...(event.eventType === "message.clicked" ? { clickUrl: event.clickUrl } : {}),
  };
}

/**
 * The headers of Standard Webhooks (https://www.standardwebhooks.com).
 * @param secrets one, or two during a rotation; each makes a signature
 */
export function signatureHeaders(
  eventId: string,
  body: string,
  secrets: readonly string[],
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const content = encoder.encode(`${eventId}.${timestamp}.${body}`);
  return {
    "webhook-id": eventId,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map((secret) => `v1,${sign(secret, content)}`).join(" "),
  };
}

const encoder = new TextEncoder();

/** @param secret Base64, after "whsec_". @returns Base64 */
function sign(secret: string, content: Uint8Array): string {
  return hmac(sha256, Uint8Array.fromBase64(secret.replace(/^whsec_/, "")), content).toBase64();
}
