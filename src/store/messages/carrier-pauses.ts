// The circuit breakers: a row for each sender, and for each carrier, that has failed since it last worked. The row is the breaker: a claim
// leaves out the messages of a sender or a carrier that pauses.
import {
  type BreakerChange,
  type BreakerKey,
  type BreakerState,
  type Cause,
  endsAs,
} from "../../domain/messages/circuit-breaker.ts";
import type { SubmissionEntry } from "../../domain/messages/job.ts";
import { PACED } from "../../domain/messages/sender-pace.ts";
import { parseJsonColumn, runBatch, runQuery, runWrite } from "../database.ts";
import type { CarrierPauseRow } from "../rows.ts";
import { piece, prepare, type Query, type Sql, sql } from "../sql.ts";
import { HELD, IS_HELD } from "./holds.ts";
import { deadlineOf } from "./messages.ts";
import { GOES_BY_IT, ROUTES, websitesBy } from "./routes.ts";
import { WITH_ENTRY } from "./submissions.ts";

/** Why submissions pause. Times in milliseconds since 1970. */
export interface CarrierPause extends BreakerKey, Cause {
  /** The first opening since it last worked. */
  since: number;
  openUntil: number;
  /** The websites of the sender, in this database. Empty: the pause is of the account or the carrier. */
  websiteIds: string[];
}

/** After a longer silence, an opening begins a new pause: it may have worked in between, with other breakers. */
const SAME_PAUSE_MILLISECONDS = 900_000;

/**
 * For the transaction that stores the outcomes behind the changes, which may run twice.
 * @param isNew condition: the outcomes are not stored yet
 * @returns statements, with a row for each that had failed and works again
 */
export function breakerStatements(
  db: D1Database,
  changes: BreakerChange[],
  now: number,
  isNew: Sql,
): Query<Pick<CarrierPauseRow, "carrier" | "sender">>[] {
  return changes.flatMap((change) => changeStatements(change, now, isNew)).map((statement) => prepare(db, statement));
}

type Worked = Sql<Pick<CarrierPauseRow, "carrier" | "sender">>;

function changeStatements(change: BreakerChange, now: number, isNew: Sql): Worked[] {
  const { carrier, sender, about, hasSucceeded, isSlow, failures, openUntil, cause } = change;
  const ended: Worked = isSlow
    ? sql`UPDATE carrier_pauses SET failures = 0, openings = 0, open_until = min(open_until, ${now})
        WHERE carrier = ${carrier} AND sender = ${sender} AND openings > 0 AND ${isNew} RETURNING carrier, sender`
    : sql`DELETE FROM carrier_pauses WHERE carrier = ${carrier} AND sender = ${sender} AND ${isNew} RETURNING carrier, sender`;
  const failed: Worked = sql`INSERT INTO carrier_pauses (carrier, sender, about, failures, failed_at, cause)
    SELECT ${carrier}, ${sender}, ${about}, ${failures}, ${now}, ${cause} WHERE ${isNew}
    ON CONFLICT (carrier, sender) DO UPDATE SET failures = failures + excluded.failures, failed_at = excluded.failed_at,
      about = iif(failures = 0, excluded.about, about), cause = iif(failures = 0, excluded.cause, cause)`;
  // Where several runs fail at the same time, one of them opens it.
  const opened: Worked = sql`UPDATE carrier_pauses SET openings = openings + 1, open_until = ${openUntil},
      since = iif(since IS NULL OR opened_at < ${now - SAME_PAUSE_MILLISECONDS}, ${now}, since), opened_at = ${now}
    WHERE carrier = ${carrier} AND sender = ${sender} AND open_until <= ${now} AND ${isNew}`;
  return [
    ...(hasSucceeded ? [ended] : []),
    ...(failures > 0 || openUntil !== null ? [failed] : []),
    ...(openUntil === null ? [] : [opened]),
  ];
}

/** Stores changes without an outcome: the carrier leaves submissions without an answer. */
export async function storeBreakers(db: D1Database, changes: BreakerChange[], now: number): Promise<void> {
  await runBatch(db, breakerStatements(db, changes, now, piece("true")));
}

