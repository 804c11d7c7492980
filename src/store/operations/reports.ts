import type { MessageStatus } from "../../domain/messages/message.ts";
import { readReason } from "../../domain/messages/reason.ts";
import { LONGEST_STORE_TRY_MILLISECONDS } from "../../domain/messages/retry-policy.ts";
import type { GroupBy, Part, ReportRow, SenderChange } from "../../domain/operations/report.ts";
import { runQuery } from "../database.ts";
import { IS_HELD } from "../messages/holds.ts";
import { prepare, sql } from "../sql.ts";

/** The sums of a group, as D1 returns them. */
interface StoredRow {
  name: string;
  status: MessageStatus;
  reason: string;
  is_ahead: 0 | 1;
  is_held: 0 | 1;
  messages: number;
  segments: number;
  clicked: number;
  clicks: number;
  robot_clicks: number;
  opted_out: number;
}

/**
 * What report_counts has, and the stored messages that it does not have (see report-counts.ts). A row of which a cancellation has left nothing is
 * left out.
 * @param sendPurpose null: any
 */
export async function countMessages(
  db: D1Database,
  parts: Part[],
  { by, sendPurpose }: { by: GroupBy; sendPurpose: string | null },
  now: number,
): Promise<ReportRow[]> {
  const rows = await runQuery<StoredRow>(
    prepare(
      db,
      sql`WITH parts AS MATERIALIZED (
          SELECT w.website_id, w.counted_until, j.value ->> 'name' AS part, j.value ->> 'from' AS from_time, j.value ->> 'until' AS until_time
          FROM json_each(${JSON.stringify(parts)}) j CROSS JOIN websites w ON w.website_id = j.value ->> 'websiteId'
        ), counted AS (
          SELECT p.part, d.send_purpose, d.country, d.status, d.reason,
            d.messages, d.segments, d.clicked, d.clicks, d.robot_clicks, d.opted_out, 0 AS is_ahead, 0 AS is_held
          FROM parts p CROSS JOIN report_counts d
            ON d.website_id = p.website_id AND d.quarter >= p.from_time / 900000 AND d.quarter < p.until_time / 900000
          WHERE ${sendPurpose} IS NULL OR d.send_purpose = ${sendPurpose}
          UNION ALL
          SELECT p.part, m.send_purpose, m.country, m.status, m.reason,
            m.messages, m.segments, m.clicked, m.clicks, m.robot_clicks, m.opted_out,
            m.status = 'PENDING_TO_SEND' AND coalesce(m.send_at > ${now}, 0),
            m.status = 'PENDING_TO_SEND' AND coalesce(m.send_at <= ${now}, 1) AND ${IS_HELD}
          FROM parts p CROSS JOIN message_counts m ON m.website_id = p.website_id
            AND m.accepted_at >= max(p.from_time, p.counted_until) AND m.accepted_at < p.until_time
          WHERE ${sendPurpose} IS NULL OR m.send_purpose = ${sendPurpose}
        )
        SELECT CASE ${by} WHEN 'purpose' THEN send_purpose WHEN 'country' THEN country ELSE part END AS name, status, reason,
          is_ahead, is_held, sum(messages) AS messages, sum(segments) AS segments, sum(clicked) AS clicked, sum(clicks) AS clicks,
          sum(robot_clicks) AS robot_clicks, sum(opted_out) AS opted_out
        FROM counted GROUP BY 1, 2, 3, 4, 5 HAVING sum(messages) > 0`,
    ),
    LONGEST_STORE_TRY_MILLISECONDS,
  );
  return rows.map((row) => ({
    name: row.name,
    status: row.status,
    reason: readReason(row.status, row.reason),
    isAhead: row.is_ahead === 1,
    isHeld: row.is_held === 1,
    messages: row.messages,
    segments: row.segments,
    clicked: row.clicked,
    clicks: row.clicks,
    robotClicks: row.robot_clicks,
    optedOut: row.opted_out,
  }));
}

/** In order. Reads all changes that operators have made to these websites. @param since milliseconds since 1970 */
export function findSenderChanges(db: D1Database, websiteIds: string[], since: number): Promise<SenderChange[]> {
  return runQuery<SenderChange>(
    prepare(
      db,
      sql`SELECT a.website_id AS websiteId, a.stored_at AS at, a.before ->> 'sender' AS before
        FROM json_each(${JSON.stringify(websiteIds)}) j CROSS JOIN audit_log a ON a.website_id = j.value
        WHERE a.action = 'put-website' AND a.stored_at >= ${since} AND json_type(a.before, '$.sender') IS NOT NULL ORDER BY a.id`,
    ),
  );
}
