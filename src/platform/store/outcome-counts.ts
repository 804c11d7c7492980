import { runOnce } from "./database.ts";
import type { OutcomeCountRow } from "./rows.ts";

/** Number of submissions or callbacks with this outcome. */
export type OutcomeCount = Omit<OutcomeCountRow, "minute">;

const MINUTE_MILLISECONDS = 60_000;
const HOUR_MINUTES = 60;

export const minuteOf = (now: number) => Math.floor(now / MINUTE_MILLISECONDS);

/** The last minute that no longer counts: minutes since 1970. */
export const hourBefore = (now: number) => minuteOf(now) - HOUR_MINUTES;

/** Adds to the counts of this minute. Not retried: a failed statement may have taken effect, and nothing must count twice. */
export async function addOutcomes(db: D1Database, counts: OutcomeCount[], now: number): Promise<void> {
  await runOnce(addCounts(db, counts, now, { condition: "true", values: [] }));
}

/**
 * For a transaction that may run twice: the condition holds until the rest of the transaction has taken effect.
 * @param guard SQL condition on the parameters from ?3 on
 */
export function addCounts(
  db: D1Database,
  counts: OutcomeCount[],
  now: number,
  guard: { condition: string; values: unknown[] },
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO outcome_counts (minute, kind, carrier, outcome, count)
       SELECT ?2, value ->> 'kind', value ->> 'carrier', value ->> 'outcome', value ->> 'count' FROM json_each(?1)
       WHERE ${guard.condition}
       ON CONFLICT (minute, kind, carrier, outcome) DO UPDATE SET count = count + excluded.count`,
    )
    .bind(JSON.stringify(counts), minuteOf(now), ...guard.values);
}

/** The last hour, including this minute, by minute. */
export function selectOutcomes(db: D1Database, now: number): D1PreparedStatement {
  return db
    .prepare("SELECT minute, kind, carrier, outcome, count FROM outcome_counts WHERE minute > ?1")
    .bind(hourBefore(now));
}
