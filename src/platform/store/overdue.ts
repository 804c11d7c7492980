import { LONGEST_RECOVERY_SECONDS } from "../../domain/retry-policy.ts";
import { runQuery } from "./database.ts";
import { HELD, isHeld } from "./holds.ts";
import { IS_OPEN } from "./moving.ts";

/** Rows per step of the sweep. */
const SWEEP_STEP = 1000;

/**
 * The pending messages that have waited longest since their job was queued or due. However many are pending, a statement reads
 * at most this many.
 */
const oldestPending = (queuedBefore: string) => `(SELECT message_id, accepted_at, queued_at, claimed_at FROM messages
  WHERE status = 'PENDING_TO_SEND' AND watched = 1 AND queued_at <= ${queuedBefore} AND ${IS_OPEN("messages.website_id")} ORDER BY queued_at LIMIT 20000)`;

/** A pending message whose job was lost. */
export interface OverdueMessage {
  messageId: string;
  websiteId: string;
  /** When its next job is to be delivered: milliseconds since 1970. null: an operator holds it, so it gets none. */
  at: number | null;
}

/**
 * Takes pending messages whose last job was queued before `queuedBefore`, and counts them as queued again. The store may have
 * committed a message and still reported a failure: then its client was told to send it again, and a recovery job cancels the
 * message. So a message that no run has claimed yet is delivered only after that job. A held message waits for its deadline:
 * looked at each minute, a long hold would write more than all that was sent.
 * @param margin processing time of a recovery job beyond its pauses, in milliseconds; see recoverySeconds
 * @param longestWait see longestWaitMilliseconds
 */
export async function takeOverdue(
  db: D1Database,
  {
    queuedBefore,
    now,
    margin,
    longestWait,
  }: { queuedBefore: number; now: number; margin: number; longestWait: number },
): Promise<OverdueMessage[]> {
  const isParked = isHeld("messages");
  const at = "?2 + iif(carrier IS NULL, cast(min(?3, (?2 - accepted_at) / 2) + ?4 AS INTEGER), 0)";
  const rows = await runQuery<{ message_id: string; website_id: string; at: number; is_parked: 0 | 1 }>(
    db
      .prepare(
        `UPDATE messages SET reason = iif(${isParked}, '${HELD}', reason),
           queued_at = max(?1, iif(${isParked}, accepted_at + ?5, min(${at}, accepted_at + ?5))) WHERE message_id IN (
           SELECT message_id FROM messages WHERE status = 'PENDING_TO_SEND' AND watched = 1 AND claimed_at IS NULL AND queued_at < ?1
           AND ${IS_OPEN("messages.website_id")} ORDER BY queued_at LIMIT ${SWEEP_STEP}) RETURNING message_id, website_id, ${at} AS at,
           ${isParked} AS is_parked`,
      )
      .bind(queuedBefore, now, LONGEST_RECOVERY_SECONDS * 1000, margin, longestWait),
  );
  return rows.map((row) => ({
    messageId: row.message_id,
    websiteId: row.website_id,
    at: row.is_parked === 1 ? null : row.at,
  }));
}

/**
 * Ids of unclaimed pending messages accepted before `acceptedBefore`.
 * @param queuedBefore at the latest, the last job of such a message was due at this time; see longestWaitMilliseconds
 */
export async function findUnsubmitted(db: D1Database, acceptedBefore: number, queuedBefore: number): Promise<string[]> {
  return runIds(
    db
      .prepare(
        `SELECT message_id FROM ${oldestPending("?2")} WHERE claimed_at IS NULL AND accepted_at <= ?1 LIMIT ${SWEEP_STEP}`,
      )
      .bind(acceptedBefore, queuedBefore),
  );
}

/**
 * Marks messages whose submission started before `claimedBefore` and never ended: from now on, the sweep counts how long their
 * outcome has been awaited.
 */
export async function markInterrupted(db: D1Database, claimedBefore: number, now: number): Promise<void> {
  await runQuery(
    db
      .prepare(
        `UPDATE messages SET queued_at = ?2 WHERE message_id IN (
           SELECT message_id FROM ${oldestPending("?1")} WHERE claimed_at <= ?1 AND queued_at <= claimed_at)`,
      )
      .bind(claimedBefore, now),
  );
}

/** Ids of messages claimed before `claimedBefore` that markInterrupted marked before `foundBefore`. */
export async function findInterrupted(db: D1Database, claimedBefore: number, foundBefore: number): Promise<string[]> {
  return runIds(
    db
      .prepare(
        `SELECT message_id FROM ${oldestPending("?2")} WHERE claimed_at <= ?1 AND queued_at > claimed_at
         LIMIT ${SWEEP_STEP}`,
      )
      .bind(claimedBefore, foundBefore),
  );
}

async function runIds(statement: D1PreparedStatement): Promise<string[]> {
  return (await runQuery<{ message_id: string }>(statement)).map((row) => row.message_id);
}
