import { readReason } from "../../domain/reason.ts";
import type { ReportRow } from "../../domain/report.ts";
import { LONGEST_STORE_TRY_MILLISECONDS } from "../../domain/retry-policy.ts";
import { COUNT_COLUMNS, COUNTS, DAY_MILLISECONDS, dayOf } from "./daily-counts.ts";
import { parseJsonColumn, runQuery } from "./database.ts";
import type { ReportRow as StoredRow } from "./rows.ts";

/** The start of the website's first open day. Counters that an older version may have missed to keep do not count. */
const OPEN_FROM = `SELECT iif(EXISTS (SELECT 1 FROM last_sweep WHERE only = 1 AND counts_kept_at = ended_at),
  counted_until / ${DAY_MILLISECONDS} * ${DAY_MILLISECONDS}, 0) AS open_from FROM websites WHERE website_id = ?1`;

/** Closed days from their counters; open days from what is stored, and what is left of erased messages. @param from, to days, both included */
export async function countMessages(
  db: D1Database,
  { websiteId, from, to }: { websiteId: string; from: string; to: string },
): Promise<ReportRow[]> {
  const start = Date.parse(`${from}T00:00:00Z`);
  const end = Date.parse(`${to}T00:00:00Z`) + DAY_MILLISECONDS;
  const firstOpenDay = dayOf("w.open_from");
  const rows = await runQuery<StoredRow>(
    db
      .prepare(
        `WITH w AS (${OPEN_FROM})
         SELECT day, send_purpose, status, sum(messages) AS messages, sum(segments) AS segments, sum(clicked) AS clicked,
           sum(clicks) AS clicks, sum(robot_clicks) AS robot_clicks, sum(opted_out) AS opted_out,
           json_group_array(json(reasons)) FILTER (WHERE reasons IS NOT NULL) AS reasons
         FROM (
           SELECT ${COUNT_COLUMNS} FROM w CROSS JOIN daily_counts
             WHERE website_id = ?1 AND day >= ?4 AND day <= ?5 AND day < ${firstOpenDay}
           UNION ALL
           SELECT ${COUNT_COLUMNS} FROM w CROSS JOIN report_rows
             WHERE website_id = ?1 AND day >= max(?4, ${firstOpenDay}) AND day <= ?5
           UNION ALL
           SELECT ${COUNTS} FROM w CROSS JOIN messages m
             WHERE m.website_id = ?1 AND m.accepted_at >= max(?2, w.open_from) AND m.accepted_at < ?3
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
    reasons: addReasons(row),
  }));
}

function addReasons({ status, reasons }: StoredRow): ReportRow["reasons"] {
  const sums: ReportRow["reasons"] = {};
  for (const counts of parseJsonColumn<Record<string, number>[]>(reasons, [])) {
    for (const [stored, count] of Object.entries(counts)) {
      const reason = readReason(status, stored);
      if (reason) sums[reason] = (sums[reason] ?? 0) + count;
    }
  }
  return sums;
}
