// Pure. The body of a callback and its signature.
import { Webhook } from "standardwebhooks";
import * as z from "zod/mini";
import { MESSAGE_STATUSES, type MessageStatus } from "./message.ts";

/** A function, so that the bundle of the Worker leaves it out: only the OpenAPI document needs it. */
export function callbackSchema() {
  return z.object({
    eventId: z.string(),
    eventType: z.enum(["message.status", "message.clicked"]),
    messageId: z.uuid(),
    status: z.enum(MESSAGE_STATUSES),
    occurredAt: z.iso.datetime(),
    phone: z.nullable(z.string()),
    sendPurpose: z.string(),
    callbackData: z.string(),
  });
}

type CallbackBody = z.output<ReturnType<typeof callbackSchema>>;

interface CallbackEvent {
  eventId: string;
  eventType: CallbackBody["eventType"];
  messageId: string;
  status: MessageStatus;
  /** Milliseconds since 1970. */
  occurredAt: number;
  /** E.164 */
  phone: string | null;
  sendPurpose: string;
  callbackData: string;
}

/** @returns JSON */
export function callbackBody(event: CallbackEvent): string {
  const body: CallbackBody = {
    eventId: event.eventId,
    eventType: event.eventType,
    messageId: event.messageId,
    status: event.status,
    occurredAt: new Date(event.occurredAt).toISOString(),
    phone: event.phone,
    sendPurpose: event.sendPurpose,
    callbackData: event.callbackData,
  };
  return JSON.stringify(body);
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
  const at = new Date(now);
  return {
    "webhook-id": eventId,
    "webhook-timestamp": String(Math.floor(now / 1000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(eventId, at, body)).join(" "),
  };
}
