// The table counts. count-ledgers.ts adds up the ledgers; what no ledger has is added here, by what knows of it.
import { runOnce } from "../database.ts";
import { piece, prepare, type Sql, sql } from "../sql.ts";

/** What is added to a row of the table. */
export interface Count {
  span: "minute" | "slot" | "day" | "campaign";
  /** Since 1970. */
  at: number;
  kind: string;
  subject: string;
  detail: string;
  count: number;
  firstAt?: number;
  lastAt?: number;
}

/** For a transaction that may run twice: the condition holds until the rest of the transaction has taken effect. */
export function addCounts(db: D1Database, counts: Count[], condition: Sql): D1PreparedStatement {
  return prepare(
    db,
    sql`INSERT INTO counts (span, at, kind, subject, detail, count, first_at, last_at)
      SELECT value ->> 'span', value ->> 'at', value ->> 'kind', value ->> 'subject', value ->> 'detail', value ->> 'count',
        coalesce(value ->> 'firstAt', 0), coalesce(value ->> 'lastAt', 0)
      FROM json_each(${JSON.stringify(counts)}) WHERE ${condition}
      ON CONFLICT (subject, span, kind, at, detail) DO UPDATE SET count = count + excluded.count,
        first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at)`,
  );
}

/** Not retried: a failed statement may have taken effect, and nothing must count twice. */
export async function addCountsOnce(db: D1Database, counts: Count[]): Promise<void> {
  await runOnce(addCounts(db, counts, piece("true")));
}
