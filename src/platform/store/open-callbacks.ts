// The callbacks that the sweep watches. It looks at each batch of events once, a minute after it was stored, and keeps those that
// are open then, so that a callback that is posted in time costs no row of an index.
import { runNamed } from "./database.ts";
import {
  ALL_OF,
  type Chosen,
  EVENTS,
  type EventChange,
  GIVEN,
  inEvents,
  type Stored,
  updateEvents,
} from "./event-places.ts";
import { type DueEvent, SEEN, toEventId } from "./events.ts";
import { ID_IS_HERE } from "./moving.ts";
import type { EventRow } from "./rows.ts";

/** Batches and callbacks that one step of the sweep looks at. */
const STEP = 1000;

const isOpen = (column: Stored) => `${column("callback_due")} > 0 AND ${column("outcome")} IS NULL`;
const IS_OPEN = isOpen(inEvents);

/** The key of the event whose id is `j.value`. */
export const MESSAGE_ID = "substr(j.value, 1, instr(j.value, '_') - 1)";
export const EVENT = "substr(j.value, instr(j.value, '_') + 1)";

/** The keys of the events of batches `b`. */
const IN_BATCHES = `SELECT ${MESSAGE_ID} AS message_id, ${EVENT} AS event FROM event_batches b CROSS JOIN json_each(b.event_ids) j`;

/** The next batches. ?1: stored at this time at the latest; a batch between them may be younger. */
const NEXT_END = `(SELECT max(seq) FROM (SELECT seq, stored_at FROM event_batches WHERE seq > ${SEEN} ORDER BY seq LIMIT ${STEP})
  WHERE stored_at <= ?1)`;
const NEXT = `(WITH next AS MATERIALIZED (${IN_BATCHES} WHERE b.seq > ${SEEN} AND b.seq <= ${NEXT_END}) SELECT * FROM next)`;

const OLDEST = `(SELECT message_id, event FROM open_callbacks WHERE queued_at < ?1 ORDER BY queued_at LIMIT ${STEP})`;

/**
 * Takes due callbacks whose last job was queued before `queuedBefore`, and counts them as queued now.
 * @returns `mayBeMore`: another step may find others
 */
export async function takeOverdueCallbacks(
  db: D1Database,
  queuedBefore: number,
  now: number,
): Promise<{ found: DueEvent[]; mayBeMore: boolean }> {
  const { seen, ended, taken } = await runNamed(db, {
    found: db
      .prepare(
        `INSERT INTO open_callbacks (message_id, event, queued_at)
         SELECT e.message_id, e.event, e.queued_at FROM ${EVENTS(NEXT)}
         WHERE ${IS_OPEN} AND ${ID_IS_HERE("e.message_id")} ON CONFLICT DO NOTHING`,
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
        `DELETE FROM open_callbacks WHERE (message_id, event) IN (
           SELECT message_id, event FROM ${EVENTS(OLDEST)} WHERE NOT coalesce(${IS_OPEN}, 0)) RETURNING event`,
      )
      .bind(queuedBefore),
    taken: db
      .prepare(
        `UPDATE open_callbacks SET queued_at = iif((message_id, event) IN (
             SELECT message_id, event FROM ${EVENTS(OLDEST)} WHERE e.attempted_at IS NULL), ?2, NULL)
         WHERE (message_id, event) IN ${OLDEST} RETURNING message_id, event, queued_at`,
      )
      .bind(queuedBefore, now),
  });
  const found = (taken as (Pick<EventRow, "message_id" | "event"> & { queued_at: number | null })[])
    .filter(({ queued_at }) => queued_at !== null)
    .map(toEventId);
  return { found, mayBeMore: seen.length + ended.length + taken.length > 0 };
}

/**
 * Gives back open callbacks, and keeps them for the sweep, which may have looked at their batches already.
 * @param queuedAt SQL: from then on the sweep counts how long they wait
 */
export function releaseCallbacks(
  db: D1Database,
  { of, where, queuedAt, values }: Omit<EventChange, "set"> & { of: Chosen; queuedAt: string },
): D1PreparedStatement[] {
  const isReleased = (column: Stored) => `${where(column)} AND ${isOpen(column)}`;
  const released =
    "ids" in of
      ? ALL_OF(of.ids, isReleased)
      : `SELECT e.message_id, e.event FROM ${EVENTS(GIVEN("?1"))} WHERE ${isReleased(inEvents)}`;
  return [
    db
      .prepare(
        `INSERT INTO open_callbacks (message_id, event, queued_at) SELECT message_id, event, ${queuedAt} FROM (${released})
         WHERE true ON CONFLICT DO UPDATE SET queued_at = excluded.queued_at`,
      )
      .bind(...values),
    ...updateEvents(db, {
      ...{ of, where: isReleased, values },
      set: { attempted_at: "NULL", claim: "NULL", queued_at: queuedAt },
    }),
  ];
}

/** Events of batches that are looked at for open callbacks. More wait only where no sweep runs. */
const LOOKED_AT = 100_000;

/**
 * The open callbacks, as a count of all websites needs them: of those that the sweep keeps, and of batches that it has not looked at
 * yet. Without those of websites that have left.
 */
export const OPEN_CALLBACKS = `SELECT e.message_id, e.event, e.attempted_at, e.occurred_at FROM ${EVENTS(`(
    SELECT message_id, event FROM open_callbacks
    UNION ALL SELECT * FROM (${IN_BATCHES} WHERE b.seq > ${SEEN} LIMIT ${LOOKED_AT}) latest
      WHERE NOT EXISTS (SELECT 1 FROM open_callbacks o WHERE o.message_id = latest.message_id AND o.event = latest.event))`)} WHERE ${IS_OPEN}
  AND ${ID_IS_HERE("e.message_id")}`;

/** Batches that one statement reads: some 30,000 events. */
const BATCHES_READ = 1000;

/**
 * All open callbacks that meet a condition: however many events others have had since the sweep last looked, none is left out.
 * @param where SQL condition on the event `e`, with the parameters from ?2 on
 */
export async function findOpenCallbacks(
  db: D1Database,
  where: string,
  values: unknown[],
): Promise<{ messageId: string; event: string }[]> {
  const select = (keys: string) =>
    `SELECT e.message_id AS messageId, e.event FROM ${EVENTS(keys)} WHERE ${IS_OPEN} AND ${where}`;
  const { seen, kept } = await runNamed(db, {
    seen: db.prepare(`SELECT ${SEEN} AS seq`),
    kept: db.prepare(select("open_callbacks")).bind(null, ...values),
  });
  const found = kept as { messageId: string; event: string }[];
  // A batch that the sweep looks at meanwhile is read nevertheless.
  const end = `(SELECT max(seq) FROM (SELECT seq FROM event_batches WHERE seq > ?1 ORDER BY seq LIMIT ${BATCHES_READ}))`;
  for (let last = firstOf(seen); last !== null; ) {
    const step: Record<"next" | "open", unknown[]> = await runNamed(db, {
      next: db.prepare(`SELECT ${end} AS seq`).bind(last),
      open: db.prepare(select(`(${IN_BATCHES} WHERE b.seq > ?1 AND b.seq <= ${end})`)).bind(last, ...values),
    });
    found.push(...(step.open as typeof found));
    last = firstOf(step.next);
  }
  return found;
}

const firstOf = ([row]: unknown[]) => (row as { seq: number | null } | undefined)?.seq ?? null;
