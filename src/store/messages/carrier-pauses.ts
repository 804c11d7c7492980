// The circuit breakers of carriers: a row for each carrier that has failed since it last answered. The row is the breaker: a claim
// leaves out the messages of a carrier that pauses.
import type { BreakerChange, BreakerState } from "../../domain/messages/circuit-breaker.ts";
import type { SubmissionEntry } from "../../domain/messages/job.ts";
import { runBatch, runNamed, runQuery, runWrite } from "../database.ts";
import type { CarrierPauseRow } from "../rows.ts";
import { piece, prepare, type Query, type Sql, sql } from "../sql.ts";
import { HELD, IS_HELD } from "./holds.ts";
import { deadlineOf } from "./messages.ts";
import { WITH_ENTRY } from "./submissions.ts";

/** Why submissions to a carrier pause. Times in milliseconds since 1970. */
export interface CarrierPause {
  carrier: string;
  /** The first opening since the carrier last answered. */
  since: number;
  openUntil: number;
  cause: string;
}

/** After a longer silence, an opening begins a new pause: the carrier may have worked in between, with other breakers. */
const SAME_PAUSE_MILLISECONDS = 900_000;

/**
 * For the transaction that stores the outcomes behind the change, which may run twice.
 * @param isNew condition: the outcomes are not stored yet
 * @returns statements; the first returns a row where a carrier that had paused has answered
 */
export function breakerStatements(
  db: D1Database,
  change: BreakerChange,
  now: number,
  isNew: Sql,
): D1PreparedStatement[] {
  const { carrier, hasSucceeded, isSlow, failures, openUntil, cause } = change;
  const ended = isSlow
    ? sql`UPDATE carrier_pauses SET failures = 0, openings = 0, open_until = min(open_until, ${now})
        WHERE carrier = ${carrier} AND openings > 0 AND ${isNew} RETURNING since`
    : sql`DELETE FROM carrier_pauses WHERE carrier = ${carrier} AND ${isNew} RETURNING since`;
  const failed = sql`INSERT INTO carrier_pauses (carrier, failures, failed_at, cause) SELECT ${carrier}, ${failures}, ${now}, ${cause}
    WHERE ${isNew} ON CONFLICT (carrier) DO UPDATE SET failures = failures + excluded.failures, failed_at = excluded.failed_at,
      cause = iif(failures = 0, excluded.cause, cause)`;
  // Where several runs fail at the same time, one of them opens it.
  const opened = sql`UPDATE carrier_pauses SET openings = openings + 1, open_until = ${openUntil},
      since = iif(since IS NULL OR opened_at < ${now - SAME_PAUSE_MILLISECONDS}, ${now}, since), opened_at = ${now}
    WHERE carrier = ${carrier} AND open_until <= ${now} AND ${isNew}`;
  const statements = [
    ...(hasSucceeded ? [ended] : []),
    ...(failures > 0 || openUntil !== null ? [failed] : []),
    ...(openUntil === null ? [] : [opened]),
  ];
  return statements.map((statement) => prepare(db, statement));
}

/** Stores a change without an outcome: the carrier leaves submissions without an answer. */
export async function storeBreaker(db: D1Database, change: BreakerChange, now: number): Promise<void> {
  await runBatch(db, breakerStatements(db, change, now, piece("true")));
}

/** @returns a statement with rows for toBreakers */
export function selectBreakers(db: D1Database): Query<BreakerRow> {
  return prepare(db, sql`SELECT carrier, failures, openings, open_until, cause FROM carrier_pauses`);
}

type BreakerRow = Pick<CarrierPauseRow, "carrier" | "failures" | "openings" | "open_until" | "cause">;

/** By carrier. */
export function toBreakers(rows: BreakerRow[]): Map<string, BreakerState> {
  return new Map(
    rows.map(({ carrier, failures, openings, open_until, cause }) => [
      carrier,
      { carrier, failures, openings, openUntil: open_until, cause },
    ]),
  );
}

/** In words, for the operator. */
export const whyPaused = (carrier: string, cause: string) =>
  `${carrier} keeps failing: its circuit breaker is open (${cause})`;

/**
 * Puts off unclaimed messages to a carrier that pauses, until it does not. That is no attempt. Messages that an operator holds, or that
 * wait for their time, do not wait for the carrier.
 * @param longestWait see longestWaitMilliseconds
 * @returns them, and when their next job is due: milliseconds since 1970
 */
