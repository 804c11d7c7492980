// Pure. The body of a callback and its signature.
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import * as z from "zod/mini";
import { MESSAGE_STATUSES, type MessageStatus } from "./message.ts";
import { type Reason, reasonSchema } from "./reason.ts";

export const EVENT_TYPES = ["message.status", "message.clicked"] as const;

/** A function, so that the bundle of the Worker leaves it out: only the OpenAPI document needs it. */
export function callbackSchemas() {
  const common = {
    eventId: z.string(),
    messageId: z.uuid(),
    reason: reasonSchema(),
    occurredAt: z.iso.datetime(),
    phone: z.nullable(z.string()).check(z.describe("Null if no number was found.")),
    sendPurpose: z.string(),
    callbackData: z.string().check(z.describe("As the send request has it, byte for byte.")),
  };
  const status = z.object({
    ...common,
    eventType: z.literal("message.status"),
    status: z.enum(MESSAGE_STATUSES.filter((status) => status !== "PENDING_TO_SEND")),
  });
  const click = z.object({
    ...common,
    eventType: z.literal("message.clicked"),
    status: z.enum(MESSAGE_STATUSES).check(z.describe("The status when the event is posted.")),
    clickUrl: z.string().check(z.describe("The `clickUrl` of the send request.")),
  });
  return { status, click };
}

export interface CallbackEvent {
  eventId: string;
  eventType: (typeof EVENT_TYPES)[number];
  messageId: string;
  status: MessageStatus;
  reason: Reason | null;
  /** Milliseconds since 1970. */
  occurredAt: number;
  /** E.164 */
  phone: string | null;
  sendPurpose: string;
  callbackData: string;
  /** Of a click. */
  clickUrl: string | null;
}

/** @returns JSON */
export function callbackBody(event: CallbackEvent): string {
  return JSON.stringify(callbackFields(event));
}

export function callbackFields(event: CallbackEvent) {
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