/** @returns a statement with rows for toBreakers */
export function selectBreakers(db: D1Database): Query<BreakerRow> {
  return prepare(
    db,
    sql<BreakerRow>`SELECT carrier, sender, about, failures, openings, open_until, cause FROM carrier_pauses`,
  );
}

type BreakerRow = Pick<
  CarrierPauseRow,
  "carrier" | "sender" | "about" | "failures" | "openings" | "open_until" | "cause"
>;

export const toBreakers = (rows: BreakerRow[]): BreakerState[] =>
  rows.map(({ open_until, ...state }) => ({ ...state, openUntil: open_until }));

/** In words, for the operator. */
export function whyPaused({ carrier, sender, about, cause }: BreakerKey & Cause): string {
  const who = { sender: `sender ${sender} at ${carrier}`, account: `our account at ${carrier}`, carrier }[about];
  return `${who} keeps failing: its circuit breaker is open (${cause})`;
}

/**
 * Puts off unclaimed messages of a sender or a carrier that pauses, until it does not. That is no attempt. Messages that an operator holds,
 * or that wait for their time, do not wait for the pause, nor do those that may go by what does not pause.
 * @param longestWait see longestWaitMilliseconds
 * @returns them, and when their next job is due: milliseconds since 1970
 */
export async function putOff(
  db: D1Database,
  ids: string[],
  pauses: BreakerState[],
  { now, longestWait }: { now: number; longestWait: number },
): Promise<{ messageId: string; at: number; reason: string }[]> {
  const list = JSON.stringify(toPutOff(pauses, now));
  const rows = await runWrite<{ message_id: string; due_at: number; reason: string }>(
    db,
    prepare(
      db,
      sql`UPDATE messages AS m SET due_at = min(${deadlineOf(longestWait)}, (
            SELECT min(p.value ->> 'until') FROM ${ROUTES} o CROSS JOIN json_each(${list}) p
            WHERE p.value ->> 'carrier' = o.value ->> 'carrier' AND p.value ->> 'sender' IN ('', o.value ->> 'sender'))), reason = r.reason, reason_code = r.code,
          submissions = ${WITH_ENTRY}
        FROM websites w CROSS JOIN (SELECT value ->> 'carrier' AS carrier, value ->> 'sender' AS sender,
          value ->> 'reason' AS reason, value ->> 'code' AS code, value ->> 'entry' AS entry FROM json_each(${list})) r
        WHERE m.message_id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) AND m.status = 'PENDING_TO_SEND'
          AND m.claimed_at IS NULL AND coalesce(m.send_at, 0) <= ${now} AND NOT ${IS_HELD}
          AND w.website_id = m.website_id
          AND EXISTS (SELECT 1 FROM ${ROUTES} o WHERE o.key = 0 AND r.carrier = o.value ->> 'carrier' AND r.sender IN ('', o.value ->> 'sender'))
          AND NOT EXISTS (SELECT 1 FROM ${ROUTES} o WHERE NOT EXISTS (SELECT 1 FROM json_each(${list}) p
            WHERE p.value ->> 'carrier' = o.value ->> 'carrier' AND p.value ->> 'sender' IN ('', o.value ->> 'sender')))
        RETURNING message_id, due_at, reason`,
    ),
  );
  // A message whose deadline comes first is not due now: that would be in vain.
  const earliest = Math.min(...pauses.map(({ openUntil }) => openUntil));
  return rows.map(({ message_id, due_at, reason }) => ({
    messageId: message_id,
    at: Math.max(due_at, earliest),
    reason,
  }));
}

/** A message has one reason: where its carrier pauses, that is the carrier's. */
function toPutOff(pauses: BreakerState[], now: number) {
  const whole = new Set(pauses.flatMap(({ carrier, sender }) => (sender === "" ? carrier : [])));
  const own = pauses.filter(({ carrier, sender }) => sender === "" || !whole.has(carrier));
  return own.map((pause) => {
    const reason = whyPaused(pause);
    const entry: SubmissionEntry = { at: now, attempt: null, outcome: "skipped", reason };
    const { carrier, sender, about, openUntil: until } = pause;
    return { carrier, sender, until, reason, code: endsAs(about), entry };
  });
}