export async function putOff(
  db: D1Database,
  ids: string[],
  { carrier, openUntil, cause }: BreakerState,
  { now, longestWait }: { now: number; longestWait: number },
): Promise<{ messageId: string; at: number }[]> {
  const reason = whyPaused(carrier, cause);
  const entry: SubmissionEntry = { at: now, attempt: null, outcome: "skipped", reason };
  const { rows } = await runNamed(db, {
    rows: prepare(
      db,
      sql<{
        message_id: string;
      }>`UPDATE messages AS m SET due_at = min(${openUntil}, ${deadlineOf(longestWait)}), reason = ${reason},
          submissions = ${WITH_ENTRY}
        FROM (SELECT ${JSON.stringify(entry)} AS entry) r
        WHERE m.message_id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) AND m.status = 'PENDING_TO_SEND'
          AND m.claimed_at IS NULL AND coalesce(m.send_at, 0) <= ${now} AND NOT ${IS_HELD}
          AND (SELECT w.carrier FROM websites w WHERE w.website_id = m.website_id) = ${carrier}
        RETURNING message_id`,
    ),
  });
  return rows.map((row) => ({ messageId: row.message_id, at: openUntil }));
}

/** Lets the next submission through. @returns whether the carrier had paused */
export async function releasePause(db: D1Database, carrier: string, now: number): Promise<boolean> {
  const { released } = await runNamed(db, {
    released: prepare(
      db,
      sql`UPDATE carrier_pauses SET open_until = min(open_until, ${now}) WHERE carrier = ${carrier} RETURNING carrier`,
    ),
  });
  return released.length > 0;
}

/** Forgets a carrier: nothing waits for it any more. */
export async function forgetPause(db: D1Database, carrier: string): Promise<void> {
  await runBatch(db, [prepare(db, sql`DELETE FROM carrier_pauses WHERE carrier = ${carrier}`)]);
}

/** @returns a statement with rows for toPauses */
export function selectPauses(db: D1Database): D1PreparedStatement {
  return prepare(db, sql`SELECT carrier, since, open_until, cause, failed_at FROM carrier_pauses`);
}

/** Carriers whose breaker has opened since they last answered. @param rows of selectPauses */
export function toPauses(rows: unknown[]): CarrierPause[] {
  return (rows as CarrierPauseRow[]).flatMap(({ carrier, since, open_until, cause }) =>
    since === null ? [] : { carrier, since, openUntil: open_until, cause },
  );
}

/** All that have failed since they last answered. */
export async function readBreakers(
  db: D1Database,
): Promise<{ carrier: string; hasOpened: boolean; openUntil: number; failedAt: number }[]> {
  const rows = await runQuery<CarrierPauseRow>(selectPauses(db));
  return rows.map(({ carrier, since, open_until, failed_at }) => ({
    carrier,
    hasOpened: since !== null,
    openUntil: open_until,
    failedAt: failed_at,
  }));
}

/** Messages that one statement reads. All of them wait for a retry at the carrier. */
const READ_ROWS = 20_000;

/**
 * Makes messages due now that wait for a retry at a carrier, and that no operator holds.
 * @param most if 1, it is the message with the fewest attempts
 * @returns the messages that are due now, at most `most`
 */
export async function takeRetries(
  db: D1Database,
  carrier: string,
  now: number,
  most: number,
): Promise<{ messageId: string; websiteId: string }[]> {
  const rows = await runWrite<{ message_id: string; website_id: string }>(
    db,
    prepare(
      db,
      sql`UPDATE messages SET due_at = ${now} WHERE message_id IN (
          SELECT p.message_id FROM (SELECT m.message_id, m.attempts
            FROM websites w INDEXED BY websites_by_sender CROSS JOIN messages m INDEXED BY messages_retried
              ON m.website_id = w.website_id AND m.due_at > ${now}
            WHERE w.carrier = ${carrier} AND m.claimed_at IS NULL AND m.reason IS NOT NULL AND m.reason <> ${HELD}
              AND (w.holds IS NULL OR NOT ${IS_HELD})
            LIMIT ${READ_ROWS}) p
          ORDER BY iif(${most} = 1, p.attempts, 0) LIMIT ${most})
        RETURNING message_id, website_id`,
    ),
  );
  return rows.map((row) => ({ messageId: row.message_id, websiteId: row.website_id }));
}
