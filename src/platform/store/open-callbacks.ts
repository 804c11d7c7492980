// The callbacks that the sweep watches. It looks at each batch of events once, a minute after it was stored, and keeps those that
// are open then, so that a callback that is posted in time costs no row of an index.
import { runNamed } from "./database.ts";
import { type DueEvent, SEEN, toEventId } from "./events.ts";
import { ID_IS_HERE } from "./moving.ts";
import type { EventRow } from "./rows.ts";

/** Batches and callbacks that one step of the sweep looks at. */
const STEP = 1000;

const IS_OPEN = "e.callback_due > 0 AND e.outcome IS NULL";

/** The key of the event whose id is `j.value`. */
export const MESSAGE_ID = "substr(j.value, 1, instr(j.value, '_') - 1)";
export const EVENT = "substr(j.value, instr(j.value, '_') + 1)";

/** The next batches `b` and their events `e`. ?1: stored at this time at the latest; a batch between them may be younger. */
const NEXT_END = `(SELECT max(seq) FROM (SELECT seq, stored_at FROM event_batches WHERE seq > ${SEEN} ORDER BY seq LIMIT ${STEP})
  WHERE stored_at <= ?1)`;
const NEXT_EVENTS = `event_batches b CROSS JOIN json_each(b.event_ids) j CROSS JOIN events e ON e.message_id = ${MESSAGE_ID} AND e.event = ${EVENT}
  WHERE b.seq > ${SEEN} AND b.seq <= ${NEXT_END} AND ${ID_IS_HERE("e.message_id")}`;

const OLDEST = `(SELECT message_id, event FROM open_callbacks WHERE queued_at < ?1 ORDER BY queued_at LIMIT ${STEP})`;

/**
 * Takes due callbacks whose last job was queued before `queuedBefore`, and counts them as queued now.
 * @returns `mayBeMore`: another step may find others
 */
export async function takeOverdueCallbacks(
  db: D1Database,
  queuedBefore: number,
  now: number,
): Promise<{ due: DueEvent[]; mayBeMore: boolean }> {
  const { seen, ended, taken } = await runNamed(db, {
    found: db
      .prepare(
        `INSERT INTO open_callbacks (message_id, event, queued_at)
         SELECT e.message_id, e.event, e.queued_at FROM ${NEXT_EVENTS} AND ${IS_OPEN} ON CONFLICT DO NOTHING`,
      )
      .bind(queuedBefore),
    seen: db
      .prepare(
        `INSERT INTO event_batches_seen (only, seq) SELECT 1, next.seq FROM (SELECT ${NEXT_END} AS seq) next
         WHERE next.seq IS NOT NULL ON CONFLICT (only) DO UPDATE SET seq = excluded.seq RETURNING seq`,
      )
      .bind(queuedBefore),
    ended: db
      .prepare(
        `DELETE FROM open_callbacks WHERE (message_id, event) IN ${OLDEST} AND NOT EXISTS (
           SELECT 1 FROM events e WHERE e.message_id = open_callbacks.message_id AND e.event = open_callbacks.event AND ${IS_OPEN})
         RETURNING event`,
      )
      .bind(queuedBefore),
    taken: db
      .prepare(
        `UPDATE open_callbacks SET queued_at = iif((SELECT e.attempted_at FROM events e
           WHERE e.message_id = open_callbacks.message_id AND e.event = open_callbacks.event) IS NULL, ?2, NULL)
         WHERE (message_id, event) IN ${OLDEST} RETURNING message_id, event, queued_at`,
      )
      .bind(queuedBefore, now),
  });
  const due = (taken as (Pick<EventRow, "message_id" | "event"> & { queued_at: number | null })[])
    .filter(({ queued_at }) => queued_at !== null)
    .map(toEventId);
  return { due, mayBeMore: seen.length + ended.length + taken.length > 0 };
}

/**
 * Keeps callbacks that were given back, for the sweep: it may have looked at their batches already. It must be run after they
 * were, in the same transaction.
 * @param chosen SQL condition on the rows of events; its parameters start at ?1
 */
export function keepOpen(db: D1Database, chosen: string, values: readonly unknown[]): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO open_callbacks (message_id, event, queued_at) SELECT message_id, event, queued_at FROM events
       WHERE ${chosen} AND callback_due > 0 AND attempted_at IS NULL AND outcome IS NULL
       ON CONFLICT DO UPDATE SET queued_at = excluded.queued_at`,
    )
    .bind(...values);
}

/** Events of batches that are looked at for open callbacks. More wait only where no sweep runs. */
const LOOKED_AT = 100_000;

/** The open callbacks: of those that the sweep keeps, and of batches that it has not looked at yet. */
export const OPEN_OF_ALL = `SELECT e.message_id, e.event, e.attempted_at, e.occurred_at FROM (
    SELECT message_id, event FROM open_callbacks
    UNION ALL SELECT * FROM (SELECT ${MESSAGE_ID} AS message_id, ${EVENT} AS event
      FROM event_batches b CROSS JOIN json_each(b.event_ids) j WHERE b.seq > ${SEEN} LIMIT ${LOOKED_AT}) n
      WHERE NOT EXISTS (SELECT 1 FROM open_callbacks o WHERE o.message_id = n.message_id AND o.event = n.event)
  ) o CROSS JOIN events e ON e.message_id = o.message_id AND e.event = o.event WHERE ${IS_OPEN}`;

/** Without those of websites that have left. */
export const OPEN_CALLBACKS = `${OPEN_OF_ALL} AND ${ID_IS_HERE("e.message_id")}`;
