import type { SubmissionEntry } from "../../domain/job.ts";
import { ALLOWED_FROM, type MessageStatus } from "../../domain/message.ts";
import type { Reason } from "../../domain/reason.ts";
import { runBatch, runQuery } from "./database.ts";
import type { Stored } from "./event-places.ts";
import { type DueEvent, dueEvents, recordEvents } from "./events.ts";
import { HELD } from "./holds.ts";
import { releaseCallbacks } from "./open-callbacks.ts";
import { withSubmission } from "./submissions.ts";

/** Values of `is_reply`. The opt-out confirmation is sent to a person who has opted out; other replies are not. */
export const OPT_OUT_CONFIRMATION = 1;
export const ANSWER = 2;

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
  { retryAt, reason, longestWait, now }: { retryAt: number; reason: string; longestWait: number; now: number },
): Promise<void> {
  const entry: SubmissionEntry = { at: now, attempt: null, outcome: "skipped", reason };
  await runBatch(db, [
    db
      .prepare(
        `UPDATE messages SET retry_at = ?2, queued_at = min(?2, accepted_at + ?4), reason = ?3,
           watched = 1, submissions = ${withSubmission("?5")}
         WHERE message_id IN (SELECT value FROM json_each(?1)) AND status = 'PENDING_TO_SEND' AND claimed_at IS NULL`,
      )
      .bind(JSON.stringify(ids), retryAt, reason, longestWait, JSON.stringify(entry)),
  ]);
}

/**
 * Releases the messages and callbacks of a claim. They must surely not have been submitted or posted.
 * @param messageIds the messages that were to be claimed, or whose callbacks were
 */
export async function releaseClaim(db: D1Database, claim: string, messageIds: string[]): Promise<void> {
  const ids = "SELECT value FROM json_each(?2)";
  const values = [claim, JSON.stringify(messageIds)];
  const where = (column: Stored) => `${column("attempted_at")} IS NOT NULL AND ${column("claim")} = ?1`;
  await runBatch(db, [
    db
      .prepare(
        `UPDATE messages SET claimed_at = NULL, claim = NULL, attempts = attempts - 1, queued_at = 0, watched = 1
         WHERE message_id IN (${ids}) AND status = 'PENDING_TO_SEND' AND claimed_at IS NOT NULL AND claim = ?1`,
      )
      .bind(...values),
    ...releaseCallbacks(db, { of: { ids }, where, queuedAt: "0", values }),
  ]);
}

/** The reason for which a message waits, in words: at its deadline, its code follows from it. */
export const notSetUp = (carrier: string) => `carrier ${carrier} is not set up`;

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
           reason_code = CASE WHEN reason = '${HELD}' THEN 'CANCELLED'
             WHEN ?10 = 'CARRIER_UNAVAILABLE' AND reason LIKE '%${notSetUp("%")}%' THEN 'CARRIER_NOT_SET_UP' ELSE ?10 END,
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
        change.code,
      ),
    ...recordEvents(db, ids, now),
  ]);
  return dueEvents(results.flatMap(({ results }) => results));
}

export interface StatusChange {
  ids: string[];
  status: MessageStatus;
  /** In words, for the operator. */
  reason: string | null;
  code: Reason | null;
  now: number;
  /** Appends the previous words. */
  keepsReason?: boolean;
  /** Skips messages whose submission has started. */
  onlyUnclaimed?: boolean;
  /** Skips messages that were claimed after this time, or not at all. */
  claimedBefore?: number;
  /** Skips messages of other carriers. */
  carrier?: string | undefined;
}
