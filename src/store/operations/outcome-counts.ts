import type { MinuteOutcome } from "../../domain/operations/outcome-trend.ts";
import { runOnce } from "../database.ts";
import { piece, prepare, type Sql, sql } from "../sql.ts";

/** Submissions or callbacks of one minute with this outcome. */
export interface OutcomeCount extends MinuteOutcome {
  kind: "submission" | "callback";
  /** The carrier that the submissions went to. For a callback, it is the carrier of its website. */
  carrier: string;
}

const MINUTE_MILLISECONDS = 60_000;
const HOUR_MINUTES = 60;

export const minuteOf = (now: number) => Math.floor(now / MINUTE_MILLISECONDS);

/** The last minute that no longer counts: minutes since 1970. */
export const hourBefore = (now: number) => minuteOf(now) - HOUR_MINUTES;

/** Adds to the counts. Not retried: a failed statement may have taken effect, and nothing must count twice. */
export async function addOutcomes(db: D1Database, counts: OutcomeCount[]): Promise<void> {
  await runOnce(addCounts(db, counts, piece("true")));
}

/**
 * For a transaction that may run twice: the condition holds until the rest of the transaction has taken effect.
 */
export function addCounts(db: D1Database, counts: OutcomeCount[], condition: Sql): D1PreparedStatement {
  return prepare(
    db,
    sql`INSERT INTO outcome_counts (minute, kind, carrier, outcome, count, first_at, last_at)
      SELECT value ->> 'minute', value ->> 'kind', value ->> 'carrier', value ->> 'outcome', value ->> 'count',
        value ->> 'firstAt', value ->> 'lastAt'
      FROM json_each(${JSON.stringify(counts)}) WHERE ${condition}
      ON CONFLICT (minute, kind, carrier, outcome) DO UPDATE SET count = count + excluded.count,
        first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at)`,
  );
}

/** The last hour, including this minute, by minute: rows of OutcomeCount. */
export function selectOutcomes(db: D1Database, now: number, most: number): D1PreparedStatement {
  return prepare(
    db,
    sql`SELECT minute, kind, carrier, outcome, count, first_at AS firstAt, last_at AS lastAt FROM outcome_counts
      WHERE minute > ${hourBefore(now)} ORDER BY minute DESC LIMIT ${most}`,
  );
}
