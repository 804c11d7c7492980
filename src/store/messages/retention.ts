// Deletes expired rows, the oldest first, so many at a time. The sweep runs these functions; erasure.ts deletes one person's rows.

import { runNamed, runNamedResults } from "../database.ts";
import { IS_OPEN } from "../databases/moving.ts";
import { countRemoved } from "../operations/daily-counts.ts";
import { hourBefore } from "../operations/outcome-counts.ts";

/**
 * Deletes messages with their events, links and clicks, in one transaction; a report goes on to count them.
 * @param chosen query of message ids; its parameters start at ?1
 */
export function removeCounted(db: D1Database, chosen: string, parameters: unknown[]) {
  const run = (sql: string) => db.prepare(sql).bind(...parameters);
  const of = (table: string) => run(`DELETE FROM ${table} WHERE message_id IN (${chosen})`);
  return {
    counts: countRemoved(db, chosen, parameters),
    clicks: of("clicks"),
    links: of("links"),
    events: of("events"),
    messages: run(`DELETE FROM messages WHERE message_id IN (${chosen}) RETURNING message_id`),
  };
}

/**
 * Rowids that one step looks at. Messages get them in the order in which they are stored, so the first are the oldest, but
 * for some minutes.
 */
const PURGE_STEP = 2000;

/** Nothing is purged of a website that moves, or is kept where it was. */
const IS_PURGED = `m.status NOT IN ('PENDING_TO_SEND', 'SENDING') AND ${IS_OPEN("m.website_id")}`;

const MOVED = `SELECT m.message_id AS messageId, m.website_id AS websiteId FROM moved_feeds f
  CROSS JOIN messages m ON m.website_id = f.website_id AND m.accepted_at <= ?1 WHERE ${IS_PURGED} LIMIT ${PURGE_STEP}`;

interface OldMessage {
  messageId: string;
  websiteId: string;
}

/**
 * Final messages that were accepted before `before`, among the oldest with rowids above `after`; and those of websites that have
 * come from another database, whose rowids do not tell their age.
 * @returns with the last rowid that was looked at; null: the next message is younger
 */
export async function findOldMessages(
  db: D1Database,
  before: number,
  after: number,
  mayHaveMoved: boolean,
): Promise<{ messages: OldMessage[]; after: number | null }> {
  const first = `SELECT last FROM (SELECT rowid + ${PURGE_STEP - 1} AS last, accepted_at FROM messages WHERE rowid > ?1
    ORDER BY rowid LIMIT 1) WHERE accepted_at <= ?2`;
  const { end, old, moved } = await runNamed(db, {
    end: db.prepare(first).bind(after, before),
    old: db
      .prepare(
        `SELECT m.message_id AS messageId, m.website_id AS websiteId FROM messages m
         WHERE m.rowid > ?1 AND m.rowid <= (${first}) AND m.accepted_at <= ?2 AND ${IS_PURGED}`,
      )
      .bind(after, before),
    moved: mayHaveMoved ? db.prepare(MOVED).bind(before) : null,
  });
  const last = (end as { last: number }[])[0]?.last;
  return {
    messages: [...old, ...moved] as OldMessage[],
    after: last ?? (moved.length === PURGE_STEP ? after : null),
  };
}

export async function removeMessages(db: D1Database, messages: OldMessage[]): Promise<void> {
  const ids = JSON.stringify(messages.map(({ messageId }) => messageId));
  await runNamed(db, removeCounted(db, "SELECT value FROM json_each(?1)", [ids]));
}

/** Rows of each table that are deleted in one transaction. */
export const DELETED_A_STEP = 5000;

/** A table, the columns of its key, the indexed column that says how old a row is, and the condition of the index. */
type Aging = readonly [table: string, key: string, column: string, condition?: string];

const KEYS: readonly Aging[] = [
  ["idempotency_keys", "client_id, operation, idempotency_key", "expires_at"],
  ["bulk_parts", "first_id, part", "expires_at"],
  ["duplicate_keys", "website_id, phone, content_hash", "expires_at"],
  ["suppressed_messages", "message_id", "expires_at"],
];

function deleteOldest(db: D1Database, [table, key, column, condition = ""]: Aging, until: number): D1PreparedStatement {
  return db
    .prepare(
      `DELETE FROM ${table} WHERE (${key}) IN
         (SELECT ${key} FROM ${table} WHERE ${condition} ${column} <= ?1 ORDER BY ${column} LIMIT ${DELETED_A_STEP})`,
    )
    .bind(until);
}

/** @returns the largest number of rows that were deleted of a table: DELETED_A_STEP if there may be more */
async function purge(db: D1Database, tables: readonly (readonly [Aging, number])[]): Promise<number> {
  const statements = tables.map(([aging, until]) => [aging[0], deleteOldest(db, aging, until)] as const);
  const results = await runNamedResults(db, Object.fromEntries(statements));
  return Math.max(...Object.values(results).map(({ changes }) => changes));
}

/** Deletes texts and notices. */
export function purgeInbound(db: D1Database, before: number): Promise<number> {
  const texts = ["inbound_texts", "website_id, carrier, carrier_message_id", "received_at"] as const;
  const notices = ["events", "seq", "occurred_at", "body IS NOT NULL AND"] as const;
  return purge(db, [
    [texts, before],
    [notices, before],
  ]);
}

/**
 * Deletes expired keys.
 * @param cancelledBefore deletes tombstones of messages cancelled before this time
 */
export function purgeKeys(
  db: D1Database,
  { now, cancelledBefore }: { now: number; cancelledBefore: number },
): Promise<number> {
  const expired = KEYS.map((aging) => [aging, now] as const);
  const cancelled = [["cancelled_messages", "message_id", "cancelled_at"], cancelledBefore] as const;
  return purge(db, [...expired, cancelled]);
}

/** Deletes counts older than one hour. */
export function purgeOutcomes(db: D1Database, now: number): Promise<number> {
  const outcomes = ["outcome_counts", "minute, kind, carrier, outcome", "minute"] as const;
  const receipts = ["receipt_counts", "minute, carrier, sender, reason, code", "minute"] as const;
  return purge(db, [
    [outcomes, hourBefore(now)],
    [receipts, hourBefore(now)],
  ]);
}

export function purgeDeadJobs(db: D1Database, before: number): Promise<number> {
  return purge(db, [[["dead_jobs", "id", "died_at"], before]]);
}
