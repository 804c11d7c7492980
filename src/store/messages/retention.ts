// Deletes rows older than RETENTION_DAYS (src/config.ts), the oldest first, some at a time. The sweep runs these functions; erasure.ts deletes one person's rows.

import { REFUSED_KEPT_MILLISECONDS } from "../../domain/clients/refused-request.ts";
import { dayNumber } from "../../domain/day.ts";
import { SLOTS, slotOf } from "../callbacks/endpoint-health.ts";
import { runBatch, runNamed, runQuery } from "../database.ts";
import { KEPT_DAYS, KEPT_MINUTES, stepBack } from "../operations/count-ledgers.ts";
import type { Count } from "../operations/counts.ts";
import { minuteOf } from "../operations/outcome-counts.ts";
import { countRemoved } from "../operations/report-counts.ts";
import { prepare, type Sql, sql } from "../sql.ts";

/**
 * Deletes messages with their events, links and clicks, in one transaction. A report still counts them.
 * @param chosen query of message ids
 */
export function removeCounted(db: D1Database, chosen: Sql) {
  return {
    counts: countRemoved(db, chosen),
    clicks: prepare(db, sql`DELETE FROM clicks WHERE message_id IN (${chosen})`),
    links: prepare(db, sql`DELETE FROM links WHERE message_id IN (${chosen})`),
    events: prepare(db, sql`DELETE FROM events WHERE message_id IN (${chosen})`),
    messages: prepare(db, sql`DELETE FROM messages WHERE message_id IN (${chosen}) RETURNING message_id`),
  };
}

/** Messages that one step deletes. */
export const PURGE_STEP = 2000;

interface OldMessage {
  messageId: string;
  websiteId: string;
  /** When it was accepted, or might go, if that is later: milliseconds since 1970. */
  age: number;
}

/** Messages that have ended and are counted with their events, and whose age is from `after` to `before`: PURGE_STEP of them, the oldest first. */
export function findOldMessages(db: D1Database, before: number, after: number): Promise<OldMessage[]> {
  return runQuery<OldMessage>(
    prepare(
      db,
      sql`SELECT message_id AS messageId, website_id AS websiteId, max(accepted_at, coalesce(send_at, 0)) AS age FROM messages m
        WHERE status NOT IN ('PENDING_TO_SEND', 'SENDING') AND max(accepted_at, coalesce(send_at, 0)) >= ${after}
          AND max(accepted_at, coalesce(send_at, 0)) <= ${before}
          AND EXISTS (SELECT 1 FROM counted_ledgers c WHERE c.messages >= m.rowid
            AND NOT EXISTS (SELECT 1 FROM events e WHERE e.message_id = m.message_id AND e.seq > c.events))
        ORDER BY max(accepted_at, coalesce(send_at, 0)) LIMIT ${PURGE_STEP}`,
    ),
  );
}

export async function removeMessages(db: D1Database, messages: OldMessage[]): Promise<void> {
  const ids = JSON.stringify(messages.map(({ messageId }) => messageId));
  await runNamed(db, { ...removeCounted(db, sql`SELECT value FROM json_each(${ids})`), stepBack: stepBack(db) });
}

/** Rows of each table that are deleted in one transaction. */
export const DELETED_A_STEP = 5000;

/** @returns the largest number of rows that a statement has deleted: DELETED_A_STEP if there may be more */
async function purge(db: D1Database, statements: Record<string, Sql>): Promise<number> {
  const results = await runBatch(
    db,
    Object.values(statements).map((statement) => prepare(db, statement)),
  );
  return Math.max(...results.map(({ meta }) => meta.changes));
}

