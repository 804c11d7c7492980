import { runBatch } from "../database.ts";
import { uncountCancelled } from "../operations/daily-counts.ts";

/** Lifetime of a tombstone: longer than any transaction may take to commit. */
export const TOMBSTONE_MILLISECONDS = 24 * 3_600_000;

/** A message whose submission has not started, and whose id was not returned for a duplicate. */
const UNCONFIRMED = `m.claimed_at IS NULL AND m.carrier IS NULL
  AND NOT EXISTS (SELECT 1 FROM duplicate_keys k WHERE k.message_id = m.message_id AND k.was_repeated = 1)`;

/** The ids of ?1 that are not stored. */
const GONE = `SELECT value FROM json_each(?1) WHERE value NOT IN (
  SELECT m.message_id FROM json_each(?1) j CROSS JOIN messages m ON m.message_id = j.value)`;

/**
 * Cancels messages whose client was told that they were not stored, unless their submission has started or their id was
 * returned since. Their tombstones prevent a late transaction from storing them.
 */
export async function cancelUnconfirmed(db: D1Database, messageIds: string[], now: number): Promise<void> {
  const list = JSON.stringify(messageIds);
  const run = (sql: string) => db.prepare(sql).bind(list);
  const unconfirmed = `SELECT m.message_id FROM json_each(?1) j CROSS JOIN messages m ON m.message_id = j.value
    WHERE ${UNCONFIRMED}`;
  await runBatch(db, [
    db
      .prepare(
        `INSERT INTO cancelled_messages (message_id, cancelled_at) SELECT value, ?2 FROM json_each(?1) WHERE true
         ON CONFLICT DO NOTHING`,
      )
      .bind(list, now),
    run(
      `DELETE FROM duplicate_keys WHERE (website_id, phone) IN (SELECT website_id, phone FROM messages
         WHERE message_id IN (${unconfirmed})) AND message_id IN (${unconfirmed})`,
    ),
    uncountCancelled(db, unconfirmed, [list]),
    run(`DELETE FROM links WHERE message_id IN (${unconfirmed})`),
    run(`DELETE FROM messages WHERE message_id IN (${unconfirmed})`),
    run(`DELETE FROM events WHERE message_id IN (${GONE})`),
  ]);
}
