// How many requests of a website were refused, by day and code, in the table counts.
import { REFUSAL_DAYS, type RefusalCount } from "../../domain/clients/refusal-tally.ts";
import { dayNumber } from "../../domain/day.ts";
import { runQuery } from "../database.ts";
import type { Count } from "../operations/counts.ts";
import { prepare, sql } from "../sql.ts";

export const toRefusals = (websiteId: string, counts: RefusalCount[]): Count[] =>
  counts.map(({ day, code, requests }) => ({
    ...{ span: "day", at: day, kind: "refused", subject: websiteId, detail: String(code) },
    count: requests,
  }));

/** The newest day first, and on a day the most frequent code. */
export async function readRefusals(db: D1Database, websiteId: string, now: number): Promise<RefusalCount[]> {
  return runQuery<RefusalCount>(
    prepare(
      db,
      sql`SELECT at AS day, CAST(detail AS INTEGER) AS code, count AS requests FROM counts
        WHERE subject = ${websiteId} AND span = 'day' AND kind = 'refused' AND at > ${dayNumber(now) - REFUSAL_DAYS}
        ORDER BY day DESC, requests DESC, code`,
    ),
  );
}