/** Deletes texts and notices. */
export function purgeInbound(db: D1Database, before: number): Promise<number> {
  return purge(db, {
    texts: sql`DELETE FROM inbound_texts WHERE (website_id, carrier, carrier_message_id) IN (
      SELECT website_id, carrier, carrier_message_id FROM inbound_texts WHERE received_at <= ${before}
      ORDER BY received_at LIMIT ${DELETED_A_STEP})`,
    notices: sql`DELETE FROM events WHERE seq IN (
      SELECT seq FROM events WHERE body IS NOT NULL AND occurred_at <= ${before} ORDER BY occurred_at LIMIT ${DELETED_A_STEP})`,
  });
}

/**
 * Deletes expired keys.
 * @param cancelledBefore deletes tombstones of messages cancelled before this time
 */
export function purgeKeys(
  db: D1Database,
  { now, cancelledBefore }: { now: number; cancelledBefore: number },
): Promise<number> {
  return purge(db, {
    keys: sql`DELETE FROM idempotency_keys WHERE (client_id, operation, idempotency_key) IN (
      SELECT client_id, operation, idempotency_key FROM idempotency_keys WHERE expires_at <= ${now}
      ORDER BY expires_at LIMIT ${DELETED_A_STEP})`,
    parts: sql`DELETE FROM bulk_parts WHERE (first_id, part) IN (
      SELECT first_id, part FROM bulk_parts WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${DELETED_A_STEP})`,
    duplicates: sql`DELETE FROM duplicate_keys WHERE (website_id, phone, content_hash) IN (
      SELECT website_id, phone, content_hash FROM duplicate_keys WHERE expires_at <= ${now}
      ORDER BY expires_at LIMIT ${DELETED_A_STEP})`,
    suppressed: sql`DELETE FROM suppressed_messages WHERE message_id IN (
      SELECT message_id FROM suppressed_messages WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${DELETED_A_STEP})`,
    cancelled: sql`DELETE FROM cancelled_messages WHERE message_id IN (
      SELECT message_id FROM cancelled_messages WHERE cancelled_at <= ${cancelledBefore}
      ORDER BY cancelled_at LIMIT ${DELETED_A_STEP})`,
  });
}

/** Much longer than a try may live: see TRY_LIFE_SECONDS. */
const ENDED_KEPT_MILLISECONDS = 3_600_000;

/** Deletes counts and ended tries older than one hour, counts of days older than a month, and what clients were refused more than a week ago. */
export function purgeOutcomes(db: D1Database, now: number): Promise<number> {
  return purge(db, {
    minutes: olderCounts("minute", minuteOf(now) - KEPT_MINUTES),
    slots: olderCounts("slot", slotOf(now) - SLOTS),
    days: olderCounts("day", dayNumber(now) - KEPT_DAYS),
    campaigns: olderCounts("campaign", dayNumber(now) - KEPT_DAYS),
    tries: sql`DELETE FROM ended_tries WHERE call IN (
      SELECT call FROM ended_tries WHERE ended_at <= ${now - ENDED_KEPT_MILLISECONDS}
      ORDER BY ended_at LIMIT ${DELETED_A_STEP})`,
    refused: sql`DELETE FROM refused_requests WHERE (client_id, refused_at, request_id) IN (
      SELECT client_id, refused_at, request_id FROM refused_requests WHERE refused_at <= ${now - REFUSED_KEPT_MILLISECONDS}
      ORDER BY refused_at LIMIT ${DELETED_A_STEP})`,
  });
}

const olderCounts = (span: Count["span"], latest: number): Sql =>
  sql`DELETE FROM counts WHERE (subject, span, kind, at, detail) IN (
    SELECT subject, span, kind, at, detail FROM counts WHERE span = ${span} AND at <= ${latest} ORDER BY at LIMIT ${DELETED_A_STEP})`;

export function purgeDeadJobs(db: D1Database, before: number): Promise<number> {
  return purge(db, {
    jobs: sql`DELETE FROM dead_jobs WHERE id IN (
      SELECT id FROM dead_jobs WHERE died_at <= ${before} ORDER BY died_at LIMIT ${DELETED_A_STEP})`,
  });
}
