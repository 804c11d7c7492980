// Messages that wait for their final receipt. The sweep looks at each message once, some minutes after it was accepted, and watches
// those that are SENDING then, so that a receipt that comes soon costs no row of an index.
import { runNamed } from "./database.ts";
import { IS_COMPARED, IS_HERE, IS_OPEN } from "./moving.ts";

/** Rowids that one step looks at. Messages get them in the order in which they are stored. */
const LOOKED_AT = 10_000;

/** Messages that one step finds. */
const STEP = 1000;

/** After an older version has swept, jobs of it may still end: all messages are looked at once more. */
const AGAIN_AFTER_MILLISECONDS = 3_600_000;

const SEEN = (column: string) => `(SELECT ${column} FROM event_batches_seen WHERE only = 1)`;

/** SQL, for an UPDATE of messages that can make them SENDING: the sweep does not come back to those that it has looked at. */
export const WATCH = `watched = iif(rowid <= ${SEEN("messages_seen")}, 1, watched)`;

/** Whether no older version has swept since. */
const IS_KEPT = "coalesce((SELECT messages_kept_at IS ended_at FROM last_sweep WHERE only = 1), 1)";

const LAST = "(SELECT rowid FROM messages WHERE rowid > 0 ORDER BY rowid DESC LIMIT 1)";

/** The rowid from which the next step looks on. ?2: now. Rowids of the last messages are given again, once they are deleted. */
const BEGUN = `iif(${IS_KEPT} AND coalesce(${SEEN("messages_again_at")} > ?2, 1),
  coalesce(min(${SEEN("messages_seen")}, ${LAST}), 0), 0)`;

/**
 * The last that it looks at: none, while the next message is young. Websites on the move hold it up.
 * ?1: accepted by then; a message between them may be younger
 */
const NEXT = (columns: string, most: number) =>
  `(SELECT ${columns} FROM messages WHERE rowid > begun ORDER BY rowid LIMIT ${most})`;
const UNTIL = `CASE WHEN ${NEXT("accepted_at", 1)} <= ?1 AND NOT EXISTS (${IS_COMPARED})
  THEN (SELECT max(rowid) FROM ${NEXT("rowid, accepted_at", LOOKED_AT)} WHERE accepted_at <= ?1) END`;

/**
 * Looks at the next messages, and watches those that wait for a receipt.
 * @param acceptedBefore younger ones are left to later sweeps
 * @param sendingSince those that became SENDING at that time or before are found
 * @returns their ids; `mayBeMore`: another step may find others
 */
export async function findWithoutReceipt(
  db: D1Database,
  { acceptedBefore, sendingSince, now }: { acceptedBefore: number; sendingSince: number; now: number },
): Promise<{ ids: string[]; mayBeMore: boolean }> {
  const { seen, found } = await runNamed(db, {
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
    found: db
      .prepare(
        `SELECT message_id FROM messages WHERE status = 'SENDING' AND watched = 1 AND updated_at <= ?1
           AND ${IS_OPEN("messages.website_id")} ORDER BY updated_at LIMIT ${STEP}`,
      )
      .bind(sendingSince),
  });
  const [{ count } = { count: 0 }] = seen as { count: number }[];
  return {
    ids: (found as { message_id: string }[]).map((row) => row.message_id),
    mayBeMore: count >= LOOKED_AT || found.length > 0,
  };
}

/** Of the messages that the sweep has not looked at yet, those that are counted. More wait only where no sweep runs. */
const COUNTED_YOUNG = 100_000;

/** Query: all that wait for a final receipt, the oldest first, but for the young. */
export const UNCONFIRMED = `SELECT carrier, updated_at FROM (SELECT carrier, updated_at FROM messages
    WHERE status = 'SENDING' AND watched = 1 AND ${IS_HERE("messages.website_id")} ORDER BY updated_at)
  UNION ALL SELECT carrier, updated_at FROM (SELECT website_id, carrier, updated_at, status, watched FROM messages
      WHERE rowid > coalesce(${SEEN("messages_seen")}, 0) ORDER BY rowid DESC LIMIT ${COUNTED_YOUNG}) young
    WHERE status = 'SENDING' AND watched IS NULL AND ${IS_HERE("young.website_id")}`;
