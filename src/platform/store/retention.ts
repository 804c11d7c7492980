// Deletes expired rows. The sweep runs these functions; erasure.ts deletes one person's rows.
import { runBatch, runNamed, runQuery } from "./database.ts";
import { hourBefore } from "./outcome-counts.ts";
import { COUNTS } from "./reports.ts";

/**
 * Deletes messages with their events, links and clicks, and adds their counts to the report, in one transaction.
 * @param chosen query of message ids; its parameters start at ?1
 */
export function removeCounted(db: D1Database, chosen: string, parameters: unknown[]) {
  const run = (sql: string) => db.prepare(sql).bind(...parameters);
  const of = (table: string) => run(`DELETE FROM ${table} WHERE message_id IN (${chosen})`);
  return {
    counts: run(
      `INSERT INTO report_rows (website_id, day, send_purpose, status, messages, segments, clicked, clicks, robot_clicks,
         opted_out)
       SELECT ${COUNTS} FROM messages m WHERE m.message_id IN (${chosen}) GROUP BY 1, 2, 3, 4
       ON CONFLICT (website_id, day, send_purpose, status) DO UPDATE SET messages = messages + excluded.messages,
         segments = segments + excluded.segments, clicked = clicked + excluded.clicked,
         clicks = clicks + excluded.clicks, robot_clicks = robot_clicks + excluded.robot_clicks,
         opted_out = opted_out + excluded.opted_out`,
    ),
    clicks: of("clicks"),
    links: of("links"),
    events: of("events"),
    messages: run(`DELETE FROM messages WHERE message_id IN (${chosen}) RETURNING message_id`),
  };
}

const PURGE_STEP = 500;

/** Purges the oldest final messages of a website that were accepted before `before`. @returns their ids */
export async function purgeMessages(db: D1Database, websiteId: string, before: number): Promise<string[]> {
  const rows = await runQuery<{ message_id: string }>(
    db
      .prepare(
        `SELECT message_id FROM messages WHERE website_id = ?1 AND accepted_at <= ?2
           AND status NOT IN ('PENDING_TO_SEND', 'SENDING') ORDER BY accepted_at LIMIT ${PURGE_STEP}`,
      )
      .bind(websiteId, before),
  );
  const ids = rows.map((row) => row.message_id);
  if (ids.length > 0) {
    await runNamed(db, removeCounted(db, "SELECT value FROM json_each(?1)", [JSON.stringify(ids)]));
  }
  return ids;
}

export async function purgeInbound(db: D1Database, before: number): Promise<void> {
  await runNamed(db, { texts: db.prepare("DELETE FROM inbound_texts WHERE received_at <= ?1").bind(before) });
}

/** Deletes expired keys. @param cancelledBefore deletes tombstones of messages cancelled before this time */
export async function purgeKeys(db: D1Database, now: number, cancelledBefore: number): Promise<void> {
  const expired = (table: string) => db.prepare(`DELETE FROM ${table} WHERE expires_at <= ?1`).bind(now);
  await runNamed(db, {
    keys: expired("idempotency_keys"),
    parts: expired("bulk_parts"),
    duplicates: expired("duplicate_keys"),
    suppressed: expired("suppressed_messages"),
    sendKeys: expired("send_keys"),
    cancelled: db.prepare("DELETE FROM cancelled_messages WHERE cancelled_at <= ?1").bind(cancelledBefore),
  });
}

/** Deletes counts older than one hour. */
export async function purgeOutcomes(db: D1Database, now: number): Promise<void> {
  await runBatch(db, [db.prepare("DELETE FROM outcome_counts WHERE minute <= ?1").bind(hourBefore(now))]);
}

/** @returns the number of deleted jobs */
export async function purgeDeadJobs(db: D1Database, before: number): Promise<number> {
  return (await runQuery(db.prepare("DELETE FROM dead_jobs WHERE died_at <= ?1 RETURNING id").bind(before))).length;
}
