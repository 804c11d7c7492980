import type { MessageKind } from "../../domain/messages/kind.ts";
import type { MessageStatus } from "../../domain/messages/message.ts";
import { type Reason, readReason } from "../../domain/messages/reason.ts";
import type { Segments } from "../../domain/messages/segments.ts";
import type { SendingHours } from "../../domain/messages/sending-hours.ts";
import { toE164 } from "../../domain/people/phone.ts";
import { parseJsonColumn } from "../database.ts";
import type { MessageRow } from "../rows.ts";
import { piece } from "../sql.ts";
import { HELD } from "./holds.ts";

/** A message as it is stored. Times are milliseconds since 1970. */
export interface StoredMessage {
  messageId: string;
  websiteId: string;
  clientId: string;
  status: MessageStatus;
  reason: Reason | null;
  /** In words, for the operator. */
  reasonDetail: string | null;
  /** E.164; null when no number was found for the e-mail address. */
  phone: string | null;
  email: string | null;
  text: string;
  mediaUrl: string | null;
  clickUrl: string | null;
  callbackData: string;
  sendPurpose: string;
  encoding: Segments["encoding"] | null;
  segments: number | null;
  carrier: string | null;
  carrierMessageId: string | null;
  attempts: number;
  acceptedAt: number;
  updatedAt: number;
  claimedAt: number | null;
  retryAt: number | null;
  /** When it may go; null: at once. */
  scheduledFor: number | null;
  /** null: SUBMIT_WITHIN_HOURS after it may first go. */
  expiresAt: number | null;
  /** null: a reply to a keyword. */
  kind: MessageKind | null;
  /** Where the person is, as the client says. */
  timeZone: string | null;
  region: string | null;
  /** When the sending hours open that hold it until `scheduledFor`; null: they do not. */
  opensAt: number | null;
  /** The sending hours of its website, if they hold it. */
  hours: SendingHours | null;
}

/** A message `m` with HOURS. */
export type HeldRow = MessageRow & { sending_hours: string | null };

/** The sending hours of the website of a message `m`. They are read only if they hold the message. */
export const HOURS = piece(
  "iif(m.opens_at IS NULL, NULL, (SELECT hw.settings ->> 'sendingHours' FROM websites hw WHERE hw.website_id = m.website_id)) AS sending_hours",
);

export function toStoredMessage(row: HeldRow): StoredMessage {
  return {
    messageId: row.message_id,
    websiteId: row.website_id,
    clientId: row.client_id,
    status: row.status,
    reason: readReason(row.status, row.reason_code),
    reasonDetail: row.reason,
    phone: row.phone === null ? null : toE164(row.phone),
    email: row.email,
    text: row.text,
    mediaUrl: row.media_url,
    clickUrl: row.click_url,
    callbackData: row.callback_data,
    sendPurpose: row.send_purpose,
    encoding: row.encoding,
    segments: row.segments,
    carrier: row.carrier,
    carrierMessageId: row.carrier_message_id,
    attempts: row.attempts,
    acceptedAt: row.accepted_at,
    updatedAt: row.updated_at,
    claimedAt: row.claimed_at,
    retryAt: row.reason === null || row.reason === HELD ? null : row.due_at,
    scheduledFor: row.send_at,
    expiresAt: row.expires_at,
    kind: row.is_reply === 0 ? row.kind : null,
    timeZone: row.time_zone,
    region: row.region,
    opensAt: row.opens_at,
    hours: parseJsonColumn<SendingHours | null>(row.sending_hours, null),
  };
}
