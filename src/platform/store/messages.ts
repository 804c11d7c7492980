import type { SubmissionRecord } from "../../domain/job.ts";
import { ALLOWED_FROM, type MessageStatus } from "../../domain/message.ts";
import { toE164 } from "../../domain/phone.ts";
import type { Segments } from "../../domain/segments.ts";
import { runBatch, runQuery } from "./database.ts";
import { type DueEvent, dueEvents, recordEvents } from "./events.ts";
import type { MessageRow, WebsiteRow } from "./rows.ts";

/** Values of `is_reply`. The opt-out confirmation is sent to a person who has opted out; other replies are not. */
export const OPT_OUT_CONFIRMATION = 1;
export const ANSWER = 2;

const SUBSCRIPTION = `SELECT 1 FROM subscriptions s
  WHERE s.website_id = messages.website_id AND s.phone = messages.phone`;

/** Unclaimed pending messages of a website, in the given order. */
export interface WaitingMessages {
  carrier: string;
  websiteId: string;
  messageIds: string[];
}

/** The unclaimed pending messages among `ids`, by website. */
export async function findWaiting(db: D1Database, ids: string[]): Promise<WaitingMessages[]> {
  const rows = await runQuery<{ carrier: string; website_id: string; places: string }>(
    db
      .prepare(
        `SELECT w.carrier, w.website_id, json_group_array(j.key) AS places
         FROM json_each(?1) j CROSS JOIN messages m ON m.message_id = j.value JOIN websites w USING (website_id)
         WHERE m.status = 'PENDING_TO_SEND' AND m.claimed_at IS NULL GROUP BY w.website_id`,
      )
      .bind(JSON.stringify(ids)),
  );
  const toIds = (places: number[]) => places.sort((a, b) => a - b).map((place) => ids[place] as string);
  return rows.map((row) => ({
    carrier: row.carrier,
    websiteId: row.website_id,
    messageIds: toIds(JSON.parse(row.places)),
  }));
}

/**
 * Delays unclaimed messages until `retryAt` (milliseconds since 1970).
 * @param longestWait see longestWaitMilliseconds
 */
export async function postpone(
  db: D1Database,
  ids: string[],
  { retryAt, reason, longestWait }: { retryAt: number; reason: string; longestWait: number },
): Promise<void> {
  await runBatch(db, [
    db
      .prepare(
        `UPDATE messages SET retry_at = ?2, queued_at = min(?2, accepted_at + ?4), reason = ?3
         WHERE message_id IN (SELECT value FROM json_each(?1)) AND status = 'PENDING_TO_SEND' AND claimed_at IS NULL`,
      )
      .bind(JSON.stringify(ids), retryAt, reason, longestWait),
  ]);
}

/** A message that only this run may submit. */
export interface ClaimedMessage {
  messageId: string;
  websiteId: string;
  /** E.164 */
  phone: string;
  text: string;
  encoding: Segments["encoding"];
  mediaUrl: string | null;
  carrier: string;
  sender: string | null;
  /** Submissions started, including this one. */
  attempts: number;
}

/**
 * Claims the pending messages among `ids`. A message to a number that has opted out since becomes NOT_SUBSCRIBED instead.
 * @param claim names this run; the same name claims the same messages again
 * @param acceptedAfter older messages are left for the sweep to end
 */
export async function claimMessages(
  db: D1Database,
  { ids, claim, now, acceptedAfter }: { ids: string[]; claim: string; now: number; acceptedAfter: number },
): Promise<{ claimed: ClaimedMessage[]; due: DueEvent[] }> {
  const list = JSON.stringify(ids);
  const results = await runBatch(db, [
    db
      .prepare(
        `UPDATE messages SET status = 'NOT_SUBSCRIBED', reason = 'opted out before it was submitted', updated_at = ?2
         WHERE message_id IN (SELECT value FROM json_each(?1)) AND status = 'PENDING_TO_SEND' AND claimed_at IS NULL
           AND CASE is_reply WHEN ${OPT_OUT_CONFIRMATION} THEN false
             WHEN ${ANSWER} THEN EXISTS (${SUBSCRIPTION} AND s.subscribed = 0)
             ELSE NOT EXISTS (${SUBSCRIPTION} AND s.subscribed = 1) END`,
      )
      .bind(list, now),
    db
      .prepare(
        `UPDATE messages SET claimed_at = ?2, claim = ?3, attempts = attempts + (claim IS NOT ?3),
           carrier = (SELECT carrier FROM websites w WHERE w.website_id = messages.website_id)
         WHERE message_id IN (SELECT value FROM json_each(?1)) AND status = 'PENDING_TO_SEND'
           AND (claimed_at IS NULL OR claim = ?3) AND (retry_at IS NULL OR retry_at <= ?2) AND accepted_at > ?4
         RETURNING message_id AS claimed_id, website_id, phone, text, encoding, media_url, attempts, carrier,
           (SELECT sender FROM websites w WHERE w.website_id = messages.website_id) AS sender`,
      )
      .bind(list, now, claim, acceptedAfter),
    recordEvents(db, ids, now),
  ]);
  return {
    claimed: ((results[1]?.results ?? []) as ClaimedRow[]).map(toClaimedMessage),
    due: dueEvents(results[2]?.results),
  };
}

