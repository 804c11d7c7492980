import type { CallbackEvent, NoticeType } from "../../domain/callbacks/callback.ts";
import type { MessageStatus } from "../../domain/messages/message.ts";
import { readReason } from "../../domain/messages/reason.ts";
import { toE164 } from "../../domain/people/phone.ts";
import { parseJsonColumn } from "../database.ts";
import type { EventRow, MessageRow } from "../rows.ts";
import { piece } from "../sql.ts";
import { isClick, toEventId } from "./events.ts";

/** The columns of a CallbackEventRow, of an event `e` and its message `m`. A reason of a later status is none of the event: see readReason. */
export const CALLBACK_EVENT =
  piece(`e.message_id, e.event, e.occurred_at, e.body, m.status, m.phone, m.send_purpose, m.callback_data,
  m.click_url, coalesce(e.reason_code, m.reason_code) AS reason_code`);

export type CallbackEventRow = Pick<EventRow, "message_id" | "event" | "occurred_at" | "body"> &
  Pick<MessageRow, "status" | "reason_code" | "phone" | "send_purpose" | "callback_data" | "click_url">;

export function toCallbackEvent(row: CallbackEventRow): CallbackEvent {
  const eventId = toEventId(row);
  if (row.body !== null) return { eventId, eventType: row.event as NoticeType, body: parseJsonColumn(row.body, {}) };
  // A status event carries the status of that time, a click the current one.
  const status = (isClick(row.event) ? row.status : row.event) as MessageStatus;
  return {
    eventId,
    eventType: isClick(row.event) ? "message.clicked" : "message.status",
    messageId: row.message_id,
    status,
    reason: readReason(status, row.reason_code),
    occurredAt: row.occurred_at,
    phone: row.phone === null ? null : toE164(row.phone),
    sendPurpose: row.send_purpose,
    callbackData: row.callback_data,
    clickUrl: row.click_url,
  };
}
