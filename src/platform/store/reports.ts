import { DAY_MILLISECONDS } from "../../domain/day.ts";
import { readReason } from "../../domain/reason.ts";
import type { GroupBy, Part, ReportRow, SenderChange } from "../../domain/report.ts";
import { LONGEST_STORE_TRY_MILLISECONDS } from "../../domain/retry-policy.ts";
import { COUNT_COLUMNS, COUNTS, dayOf, SUMS } from "./daily-counts.ts";
import { runQuery } from "./database.ts";
import type { ReportRow as StoredRow } from "./rows.ts";

/** The parts of ?1, with the start of the website's first open day. */
const PARTS = `SELECT w.website_id AS part_of, j.value ->> 'name' AS part, j.value ->> 'from' AS from_day, j.value ->> 'to' AS to_day,
    unixepoch(j.value ->> 'from') * 1000 AS from_time, unixepoch(j.value ->> 'to') * 1000 + ${DAY_MILLISECONDS} AS until_time,
    w.counted_until / ${DAY_MILLISECONDS} * ${DAY_MILLISECONDS} AS open_from
  FROM json_each(?1) j CROSS JOIN websites w ON w.website_id = j.value ->> 'websiteId'`;

const NAMES: Record<GroupBy, string> = {
  day: "day",
  purpose: "send_purpose",
  website: "part",
  sender: "part",
  reason: "''",
};

/** Closed days from their counters; open days from what is stored, and what is left of erased messages. */
export async function countMessages(db: D1Database, parts: Part[], by: GroupBy): Promise<ReportRow[]> {
  const firstOpenDay = dayOf("p.open_from");
  const rows = await runQuery<StoredRow>(
    db
      .prepare(
        `WITH p AS MATERIALIZED (${PARTS})
         SELECT ${NAMES[by]} AS name, status, reason, ${SUMS.map((column) => `sum(${column}) AS ${column}`)}
         FROM (
           SELECT ${COUNT_COLUMNS}, part FROM p CROSS JOIN daily_counts
             WHERE website_id = part_of AND day >= from_day AND day <= to_day AND day < ${firstOpenDay}
           UNION ALL
           SELECT ${COUNT_COLUMNS}, part FROM p CROSS JOIN report_rows
             WHERE website_id = part_of AND day >= max(from_day, ${firstOpenDay}) AND day <= to_day
           UNION ALL
           SELECT ${COUNTS}, part FROM p CROSS JOIN message_counts m
             WHERE m.website_id = part_of AND m.accepted_at >= max(from_time, open_from) AND m.accepted_at < until_time
           GROUP BY 1, 2, 3, 4, 5
         ) GROUP BY 1, 2, 3`,
      )
      .bind(JSON.stringify(parts)),
    LONGEST_STORE_TRY_MILLISECONDS,
  );
  return rows.map((row) => ({
    name: row.name,
    status: row.status,
    reason: readReason(row.status, row.reason),
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
    db
      .prepare(
        `SELECT a.website_id AS websiteId, ${dayOf("a.stored_at")} AS day, a.before ->> 'sender' AS before
         FROM json_each(?1) j CROSS JOIN audit_log a ON a.website_id = j.value
         WHERE a.action = 'put-website' AND a.stored_at >= ?2 AND json_type(a.before, '$.sender') IS NOT NULL ORDER BY a.id`,
      )
      .bind(JSON.stringify(websiteIds), since),
  );
}