/** Only a message with a number and a carrier is claimed. */
interface ClaimedRow
  extends Pick<MessageRow, "website_id" | "text" | "media_url" | "attempts">,
    Pick<WebsiteRow, "carrier" | "sender"> {
  claimed_id: string;
  phone: number;
  encoding: Segments["encoding"];
}

function toClaimedMessage(row: ClaimedRow): ClaimedMessage {
  return {
    messageId: row.claimed_id,
    websiteId: row.website_id,
    phone: toE164(row.phone),
    text: row.text,
    encoding: row.encoding,
    mediaUrl: row.media_url,
    carrier: row.carrier,
    sender: row.sender,
    attempts: row.attempts,
  };
}

/**
 * Releases the messages and callbacks of a claim. They must surely not have been submitted or posted.
 * @param messageIds the messages that were to be claimed, or whose callbacks were; null: not known, as a job of an earlier
 * version does not name them, so all that are claimed are looked through
 */
export async function releaseClaim(db: D1Database, claim: string, messageIds: string[] | null): Promise<void> {
  const ids = messageIds && JSON.stringify(messageIds);
  const named = ids === null ? "" : "AND message_id IN (SELECT value FROM json_each(?2))";
  const values = ids === null ? [claim] : [claim, ids];
  await runBatch(db, [
    db
      .prepare(
        `UPDATE messages SET claimed_at = NULL, claim = NULL, attempts = attempts - 1, queued_at = 0
         WHERE status = 'PENDING_TO_SEND' AND claimed_at IS NOT NULL AND claim = ?1 ${named}`,
      )
      .bind(...values),
    db
      .prepare(
        `UPDATE events SET attempted_at = NULL, claim = NULL, queued_at = 0
         WHERE attempted_at IS NOT NULL AND outcome IS NULL AND claim = ?1 ${named}`,
      )
      .bind(...values),
  ]);
}

/**
 * Stores the outcomes of submissions. It does not overwrite a status that a receipt has set since.
 * @param longestWait see longestWaitMilliseconds
 */
export async function recordSubmissions(
  db: D1Database,
  records: SubmissionRecord[],
  claim: string,
  { now, longestWait }: { now: number; longestWait: number },
): Promise<DueEvent[]> {
  const byMessageId = JSON.stringify(Object.fromEntries(records.map((record) => [record.messageId, record])));
  const recorded = (name: keyof SubmissionRecord) => `json_extract(?1, '$."' || message_id || '".${name}')`;
  const results = await runBatch(db, [
    db
      .prepare(
        `UPDATE messages SET carrier_message_id = coalesce(carrier_message_id, ${recorded("carrierMessageId")})
         WHERE message_id IN (SELECT key FROM json_each(?1)) AND claim = ?2`,
      )
      .bind(byMessageId, claim),
    db
      .prepare(
        `UPDATE messages SET status = coalesce(${recorded("status")}, status), reason = ${recorded("reason")}, retry_at = ${recorded("retryAt")},
           claimed_at = iif(${recorded("status")} IS NULL, NULL, claimed_at),
           claim = iif(${recorded("status")} IS NULL, NULL, claim),
           queued_at = coalesce(min(${recorded("retryAt")}, accepted_at + ?4), queued_at), attempts = attempts - (${recorded("attempted")} = 0), updated_at = ?3
         WHERE message_id IN (SELECT key FROM json_each(?1)) AND claim = ?2 AND status = 'PENDING_TO_SEND'`,
      )
      .bind(byMessageId, claim, now, longestWait),
    recordEvents(
      db,
      records.map((r) => r.messageId),
      now,
    ),
  ]);
  return dueEvents(results[2]?.results);
}

/**
 * Moves messages to `status` where their current status allows it, and writes the events in the same transaction.
 * A late, repeated or out-of-order report changes nothing.
 */
export async function changeStatus(db: D1Database, change: StatusChange): Promise<DueEvent[]> {
  const { ids, status, now } = change;
  const results = await runBatch(db, [
    db
      .prepare(
        `UPDATE messages SET status = ?2, updated_at = ?4,
           reason = iif(?6 = 1 AND reason IS NOT NULL, ?3 || ' (before: ' || reason || ')', ?3)
         WHERE message_id IN (SELECT value FROM json_each(?1)) AND status IN (SELECT value FROM json_each(?5))
           AND (?7 = 0 OR claimed_at IS NULL) AND (?8 IS NULL OR claimed_at <= ?8) AND (?9 IS NULL OR carrier = ?9)`,
      )
      .bind(
        JSON.stringify(ids),
        status,
        change.reason,
        now,
        JSON.stringify(ALLOWED_FROM[status]),
        change.keepsReason ? 1 : 0,
        change.onlyUnclaimed ? 1 : 0,
        change.claimedBefore ?? null,
        change.carrier ?? null,
      ),
    recordEvents(db, ids, now),
  ]);
  return dueEvents(results[1]?.results);
}

export interface StatusChange {
  ids: string[];
  status: MessageStatus;
  reason: string | null;
  now: number;
  /** Appends the previous reason. */
  keepsReason?: boolean;
  /** Skips messages whose submission has started. */
  onlyUnclaimed?: boolean;
  /** Skips messages that were claimed after this time, or not at all. */
  claimedBefore?: number;
  /** Skips messages of other carriers. */
  carrier?: string | undefined;
}
