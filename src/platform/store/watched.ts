// Messages that wait for a carrier or for their final receipt. A minute after a message was accepted, the sweep looks at it once. If
// it is not final, it is marked as watched; one that a carrier is to have later is marked at once. Only watched messages are in an
// index, so most messages save the rows of one.
import { runNamed, runQuery } from "./database.ts";
import { IS_HERE, IS_OPEN } from "./moving.ts";

/** Rowids that one step looks at. Messages get them in the order in which they are stored. To mark as many takes SQLite 40 ms. */
const LOOKED_AT = 20_000;

/** Overdue messages that one step finds. */
const STEP = 1000;

const SEEN = (column: string) => `(SELECT ${column} FROM event_batches_seen WHERE only = 1)`;

const LAST = "coalesce((SELECT rowid FROM messages WHERE rowid > 0 ORDER BY rowid DESC LIMIT 1), 0)";

/** For every transaction that deletes messages: once the last are deleted, SQLite gives their rowids to new ones. */
export const lowerSeen = (db: D1Database): D1PreparedStatement =>
  db.prepare(`UPDATE event_batches_seen SET messages_seen = ${LAST} WHERE only = 1 AND messages_seen > ${LAST}`);

/** The step begins after this rowid. */
const BEGUN = `coalesce(${SEEN("messages_seen")}, 0)`;

const NEXT = (columns: string, most: number) =>
  `(SELECT ${columns} FROM messages WHERE rowid > begun ORDER BY rowid LIMIT ${most})`;

/** What the sweep has looked at with the last step, and has not marked. */
const UNMARKED = `rowid > ${SEEN("messages_seen_before")} AND rowid <= ${SEEN("messages_seen")}
  AND status IN ('PENDING_TO_SEND', 'SENDING') AND watched IS NULL`;

/**
 * The last rowid that the step looks at. It was accepted at ?1 or before; one between may be younger. NULL while the next message is
 * younger.
 */
const UNTIL = `CASE WHEN ${NEXT("accepted_at", 1)} <= ?1
  THEN (SELECT max(rowid) FROM ${NEXT("rowid, accepted_at", LOOKED_AT)} WHERE accepted_at <= ?1) END`;

/** Marks the next messages that are not final as watched. @returns whether there may be more */
async function watchNext(db: D1Database, acceptedBefore: number): Promise<boolean> {
  const { seen } = await runNamed(db, {
    seen: db
      .prepare(
        `WITH next AS MATERIALIZED (SELECT begun, ${UNTIL} AS until FROM (SELECT ${BEGUN} AS begun))
         INSERT INTO event_batches_seen (only, seq, messages_seen_before, messages_seen)
         SELECT 1, 0, begun, coalesce(until, begun) FROM next
         WHERE until IS NOT NULL OR begun < ${SEEN("messages_seen")} OR ${SEEN("messages_seen_before")} IS NOT ${SEEN("messages_seen")}
         ON CONFLICT DO UPDATE SET messages_seen_before = excluded.messages_seen_before, messages_seen = excluded.messages_seen
         RETURNING messages_seen - messages_seen_before AS count`,
      )
      .bind(acceptedBefore),
    // A move neither copies the mark nor compares it.
    watched: db.prepare(`UPDATE messages SET watched = 1 WHERE ${UNMARKED}`),
  });
  const [{ count } = { count: 0 }] = seen as { count: number }[];
  return count >= LOOKED_AT;
}

/** Five million messages. While the sweep runs, far fewer are left to look at. */
const MOST_STEPS = 250;

/** @param acceptedBefore the last message of a step was accepted at this time or before */
export async function watch(db: D1Database, acceptedBefore: number): Promise<void> {
  for (let steps = 1; (await watchNext(db, acceptedBefore)) && steps < MOST_STEPS; steps++);
}

/** @param sendingSince a receipt is overdue if its message became SENDING at this time or before @returns ids, the oldest first */
export async function findWithoutReceipt(db: D1Database, sendingSince: number): Promise<string[]> {
  const rows = await runQuery<{ message_id: string }>(
    db
      .prepare(
        `SELECT message_id FROM messages WHERE status = 'SENDING' AND watched = 1 AND updated_at <= ?1
           AND ${IS_OPEN("messages.website_id")} ORDER BY updated_at LIMIT ${STEP}`,
      )
      .bind(sendingSince),
  );
  return rows.map((row) => row.message_id);
}

/** A query reads at most so many messages that the sweep has not looked at yet. While the sweep runs, there are fewer. */
const MOST_YOUNG = 100_000;

/** By what each index of watched messages is ordered. */
const ORDER = { PENDING_TO_SEND: "queued_at", SENDING: "updated_at" } as const;

/**
 * Query: messages that are not final. The watched ones come first, the oldest in front.
 * @param columns `website_id` is among them
 */
export function unfinished(status: keyof typeof ORDER, columns: string, most: number): string {
  return `SELECT * FROM (SELECT ${columns} FROM messages
      WHERE status = '${status}' AND watched = 1 AND ${IS_HERE("messages.website_id")} ORDER BY ${ORDER[status]} LIMIT ${most})
    UNION ALL SELECT ${columns} FROM (SELECT ${columns}, status, watched FROM messages
      WHERE rowid > coalesce(${SEEN("messages_seen")}, 0) ORDER BY rowid DESC LIMIT ${MOST_YOUNG}) young
    WHERE status = '${status}' AND watched IS NULL AND ${IS_HERE("young.website_id")} LIMIT ${most}`;
}
