import type { ReportRow } from "../../domain/report.ts";
import { LONGEST_STORE_TRY_MILLISECONDS } from "../../domain/retry-policy.ts";
import { runQuery } from "./database.ts";
import type { ReportRow as StoredRow } from "./rows.ts";

/** Messages `m`, counted by day of acceptance (UTC), purpose and status. */
export const COUNTS = `m.website_id, date(m.accepted_at / 1000, 'unixepoch') AS day, m.send_purpose, m.status,
  count(*) AS messages,
  sum(iif(m.status IN ('SENDING', 'DELIVERED', 'FAILED_TO_DELIVERY'), coalesce(m.segments, 0), 0)) AS segments,
  sum(EXISTS (SELECT 1 FROM clicks c WHERE c.message_id = m.message_id AND c.is_person = 1)) AS clicked,
  sum((SELECT coalesce(sum(c.count), 0) FROM clicks c WHERE c.message_id = m.message_id AND c.is_person = 1)) AS clicks,
  sum((SELECT coalesce(sum(c.count), 0) FROM clicks c WHERE c.message_id = m.message_id AND c.is_person = 0)) AS robot_clicks,
  sum(m.opted_out) AS opted_out`;

/** The counts of purged and present messages, together. @param from, to days, both included */
export async function countMessages(
  db: D1Database,
  { websiteId, from, to }: { websiteId: string; from: string; to: string },
): Promise<ReportRow[]> {
  const start = Date.parse(`${from}T00:00:00Z`);
  const end = Date.parse(`${to}T00:00:00Z`) + 86_400_000;
  const rows = await runQuery<StoredRow>(
    db
      .prepare(
        `SELECT day, send_purpose, status, sum(messages) AS messages, sum(segments) AS segments, sum(clicked) AS clicked,
           sum(clicks) AS clicks, sum(robot_clicks) AS robot_clicks, sum(opted_out) AS opted_out
         FROM (
           SELECT * FROM report_rows WHERE website_id = ?1 AND day >= ?4 AND day <= ?5
           UNION ALL
           SELECT ${COUNTS} FROM messages m WHERE m.website_id = ?1 AND m.accepted_at >= ?2 AND m.accepted_at < ?3
           GROUP BY 1, 2, 3, 4
         ) GROUP BY day, send_purpose, status`,
      )
      .bind(websiteId, start, end, from, to),
    LONGEST_STORE_TRY_MILLISECONDS,
  );
  return rows.map((row) => ({
    day: row.day,
    sendPurpose: row.send_purpose,
    status: row.status,
    messages: row.messages,
    segments: row.segments,
    clicked: row.clicked,
    clicks: row.clicks,
    robotClicks: row.robot_clicks,
    optedOut: row.opted_out,
  }));
}
