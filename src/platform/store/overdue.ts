import { LONGEST_RECOVERY_SECONDS } from "../../domain/retry-policy.ts";
import { runQuery } from "./database.ts";
import { type DueEvent, toEventId } from "./events.ts";
import type { EventRow } from "./rows.ts";

/** Rows per step of the sweep. */
const SWEEP_STEP = 1000;

/** A pending message whose job was lost. */
export interface OverdueMessage {
  messageId: string;
  websiteId: string;
  /** When its next job is to be delivered: milliseconds since 1970. */
  at: number;
}

/**
 * Takes pending messages whose last job was queued before `queuedBefore`, and counts them as queued again. The store may have
 * committed a message and still reported a failure: then its client was told to send it again, and a recovery job cancels the
 * message. So a message that no run has claimed yet is delivered only after that job.
 * @param margin processing time of a recovery job beyond its pauses, in milliseconds; see recoverySeconds
 */
export async function takeOverdue(
  db: D1Database,
  { queuedBefore, now, margin }: { queuedBefore: number; now: number; margin: number },
): Promise<OverdueMessage[]> {
  const rows = await runQuery<{ message_id: string; website_id: string; queued_at: number }>(
    db
      .prepare(
        `UPDATE messages SET queued_at = ?2 + iif(carrier IS NULL, cast(min(?3, (?2 - accepted_at) / 2) + ?4 AS INTEGER), 0)
         WHERE message_id IN (
           SELECT message_id FROM messages WHERE status = 'PENDING_TO_SEND' AND claimed_at IS NULL AND queued_at < ?1
           ORDER BY queued_at LIMIT ${SWEEP_STEP}) RETURNING message_id, website_id, queued_at`,
      )
      .bind(queuedBefore, now, LONGEST_RECOVERY_SECONDS * 1000, margin),
  );
  return rows.map((row) => ({ messageId: row.message_id, websiteId: row.website_id, at: row.queued_at }));
}

/** Ids of unclaimed pending messages accepted before `acceptedBefore`. */
export async function findUnsubmitted(db: D1Database, acceptedBefore: number): Promise<string[]> {
  return runIds(
    db
      .prepare(
        `SELECT message_id FROM messages WHERE status = 'PENDING_TO_SEND' AND claimed_at IS NULL AND accepted_at <= ?1
         LIMIT ${SWEEP_STEP}`,
      )
      .bind(acceptedBefore),
  );
}

/**
 * Marks messages whose submission started before `claimedBefore` and never ended. The time of the mark goes into queued_at,
 * which a claimed message does not use otherwise.
 */
export async function markInterrupted(db: D1Database, claimedBefore: number, now: number): Promise<void> {
  await runQuery(
    db
      .prepare(
        `UPDATE messages SET queued_at = ?2
         WHERE status = 'PENDING_TO_SEND' AND claimed_at <= ?1 AND queued_at <= claimed_at`,
      )
      .bind(claimedBefore, now),
  );
}

/** Ids of messages claimed before `claimedBefore` that markInterrupted marked before `foundBefore`. */
export async function findInterrupted(db: D1Database, claimedBefore: number, foundBefore: number): Promise<string[]> {
  return runIds(
    db
      .prepare(
        `SELECT message_id FROM messages WHERE status = 'PENDING_TO_SEND' AND claimed_at <= ?1
           AND queued_at > claimed_at AND queued_at <= ?2 LIMIT ${SWEEP_STEP}`,
      )
      .bind(claimedBefore, foundBefore),
  );
}

/** Ids of messages in SENDING since `sendingSince` or longer, without a final receipt. */
export async function findWithoutReceipt(db: D1Database, sendingSince: number): Promise<string[]> {
  return runIds(
    db
      .prepare(
        `SELECT message_id FROM messages WHERE status = 'SENDING' AND updated_at <= ?1
         ORDER BY updated_at LIMIT ${SWEEP_STEP}`,
      )
      .bind(sendingSince),
  );
}

async function runIds(statement: D1PreparedStatement): Promise<string[]> {
  return (await runQuery<{ message_id: string }>(statement)).map((row) => row.message_id);
}

/** Takes due callbacks whose last job was queued before `queuedBefore`, and counts them as queued now. */
export async function takeOverdueCallbacks(db: D1Database, queuedBefore: number, now: number): Promise<DueEvent[]> {
  const rows = await runQuery<Pick<EventRow, "message_id" | "event">>(
    db
      .prepare(
        `UPDATE events SET queued_at = ?2 WHERE (message_id, event) IN (
           SELECT message_id, event FROM events WHERE callback_due = 1 AND attempted_at IS NULL AND queued_at < ?1
           ORDER BY queued_at LIMIT ${SWEEP_STEP}) RETURNING message_id, event`,
      )
      .bind(queuedBefore, now),
  );
  return rows.map(toEventId);
}
