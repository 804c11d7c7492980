// Messages that wait for their final receipt. A few minutes after a message was accepted, the sweep looks at it once. If it is still
// SENDING, it is marked as watched. Only watched messages are in the index, so a prompt receipt saves the row of an index.
import { runNamed } from "./database.ts";
import { IS_COMPARED, IS_HERE, IS_OPEN } from "./moving.ts";

/** Rowids that one step looks at. Messages get them in the order in which they are stored. */
const LOOKED_AT = 10_000;

/** Overdue messages that one step finds. */
const STEP = 1000;

/** After an older version has swept, jobs of it may still end: all messages are looked at once more. */
const AGAIN_AFTER_MILLISECONDS = 3_600_000;

const SEEN = (column: string) => `(SELECT ${column} FROM event_batches_seen WHERE only = 1)`;

/** SQL assignment. An UPDATE that can set SENDING needs it: the sweep looks at a message only once, and may have done so already. */
export const WATCH = `watched = iif(rowid <= ${SEEN("messages_seen")}, 1, watched)`;

/** Whether no older version has swept since. */
const IS_KEPT = "coalesce((SELECT messages_kept_at IS ended_at FROM last_sweep WHERE only = 1), 1)";

const LAST = "(SELECT rowid FROM messages WHERE rowid > 0 ORDER BY rowid DESC LIMIT 1)";

/** The step begins after this rowid. ?2: now. Once the last messages are deleted, SQLite gives their rowids to new ones. */
const BEGUN = `iif(${IS_KEPT} AND coalesce(${SEEN("messages_again_at")} > ?2, 1),
  coalesce(min(${SEEN("messages_seen")}, ${LAST}), 0), 0)`;

const NEXT = (columns: string, most: number) =>
  `(SELECT ${columns} FROM messages WHERE rowid > begun ORDER BY rowid LIMIT ${most})`;

/**
 * The last rowid that the step looks at. It was accepted at ?1 or before; one between may be younger. NULL while the next message is
 * younger, and while a website is on the move.
 */
const UNTIL = `CASE WHEN ${NEXT("accepted_at", 1)} <= ?1 AND NOT EXISTS (${IS_COMPARED})
  THEN (SELECT max(rowid) FROM ${NEXT("rowid, accepted_at", LOOKED_AT)} WHERE accepted_at <= ?1) END`;

/**
 * Marks the next messages that are SENDING as watched, and finds watched messages whose receipt is overdue.
 * @param acceptedBefore the last message of a step was accepted at this time or before
 * @param sendingSince a receipt is overdue if its message became SENDING at this time or before
 * @returns the ids of the overdue; `mayBeMore`: another step may find others
 */
export async function findWithoutReceipt(
  db: D1Database,
  { acceptedBefore, sendingSince, now }: { acceptedBefore: number; sendingSince: number; now: number },
): Promise<{ found: string[]; mayBeMore: boolean }> {
  const { seen, overdue } = await runNamed(db, {
    seen: db
      .prepare(
        `WITH next AS MATERIALIZED (SELECT begun, ${UNTIL} AS until, ${IS_KEPT} AS is_kept FROM (SELECT ${BEGUN} AS begun))
         INSERT INTO event_batches_seen (only, seq, messages_seen_before, messages_seen, messages_again_at)
         SELECT 1, 0, begun, coalesce(until, begun), iif(is_kept, NULL, ?2 + ${AGAIN_AFTER_MILLISECONDS}) FROM next
         WHERE until IS NOT NULL OR NOT is_kept OR begun < ${SEEN("messages_seen")}
           OR ${SEEN("messages_seen_before")} IS NOT ${SEEN("messages_seen")}
         ON CONFLICT DO UPDATE SET messages_seen_before = excluded.messages_seen_before, messages_seen = excluded.messages_seen,
           messages_again_at = coalesce(excluded.messages_again_at, iif(messages_again_at > ?2, messages_again_at, NULL))
         RETURNING messages_seen - messages_seen_before AS count`,
      )
      .bind(acceptedBefore, now),
    kept: db.prepare(
      "UPDATE last_sweep SET messages_kept_at = ended_at WHERE only = 1 AND messages_kept_at IS NOT ended_at",
    ),
    watched: db.prepare(
      `UPDATE messages SET watched = 1 WHERE rowid > ${SEEN("messages_seen_before")} AND rowid <= ${SEEN("messages_seen")}
         AND status = 'SENDING' AND watched IS NULL AND ${IS_OPEN("messages.website_id")}`,
    ),
    overdue: db
      .prepare(
        `SELECT message_id FROM messages WHERE status = 'SENDING' AND watched = 1 AND updated_at <= ?1
           AND ${IS_OPEN("messages.website_id")} ORDER BY updated_at LIMIT ${STEP}`,
      )
      .bind(sendingSince),
  });
  const [{ count } = { count: 0 }] = seen as { count: number }[];
  return {
    found: (overdue as { message_id: string }[]).map((row) => row.message_id),
    mayBeMore: count >= LOOKED_AT || overdue.length > 0,
  };
}

/** The count reads at most so many messages that the sweep has not looked at yet. While the sweep runs, there are fewer. */
const COUNTED_YOUNG = 100_000;

/** Query: all messages that wait for a final receipt. The watched ones come first, the oldest in front. */
export const UNCONFIRMED = `SELECT carrier, updated_at FROM (SELECT carrier, updated_at FROM messages
    WHERE status = 'SENDING' AND watched = 1 AND ${IS_HERE("messages.website_id")} ORDER BY updated_at)
  UNION ALL SELECT carrier, updated_at FROM (SELECT website_id, carrier, updated_at, status, watched FROM messages
      WHERE rowid > coalesce(${SEEN("messages_seen")}, 0) ORDER BY rowid DESC LIMIT ${COUNTED_YOUNG}) young
    WHERE status = 'SENDING' AND watched IS NULL AND ${IS_HERE("young.website_id")}`;
