// What carriers have brought that could not be read, in the table counts: nothing else is stored of it.
import { DAY_MILLISECONDS, dayNumber } from "../../domain/day.ts";
import type { UnreadableTexts } from "../../domain/operations/service-state.ts";
import { runWrite } from "../database.ts";
import { addCounts } from "../operations/counts.ts";
import { piece, prepare, type Query, sql } from "../sql.ts";

/** @param fault why it could not be read, in words */
export async function countUnreadable(db: D1Database, carrier: string, fault: string, now: number): Promise<void> {
  const count = { count: 1, firstAt: now, lastAt: now };
  const detail = JSON.stringify([carrier, fault]);
  const added = { span: "day", at: dayNumber(now), kind: "unreadable", subject: "", detail, ...count } as const;
  await runWrite(db, addCounts(db, [added], piece("true")));
}

interface UnreadableRow {
  /** The carrier and the fault: a JSON array. */
  detail: string;
  count: number;
  firstAt: number;
}

/** The counts whose latest is at most a day old: rows for toUnreadable. */
export function selectUnreadable(db: D1Database, now: number, most: number): Query<UnreadableRow> {
  const since = now - DAY_MILLISECONDS;
  return prepare(
    db,
    sql<UnreadableRow>`SELECT detail, sum(count) AS count, min(first_at) AS firstAt FROM counts
      WHERE subject = '' AND span = 'day' AND kind = 'unreadable' AND at >= ${dayNumber(since)} AND last_at > ${since}
      GROUP BY detail ORDER BY count DESC LIMIT ${most}`,
  );
}

/** By carrier. */
export function toUnreadable(rows: unknown[]): UnreadableTexts[] {
  const faults = (rows as UnreadableRow[]).map(({ detail, ...count }) => {
    const [carrier = "", fault = ""] = JSON.parse(detail) as string[];
    return { ...count, carrier, fault };
  });
  return [...Map.groupBy(faults, ({ carrier }) => carrier)].map(([carrier, own]) => ({
    carrier,
    count: own.reduce((sum, { count }) => sum + count, 0),
    since: new Date(Math.min(...own.map(({ firstAt }) => firstAt))).toISOString(),
    cause: own.map(({ count, fault }) => `${fault} × ${count}`).join(", "),
  }));
}
