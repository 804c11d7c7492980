import type { MinuteOutcome } from "../../domain/operations/outcome-trend.ts";
import { prepare, type Query, sql } from "../sql.ts";
import type { Count } from "./counts.ts";

/** Submissions or callbacks of one minute with this outcome, or final receipts that came in it. */
export interface OutcomeCount extends MinuteOutcome {
  kind: "submission" | "callback" | "receipt";
  /** The carrier that the submissions went to. For a callback, it is the carrier of its website. */
  carrier: string;
}

const MINUTE_MILLISECONDS = 60_000;
const HOUR_MINUTES = 60;

export const minuteOf = (now: number) => Math.floor(now / MINUTE_MILLISECONDS);

/** The last minute that no longer counts: minutes since 1970. */
export const hourBefore = (now: number) => minuteOf(now) - HOUR_MINUTES;

export const toCounts = (outcomes: OutcomeCount[]): Count[] =>
  outcomes.map(({ minute, kind, carrier, outcome, ...count }) => ({
    ...{ span: "minute", at: minute, kind: "outcome", subject: "", detail: `${kind} ${carrier} ${outcome}` },
    ...count,
  }));

interface OutcomeRow {
  minute: number;
  /** The kind, the carrier and the outcome. */
  detail: string;
  count: number;
  firstAt: number;
  lastAt: number;
}

/** The last hour, including this minute, by minute: rows for toOutcomes. */
export function selectOutcomes(db: D1Database, now: number, most: number): Query<OutcomeRow> {
  return prepare(
    db,
    sql<OutcomeRow>`SELECT at AS minute, detail, count, first_at AS firstAt, last_at AS lastAt FROM counts
      WHERE subject = '' AND span = 'minute' AND kind = 'outcome' AND at > ${hourBefore(now)} ORDER BY at DESC LIMIT ${most}`,
  );
}

export const toOutcomes = (rows: unknown[]): OutcomeCount[] =>
  (rows as OutcomeRow[]).map(({ detail, ...count }) => {
    const [kind, carrier = "", ...outcome] = detail.split(" ");
    return { ...count, kind: kind as OutcomeCount["kind"], carrier, outcome: outcome.join(" ") };
  });
