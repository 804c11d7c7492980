import { runBatch } from "../database.ts";
import { stepBack, uncount } from "../operations/count-ledgers.ts";
import { uncountCancelled } from "../operations/report-counts.ts";
import { oneFormIn } from "../people/number-forms.ts";
import { piece, prepare, type Sql, sql } from "../sql.ts";

/** Lifetime of a tombstone: longer than any transaction may take to commit. */
export const TOMBSTONE_MILLISECONDS = 24 * 3_600_000;

/** The number of a message as keys of content have it. */
const ONE_FORM = oneFormIn(piece("phone"));

/**
 * Cancels messages whose client was told that they were not stored, unless their submission has started or their id was
 * returned since. Their tombstones prevent a late transaction from storing them.
 */
export async function cancelUnconfirmed(db: D1Database, messageIds: string[], now: number): Promise<void> {
  const list = JSON.stringify(messageIds);
  // Their submission has not started, and their ids were not returned for a duplicate.
  const unconfirmed = sql`SELECT m.message_id FROM json_each(${list}) j CROSS JOIN messages m ON m.message_id = j.value
    WHERE m.claimed_at IS NULL AND m.carrier IS NULL
      AND NOT EXISTS (SELECT 1 FROM duplicate_keys k WHERE k.message_id = m.message_id AND k.was_repeated = 1)`;
  const run = (statement: Sql) => prepare(db, statement);
  await runBatch(db, [
    run(sql`INSERT INTO cancelled_messages (message_id, cancelled_at) SELECT value, ${now} FROM json_each(${list})
      WHERE true ON CONFLICT DO NOTHING`),
    run(sql`DELETE FROM duplicate_keys
      WHERE (website_id, phone) IN (SELECT website_id, ${ONE_FORM} FROM messages WHERE message_id IN (${unconfirmed}))
        AND message_id IN (${unconfirmed})`),
    uncountCancelled(db, unconfirmed),
    uncount(db, unconfirmed, now),
    run(sql`DELETE FROM links WHERE message_id IN (${unconfirmed})`),
    run(sql`DELETE FROM messages WHERE message_id IN (${unconfirmed})`),
    stepBack(db),
    run(sql`DELETE FROM events WHERE message_id IN (SELECT value FROM json_each(${list}) WHERE value NOT IN (
      SELECT m.message_id FROM json_each(${list}) j CROSS JOIN messages m ON m.message_id = j.value))`),
  ]);
}
