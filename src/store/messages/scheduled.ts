// Messages that have a time of their own. One whose time is more than some minutes ahead has no job yet: see isScheduled.
import { runQuery, runWrite } from "../database.ts";
import { prepare, sql } from "../sql.ts";
import { SWEEP_STEP } from "./overdue.ts";

/**
 * When stored messages may go that do not go at once.
 * @param ids of those that have a time, and of earlier ones that are repeated: sending hours may have given them one
 * @param asked where it cannot be read: what the request says. The messages are stored
 * @returns milliseconds since 1970, by id
 */
export async function findSchedule(
  db: D1Database,
  ids: string[],
  asked: ReadonlyMap<string, number> = new Map(),
): Promise<ReadonlyMap<string, number>> {
  return ids.length === 0 ? new Map() : readSchedule(db, ids).catch(() => asked);
}

async function readSchedule(db: D1Database, ids: string[]): Promise<Map<string, number>> {
  const rows = await runQuery<{ message_id: string; send_at: number }>(
    prepare(
      db,
      sql`SELECT m.message_id, m.send_at FROM json_each(${JSON.stringify(ids)}) j CROSS JOIN messages m ON m.message_id = j.value
        WHERE m.status = 'PENDING_TO_SEND' AND m.send_at IS NOT NULL`,
    ),
  );
  return new Map(rows.map((row) => [row.message_id, row.send_at]));
}

/** A message without a job. Times in milliseconds since 1970. */
export interface ScheduledMessage {
  messageId: string;
  sendAt: number;
}

/** The first messages without a job that may go until `until`. */
export function findScheduled(db: D1Database, until: number): Promise<ScheduledMessage[]> {
  return runQuery<ScheduledMessage>(
    prepare(
      db,
      sql`SELECT message_id AS messageId, send_at AS sendAt FROM messages
        WHERE status = 'PENDING_TO_SEND' AND due_at IS NULL AND send_at <= ${until} ORDER BY send_at LIMIT ${SWEEP_STEP}`,
    ),
  );
}

/** From now on they have a job. Safe to run again. @param jobs `at`: when the job is due, in milliseconds since 1970 */
export async function giveJobs(db: D1Database, jobs: { messageId: string; at: number }[]): Promise<void> {
  await runWrite(
    db,
    prepare(
      db,
      sql`UPDATE messages AS m SET due_at = j.value ->> 'at' FROM json_each(${JSON.stringify(jobs)}) j
        WHERE m.message_id = j.value ->> 'messageId' AND m.status = 'PENDING_TO_SEND' AND m.due_at IS NULL`,
    ),
  );
}
