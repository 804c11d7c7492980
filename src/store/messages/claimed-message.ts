// The messages of a claim, as their run gets them.
import type { By } from "../../domain/messages/by-fallback.ts";
import { type CapCount, type EndBefore, endEachBefore } from "../../domain/messages/end-before.ts";
import type { Segments } from "../../domain/messages/segments.ts";
import type { Pace } from "../../domain/messages/sender-pace.ts";
import type { SendingHours } from "../../domain/messages/sending-hours.ts";
import { toE164 } from "../../domain/people/phone.ts";
import { parseJsonColumn } from "../database.ts";
import type { MessageRow, SenderPaceRow } from "../rows.ts";

/** A message that only this run may submit. */
export interface ClaimedMessage {
  messageId: string;
  websiteId: string;
  /** E.164 */
  phone: string;
  text: string;
  encoding: Segments["encoding"];
  segments: number;
  mediaUrl: string | null;
  /** By which it goes: its website's own, or its fallback. */
  carrier: string;
  sender: string | null;
  by: By;
  /** The one of the two by which it does not go. null: its website has no fallback. */
  other: { carrier: string; sender: string | null } | null;
  /** null: its sender has none. */
  pace: Pace | null;
  /** See Ask. */
  isUrgent: boolean;
  hasWaited: boolean;
  /** Submissions started, including this one. */
  attempts: number;
  /** The sending hours of its website, if they are for it; null: it may go at any time. */
  hours: SendingHours | null;
  /** Where the person is, as the client says. */
  timeZone: string | null;
  region: string | null;
  acceptedAt: number;
  /** As the client says; null: SUBMIT_WITHIN_HOURS after it may first go. */
  expiresAt: number | null;
  /** What becomes of it in place of its submission; null: it may be submitted. */
  before: EndBefore | null;
}

/** Only a message with a number and a carrier is claimed. */
export interface ClaimedRow
  extends Pick<MessageRow, "message_id" | "website_id" | "text" | "media_url" | "attempts" | "time_zone" | "region">,
    Pick<MessageRow, "accepted_at" | "expires_at" | "kind" | "is_reply" | "segments" | "reason">,
    Pick<MessageRow, "sender" | "by_fallback">,
    Pick<SenderPaceRow, "messages_per_minute" | "messages_per_day"> {
  phone: number;
  carrier: string;
  /** A carrier and a sender, as JSON. */
  other: string | null;
  encoding: Segments["encoding"];
  subscribed: 0 | 1 | null;
  failures: number | null;
  unreachable_after: number | null;
  /** SendingHours, as JSON. */
  sending_hours: string | null;
  /** A CapCount, as JSON. */
  cap: string | null;
}

const isMarketing = ({ kind, is_reply }: ClaimedRow) => kind !== "transactional" && is_reply === 0;

function toPace({ messages_per_minute, messages_per_day }: ClaimedRow): Pace | null {
  if (messages_per_minute === null && messages_per_day === null) return null;
  return { messagesPerMinute: messages_per_minute, messagesPerDay: messages_per_day };
}

export function toClaimedMessages(rows: ClaimedRow[]): ClaimedMessage[] {
  const ends = endEachBefore(
    rows.map((row) => ({
      websiteId: row.website_id,
      phone: row.phone,
      isMarketing: isMarketing(row),
      isReply: row.is_reply,
      subscribed: row.subscribed === null ? null : row.subscribed === 1,
      failures: row.failures ?? 0,
      unreachableAfter: row.unreachable_after,
      cap: row.cap === null ? null : (JSON.parse(row.cap) as CapCount),
    })),
  );
  const hours = readHours(rows);
  return rows.map((row, index) => ({
    messageId: row.message_id,
    websiteId: row.website_id,
    phone: toE164(row.phone),
    text: row.text,
    encoding: row.encoding,
    segments: row.media_url === null ? (row.segments ?? 1) : 1,
    mediaUrl: row.media_url,
    carrier: row.carrier,
    sender: row.sender,
    by: row.by_fallback,
    other: parseJsonColumn<ClaimedMessage["other"]>(row.other, null),
    pace: toPace(row),
    isUrgent: !isMarketing(row),
    hasWaited: row.reason !== null,
    attempts: row.attempts,
    hours: isMarketing(row) ? (hours.get(row.sending_hours) ?? null) : null,
    timeZone: row.time_zone,
    region: row.region,
    acceptedAt: row.accepted_at,
    expiresAt: row.expires_at,
    before: ends[index] ?? null,
  }));
}

/** The messages of a website share its hours: what hoursAt has read of them, it reads once. */
function readHours(rows: ClaimedRow[]): Map<string | null, SendingHours | null> {
  const texts = [...new Set(rows.map((row) => row.sending_hours))];
  return new Map(texts.map((text) => [text, text === null ? null : (JSON.parse(text) as SendingHours)]));
}