/** Lets the next submission through. @param sender null: of the carrier and of all its senders */
export async function releasePause(
  db: D1Database,
  { carrier, sender }: { carrier: string; sender: string | null },
  now: number,
): Promise<void> {
  const released = sql`UPDATE carrier_pauses SET open_until = min(open_until, ${now})
    WHERE carrier = ${carrier} AND sender = coalesce(${sender}, sender)`;
  await runWrite(db, prepare(db, released));
}

/** Deletes a breaker: nothing waits for it any more. */
export async function forgetPause(db: D1Database, { carrier, sender }: BreakerKey): Promise<void> {
  await runWrite(db, prepare(db, sql`DELETE FROM carrier_pauses WHERE carrier = ${carrier} AND sender = ${sender}`));
}

/** @returns a statement with rows for toPauses */
export function selectPauses(db: D1Database): D1PreparedStatement {
  return prepare(
    db,
    sql`SELECT carrier, sender, about, since, open_until, cause, failed_at, (SELECT json_group_array(w.website_id) FROM websites w
        WHERE w.carrier = p.carrier AND w.sender = p.sender) AS website_ids FROM carrier_pauses p`,
  );
}

type PauseRow = CarrierPauseRow & { website_ids: string };

/** Breakers that have opened since they last worked. @param rows of selectPauses */
export function toPauses(rows: unknown[]): CarrierPause[] {
  return (rows as PauseRow[]).flatMap(({ carrier, sender, about, since, open_until, cause, website_ids }) =>
    since === null
      ? []
      : { carrier, sender, about, cause, since, openUntil: open_until, websiteIds: parseJsonColumn(website_ids, []) },
  );
}

/** All that have failed since they last worked. */
export async function readBreakers(
  db: D1Database,
): Promise<(BreakerKey & { hasOpened: boolean; openUntil: number; failedAt: number })[]> {
  const rows = await runQuery<CarrierPauseRow>(
    prepare(db, sql`SELECT carrier, sender, since, open_until, failed_at FROM carrier_pauses`),
  );
  return rows.map(({ carrier, sender, since, open_until, failed_at }) => ({
    ...{ carrier, sender, hasOpened: since !== null, openUntil: open_until, failedAt: failed_at },
  }));
}

export interface DueMessage {
  messageId: string;
  websiteId: string;
}

/** Messages that one statement reads. All of them wait for a retry at the carrier. */
const READ_ROWS = 20_000;

/**
 * Makes messages due now that wait for a retry by this sender or carrier, and that no operator holds. Those that wait for their turn go on
 * waiting for it. Those of a carrier leave out those of its senders that pause.
 * @param most if 1, it is the message with the fewest attempts
 * @returns the messages that are due now, at most `most`
 */
export async function takeRetries(db: D1Database, key: BreakerKey, now: number, most: number): Promise<DueMessage[]> {
  const { carrier, sender } = key;
  const rows = await runWrite<{ message_id: string; website_id: string }>(
    db,
    prepare(
      db,
      sql`UPDATE messages SET due_at = ${now} WHERE message_id IN (
          SELECT p.message_id FROM (SELECT m.message_id, m.attempts
            FROM ${websitesBy(key, now)} w
              CROSS JOIN messages m INDEXED BY messages_retried ON m.website_id = w.website_id AND m.due_at > ${now}
            WHERE m.claimed_at IS NULL AND m.reason IS NOT NULL AND m.reason NOT IN (${HELD}, ${PACED})
              AND ${GOES_BY_IT} AND (w.holds IS NULL OR NOT ${IS_HELD})
              AND NOT EXISTS (SELECT 1 FROM carrier_pauses p WHERE p.carrier = ${carrier} AND p.sender = w.sender
                AND p.sender <> ${sender} AND p.open_until > ${now})
            LIMIT ${READ_ROWS}) p
          ORDER BY iif(${most} = 1, p.attempts, 0) LIMIT ${most})
        RETURNING message_id, website_id`,
    ),
  );
  return rows.map((row) => ({ messageId: row.message_id, websiteId: row.website_id }));
}
