import { runQuery } from "./database.ts";
import type { DueEvent } from "./events.ts";

/** How many rows one step of the sweep takes on. */
const SWEEP_STEP = 1000;

/** A message that waits without a job. */
export interface Forgotten {
  messageId: string;
  acceptedAt: number;
  /** A run has claimed it before: its sender has been told that it is stored. */
  isConfirmed: boolean;
}

/**
 * Messages that wait although their last job was queued before `queuedBefore`; they count as queued now, or by
 * `unconfirmedAt` where nobody has claimed them so far.
 */
export async function takeForgotten(
  db: D1Database,
  { queuedBefore, unconfirmedAt, now }: { queuedBefore: number; unconfirmedAt: number; now: number },
): Promise<Forgotten[]> {
  const rows = await runQuery(
    db
      .prepare(
        `UPDATE messages SET queued_at = iif(carrier IS NULL, ?3, ?2) WHERE message_id IN (
           SELECT message_id FROM messages WHERE status = 'PENDING_TO_SEND' AND claimed_at IS NULL AND queued_at < ?1
           ORDER BY queued_at LIMIT ${SWEEP_STEP}) RETURNING message_id, accepted_at, carrier`,
      )
      .bind(queuedBefore, now, unconfirmedAt),
  );
  return rows.map((row) => ({
    messageId: String(row.message_id),
    acceptedAt: Number(row.accepted_at),
    isConfirmed: row.carrier !== null,
  }));
}

/** Ids of messages accepted before `acceptedBefore` that nobody has submitted. */
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
 * Notes of messages whose submission was begun before `claimedBefore` and never ended that they were found so now; their
 * queued_at, which is about no job as long as they are claimed, keeps it.
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

/** Ids of messages whose submission was begun before `claimedBefore`, and that were found without its end by `foundBefore`. */
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

/** Ids of messages that the carrier has had since before `sendingSince`, without a final receipt. */
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
  return (await runQuery(statement)).map((row) => row.message_id as string);
}

/** Callbacks that wait although their last job was queued before `queuedBefore`; they count as queued now. */
export async function takeForgottenCallbacks(db: D1Database, queuedBefore: number, now: number): Promise<DueEvent[]> {
  const rows = await runQuery(
    db
      .prepare(
        `UPDATE events SET queued_at = ?2 WHERE (message_id, event) IN (
           SELECT message_id, event FROM events WHERE callback_due = 1 AND attempted_at IS NULL AND queued_at < ?1
           ORDER BY queued_at LIMIT ${SWEEP_STEP}) RETURNING message_id, event`,
      )
      .bind(queuedBefore, now),
  );
  return rows.map((row) => `${row.message_id}_${row.event}`);
}
