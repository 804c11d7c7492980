// The table refusal_counts: how many requests of a website were refused, by day and code.
import { REFUSAL_DAYS, type RefusalCount } from "../../domain/clients/refusal-tally.ts";
import { dayNumber } from "../../domain/day.ts";
import { runOnce, runQuery } from "../database.ts";
import { piece, prepare, type Sql, sql } from "../sql.ts";

/**
 * For a transaction that may run twice.
 * @param isNew condition: it holds until the rest of the transaction has taken effect
 */
export function countRefusals(
  db: D1Database,
  websiteId: string,
  counts: RefusalCount[],
  isNew: Sql,
): D1PreparedStatement {
  return prepare(
    db,
    sql`INSERT INTO refusal_counts (website_id, day, code, requests)
      SELECT ${websiteId}, value ->> 'day', value ->> 'code', value ->> 'requests'
      FROM json_each(${JSON.stringify(counts)}) WHERE ${isNew}
      ON CONFLICT (website_id, day, code) DO UPDATE SET requests = requests + excluded.requests`,
  );
}

/** Not retried: a failed statement may have taken effect, and nothing must count twice. */
export async function addRefusals(db: D1Database, websiteId: string, counts: RefusalCount[]): Promise<void> {
  await runOnce(countRefusals(db, websiteId, counts, piece("true")));
}

/** Deletes the days of a website that are no longer shown. */
export function dropRefusals(db: D1Database, websiteId: string, now: number): D1PreparedStatement {
  const latest = dayNumber(now) - REFUSAL_DAYS;
  return prepare(db, sql`DELETE FROM refusal_counts WHERE website_id = ${websiteId} AND day <= ${latest}`);
}

/** The newest day first, and on a day the most frequent code. */
export async function readRefusals(db: D1Database, websiteId: string, now: number): Promise<RefusalCount[]> {
  return runQuery<RefusalCount>(
    prepare(
      db,
      sql`SELECT day, code, requests FROM refusal_counts
        WHERE website_id = ${websiteId} AND day > ${dayNumber(now) - REFUSAL_DAYS} ORDER BY day DESC, requests DESC, code`,
    ),
  );
}
