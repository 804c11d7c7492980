// The table report_counts: what became of the messages that were accepted in each quarter of an hour. A report adds up this table and the stored
// messages that it does not have yet, so each message counts once:
// - The sweep closes days (of UTC): it adds the messages of days that are over, if all are final, and moves websites.counted_until past them.
// - A purge and an erasure add the messages that they delete, unless these were accepted before counted_until.
// - A click, an opt-out or a cancellation of a message that was accepted before counted_until changes the row of the message.
// Each of these is one transaction. When it is run again, it counts nothing twice, except a click: see recordClick.
import { runBatch, runQuery } from "../database.ts";
import { piece, prepare, type Sql, sql } from "../sql.ts";

/** Condition: the stored message `m` is in report_counts. */
const IS_COUNTED = piece(
  "EXISTS (SELECT 1 FROM websites w WHERE w.website_id = m.website_id AND w.counted_until > m.accepted_at)",
);

/**
 * Adds what messages count to report_counts, or takes it away. It must be run before they are deleted, in the same transaction.
 * @param which condition on a row `m` of message_counts
 */
function changeCounts(db: D1Database, sign: 1 | -1, which: Sql): D1PreparedStatement {
  return prepare(
    db,
    sql`INSERT INTO report_counts (website_id, quarter, send_purpose, country, status, reason,
        messages, segments, clicked, clicks, robot_clicks, opted_out)
      SELECT m.website_id, m.quarter, m.send_purpose, m.country, m.status, m.reason,
        ${sign} * sum(m.messages), ${sign} * sum(m.segments), ${sign} * sum(m.clicked), ${sign} * sum(m.clicks), ${sign} * sum(m.robot_clicks), ${sign} * sum(m.opted_out)
      FROM message_counts m WHERE ${which} GROUP BY 1, 2, 3, 4, 5, 6
      ON CONFLICT (website_id, quarter, send_purpose, country, status, reason) DO UPDATE SET
        messages = messages + excluded.messages, segments = segments + excluded.segments,
        clicked = clicked + excluded.clicked, clicks = clicks + excluded.clicks,
        robot_clicks = robot_clicks + excluded.robot_clicks, opted_out = opted_out + excluded.opted_out`,
  );
}

/**
 * Condition on a row of report_counts: it has one of the messages. A click or an opt-out of a message is added to its row, before the
 * statement that stores it, in the same transaction.
 * @param chosen query of message ids
 */
export const hasCounted = (chosen: Sql): Sql =>
  sql`(website_id, quarter, send_purpose, country, status, reason) IN (
    SELECT m.website_id, m.quarter, m.send_purpose, m.country, m.status, m.reason FROM message_counts m
    WHERE m.message_id IN (${chosen}) AND ${IS_COUNTED})`;

/** Counts messages that are about to be purged or erased, unless they are counted. @param chosen query of message ids */
export function countRemoved(db: D1Database, chosen: Sql): D1PreparedStatement {
  return changeCounts(db, 1, sql`m.message_id IN (${chosen}) AND NOT ${IS_COUNTED}`);
}

/** Messages that are about to be cancelled count no more. @param chosen query of message ids */
export function uncountCancelled(db: D1Database, chosen: Sql): D1PreparedStatement {
  return changeCounts(db, -1, sql`m.message_id IN (${chosen}) AND ${IS_COUNTED}`);
}

/** Messages of a website from counted_until on: those of its days that are over, or the first 8,000 of them. */
export interface Slice {
  websiteId: string;
  /** counted_until, in milliseconds since 1970; and what it becomes. */
  start: number;
  until: number;
  /** A message in it is not final. */
  isOpen: boolean;
}

/** When the oldest message of the website `w` was accepted that waits for a time far ahead. */
const OLDEST_SCHEDULED = piece(`coalesce((SELECT m.accepted_at FROM messages m INDEXED BY messages_scheduled_by_website
  WHERE m.website_id = w.website_id AND m.status = 'PENDING_TO_SEND' AND m.due_at IS NULL ORDER BY m.message_id LIMIT 1), 9e15)`);

/**
 * The next slices of 25 websites, in the order of their starts: at most 200,000 messages, which are counted in less than a second. A slice
 * ends before the oldest message that waits for a time far ahead: the next sweeps need not look at it again until then.
 * @param closing start of the first day that is not to be counted
 * @param after the last slice of the previous step; null for the first step
 */
export async function findSlices(
  db: D1Database,
  { closing, after }: { closing: number; after: Slice | null },
): Promise<Slice[]> {
  const rows = await runQuery<Omit<Slice, "isOpen"> & { isOpen: 0 | 1 }>(
    prepare(
      db,
      sql`WITH slices AS MATERIALIZED (
          SELECT w.website_id, w.counted_until AS start, min(${OLDEST_SCHEDULED}, coalesce((SELECT m.accepted_at + 1 FROM messages m
            WHERE m.website_id = w.website_id AND m.accepted_at >= w.counted_until AND m.accepted_at < ${closing}
            ORDER BY m.accepted_at LIMIT 1 OFFSET 7999), ${closing})) AS until
          FROM websites w WHERE w.counted_until < ${closing} AND w.counted_until < ${OLDEST_SCHEDULED}
            AND (w.counted_until, w.website_id) > (${after?.start ?? -1}, ${after?.websiteId ?? ""})
          ORDER BY w.counted_until, w.website_id LIMIT 25
        )
        SELECT s.website_id AS websiteId, s.start, s.until, EXISTS (SELECT 1 FROM messages m
          WHERE m.website_id = s.website_id AND m.accepted_at >= s.start AND m.accepted_at < s.until
            AND m.status IN ('PENDING_TO_SEND', 'SENDING')) AS isOpen
        FROM slices s ORDER BY s.start, s.website_id`,
    ),
  );
  return rows.map((row) => ({ ...row, isOpen: row.isOpen === 1 }));
}

/** Counts slices all of whose messages are final. A website that is no longer at the start of its slice stays as it is. */
export async function countSlices(db: D1Database, slices: Slice[]): Promise<void> {
  const statements = slices.flatMap(({ websiteId, start, until }) => [
    changeCounts(
      db,
      1,
      sql`m.website_id = ${websiteId} AND m.accepted_at >= ${start} AND m.accepted_at < ${until}
        AND EXISTS (SELECT 1 FROM websites WHERE website_id = ${websiteId} AND counted_until = ${start})`,
    ),
    prepare(
      db,
      sql`UPDATE websites SET counted_until = ${until} WHERE website_id = ${websiteId} AND counted_until = ${start}`,
    ),
  ]);
  await runBatch(db, statements);
}
