// What the sweep looks for: messages and callbacks whose job was lost, claims whose run was cut off, and receipts that do not come.
import type { DueEvent } from "../../domain/callbacks/callback.ts";
import { RECOVERY_MILLISECONDS } from "../../domain/messages/retry-policy.ts";
import { toEventId } from "../callbacks/events.ts";
import { runQuery, runWrite } from "../database.ts";
import type { EventRow, MessageRow } from "../rows.ts";
import { prepare, type Sql, sql } from "../sql.ts";
import { HELD, IS_HELD } from "./holds.ts";
import { deadlineOf } from "./messages.ts";

/** Rows per step of the sweep. */
export const SWEEP_STEP = 1000;

/** A pending message whose job was lost. */
export interface OverdueMessage {
  messageId: string;
  websiteId: string;
  /** When its next job is to be delivered: milliseconds since 1970. null: an operator holds it, so it gets none. */
  at: number | null;
}

/**
 * Takes pending messages whose job was due before `dueBefore`, and counts their job as due anew.
 * - A new message, which no run has looked at yet, is delivered only after a recovery job that may cancel it. A commit can succeed although the store
 *   reported a failure. The client then got a 503, and sends the message again.
 * - A message with a reason waits for a retry. Its retry is due now, so any job that comes may submit it.
 * - A held message is looked at again at its deadline, and not each minute, because a long hold would cause many writes.
 * @param longestWait see longestWaitMilliseconds
 */
export async function takeOverdue(
  db: D1Database,
  { dueBefore, longestWait }: { dueBefore: number; longestWait: number },
  now: number,
): Promise<OverdueMessage[]> {
  const recoveredAt = now + RECOVERY_MILLISECONDS;
  const deadline = deadlineOf(longestWait);
  const rows = await runWrite<Pick<MessageRow, "message_id" | "website_id"> & Record<"is_new" | "is_held", 0 | 1>>(
    db,
    prepare(
      db,
      sql`UPDATE messages AS m SET reason = iif(${IS_HELD}, ${HELD}, reason),
          due_at = max(${dueBefore}, min(${deadline}, CASE WHEN ${IS_HELD} THEN ${deadline}
            WHEN reason IS NULL AND carrier IS NULL THEN ${recoveredAt} ELSE ${now} END))
        WHERE message_id IN (SELECT message_id FROM messages WHERE due_at < ${dueBefore} AND claimed_at IS NULL
          ORDER BY due_at LIMIT ${SWEEP_STEP})
        RETURNING message_id, website_id, reason IS NULL AND carrier IS NULL AS is_new,
          (SELECT ${IS_HELD} FROM messages m WHERE m.message_id = messages.message_id) AS is_held`,
    ),
  );
  return rows.map((row) => ({
    messageId: row.message_id,
    websiteId: row.website_id,
    at: row.is_held === 1 ? null : row.is_new === 1 ? recoveredAt : now,
  }));
}

/**
 * Ids of unclaimed pending messages that have expired at `now`, or have no such time and might go before `acceptedBefore`.
 * @param dueBefore at the latest, the last job of such a message was due at this time; see longestWaitMilliseconds
 */
export function findUnsubmitted(
  db: D1Database,
  { acceptedBefore, dueBefore, now }: { acceptedBefore: number; dueBefore: number; now: number },
): Promise<string[]> {
  return readIds(
    db,
    sql`SELECT message_id FROM messages WHERE due_at <= ${dueBefore} AND claimed_at IS NULL
      AND iif(expires_at IS NULL, coalesce(send_at, accepted_at) <= ${acceptedBefore}, expires_at <= ${now}) ORDER BY due_at LIMIT ${SWEEP_STEP}`,
  );
}

/** Notes when the sweep has first found messages whose submission was begun before `claimedBefore`, and has no outcome. */
export async function markInterrupted(db: D1Database, claimedBefore: number, now: number): Promise<void> {
  await runWrite(
    db,
    prepare(
      db,
      sql`UPDATE messages SET interrupted_at = ${now} WHERE message_id IN (
        SELECT message_id FROM messages WHERE due_at <= ${latestDue(claimedBefore)} AND claimed_at <= ${claimedBefore}
          AND interrupted_at IS NULL)`,
    ),
  );
}

/** Ids of messages claimed before `claimedBefore` that the sweep has first found interrupted before `foundBefore`. */
export function findInterrupted(db: D1Database, claimedBefore: number, foundBefore: number): Promise<string[]> {
  return readIds(
    db,
    sql`SELECT message_id FROM messages WHERE due_at <= ${latestDue(claimedBefore)} AND claimed_at <= ${claimedBefore}
      AND interrupted_at <= ${foundBefore} ORDER BY due_at LIMIT ${SWEEP_STEP}`,
  );
}

/** A message may be claimed before its job is due, where the sweep has counted a late job as due anew. */
const latestDue = (claimedBefore: number) => claimedBefore + RECOVERY_MILLISECONDS;

/** @param sendingSince a receipt is overdue if its message became SENDING at this time or before @returns ids, the oldest first */
export function findWithoutReceipt(db: D1Database, sendingSince: number): Promise<string[]> {
  return readIds(
    db,
    sql`SELECT message_id FROM messages WHERE status = 'SENDING' AND updated_at <= ${sendingSince}
      ORDER BY updated_at LIMIT ${SWEEP_STEP}`,
  );
}

async function readIds(db: D1Database, query: Sql): Promise<string[]> {
  return (await runQuery<{ message_id: string }>(prepare(db, query))).map((row) => row.message_id);
}

/** Takes callbacks whose job was due before `dueBefore` and that no run has claimed, and counts their job as due now. */
export async function takeOverdueCallbacks(db: D1Database, dueBefore: number, now: number): Promise<DueEvent[]> {
  const rows = await runWrite<Pick<EventRow, "message_id" | "event">>(
    db,
    prepare(
      db,
      sql`UPDATE events SET due_at = ${now} WHERE seq IN (
        SELECT seq FROM events WHERE due_at < ${dueBefore} AND attempted_at IS NULL
        ORDER BY due_at LIMIT ${SWEEP_STEP}) RETURNING message_id, event`,
    ),
  );
  return rows.map(toEventId);
}
