import { isStoreUnavailable } from "../../domain/failure.ts";
import type { ReceiptCount } from "../../domain/messages/deliveries.ts";
import { PACED } from "../../domain/messages/sender-pace.ts";
import { ENDPOINT_FAILURES } from "../../domain/operations/problems.ts";
import {
  type CarrierStates,
  KEYWORD_MILLISECONDS,
  type Load,
  MAYBE_OPT_OUT_MILLISECONDS,
  STATE_PARTS,
  type StatePart,
  UNKNOWN_CALLBACK_MILLISECONDS,
  type UnreadableTexts,
} from "../../domain/operations/service-state.ts";
import { describeError } from "../../platform/describe-error.ts";
import { type FailingEndpoint, selectFailingEndpoints, toFailingEndpoints } from "../callbacks/failing-endpoints.ts";
import { countBehind } from "../clients/client-copies.ts";
import { runNamed, runQuery } from "../database.ts";
import { type CarrierPause, selectPauses, toPauses } from "../messages/carrier-pauses.ts";
import { HELD, IS_HELD } from "../messages/holds.ts";
import { countMaybeOptOuts, countWithoutEffect } from "../people/inbound.ts";
import { selectUnreadable, toUnreadable } from "../people/unreadable-texts.ts";
import type { WebsiteRow } from "../rows.ts";
import { prepare, sql } from "../sql.ts";
import { type AlertRefusal, type LastSweep, selectLastSweep, toAlertRefusal, toLastSweep } from "./last-sweep.ts";
import { type OutcomeCount, selectOutcomes, toOutcomes } from "./outcome-counts.ts";
import { selectReceiptCounts, toReceipts } from "./receipt-counts.ts";

/** Maximum rows counted per state: a backlog of any size is counted in the same time. */
export const COUNTED_ROWS = 10_000;

/** Rows of counts by minute that are read for each row of a state: for a look a thousand, which are an hour of a few carriers and senders. */
const COUNTS_A_ROW = 50;

const HOUR_MILLISECONDS = 3_600_000;

/** Times in milliseconds since 1970. What a failing part would say is empty. */
export interface StateCounts {
  failing: { part: StatePart; error: string }[];
  /** Why the database does not answer at all; null: it does. */
  failure: unknown;
  /** By carrier. */
  messages: Map<string, CarrierStates>;
  callbacks: { due: Load; claimed: Load };
  deadJobs: Load;
  credentialsBehind: Load;
  /** When the oldest message was accepted that the carrier could not accept at first. */
  retriedSince: number | null;
  pauses: CarrierPause[];
  failingEndpoints: FailingEndpoint[];
  /** In the last day. */
  keywordsWithoutEffect: Load;
  /** In the last three days. */
  maybeOptOuts: Load;
  /** In the last day. */
  unreadableTexts: UnreadableTexts[];
  lastSweep: LastSweep | null;
  alertRefusal: AlertRefusal | null;
  /** A state has more rows than were counted; the oldest were counted. */
  isCut: boolean;
  /** The outcomes of the last hour. */
  outcomes: OutcomeCount[];
  /** The receipts of the texts that were submitted in it. */
  receipts: ReceiptCount[];
  /** Both are known of the minutes after this one: more rows than were read may be of it, and of those before. */
  countedAfter: number;
  carriersInUse: string[];
  /** The name of the latest that is applied. */
  latestMigration: string | null;
}

/**
 * Counts waiting rows by state. Each statement reads an index of its state and stops after `most` rows. Never throws.
 * @param stuckBefore the run of a message claimed before this time has ended
 */
export async function countStates(
  db: D1Database,
  { now, stuckBefore, most }: { now: number; stuckBefore: number; most: number },
): Promise<StateCounts> {
  const { rows, failing, failure } = await readParts(db, {
    pending: pending(db, now, stuckBefore, most),
    sending: sending(db, most),
    callbacks: callbacks(db, now, most),
    deadJobs: prepare(
      db,
      sql`SELECT count(*) AS count, min(died_at) AS oldest_at
        FROM (SELECT died_at FROM dead_jobs WHERE put_back_at IS NULL ORDER BY died_at LIMIT ${most})`,
    ),
    credentialsBehind: countBehind(db, most),
    keywordsWithoutEffect: countWithoutEffect(db, now - KEYWORD_MILLISECONDS, most),
    maybeOptOuts: countMaybeOptOuts(db, now - MAYBE_OPT_OUT_MILLISECONDS, most),
    unreadableTexts: selectUnreadable(db, now, most),
    lastSweep: selectLastSweep(db),
    pauses: selectPauses(db),
    endpoints: selectFailingEndpoints(db, now - HOUR_MILLISECONDS, ENDPOINT_FAILURES, most),
    outcomes: selectOutcomes(db, now, most * COUNTS_A_ROW),
    receipts: selectReceiptCounts(db, now, most * COUNTS_A_ROW),
    carriersInUse: selectCarriersInUse(db),
    migrations: prepare(db, sql`SELECT max(name) AS name FROM d1_migrations`),
  });
  const { pending: waiting, sending: sent, keywordsWithoutEffect, lastSweep, pauses, endpoints } = rows;
  const texts = [keywordsWithoutEffect, rows.maybeOptOuts];
  const counted = [waiting, sent, ...texts, rows.callbacks, rows.deadJobs, rows.credentialsBehind];
  const [outcomes, receipts] = [toOutcomes(rows.outcomes), toReceipts(rows.receipts)];
  return {
    ...{ failing, failure },
    messages: byCarrier([...rows.pending, ...rows.sending] as CarrierLoadRow[]),
    retriedSince: retriedSince(waiting as CarrierLoadRow[]),
    pauses: toPauses(pauses),
    failingEndpoints: toFailingEndpoints(endpoints),
    callbacks: { due: toLoad(ofState(rows.callbacks, "due")), claimed: toLoad(ofState(rows.callbacks, "claimed")) },
    deadJobs: toLoad(rows.deadJobs),
    credentialsBehind: toLoad(rows.credentialsBehind),
    keywordsWithoutEffect: toLoad(keywordsWithoutEffect),
    maybeOptOuts: toLoad(rows.maybeOptOuts),
    unreadableTexts: toUnreadable(rows.unreadableTexts),
    lastSweep: toLastSweep(lastSweep),
    alertRefusal: toAlertRefusal(lastSweep),
    isCut: counted.some((some) => sum(some) >= most),
    outcomes,
    receipts,
    countedAfter: Math.max(cutAt(outcomes, most), cutAt(receipts, most)),
    carriersInUse: (rows.carriersInUse as Pick<WebsiteRow, "carrier">[]).map(({ carrier }) => carrier),
    latestMigration: (rows.migrations as { name: string | null }[])[0]?.name ?? null,
  };
}

/** The earliest minute of the counts, the latest of which come first; -Infinity where all were read. */
const cutAt = (counts: { minute: number }[], most: number) =>
  (counts.length < most * COUNTS_A_ROW ? undefined : counts.at(-1)?.minute) ?? Number.NEGATIVE_INFINITY;

type Parts<T> = Record<StatePart, T>;

/** In one call, as long as each part answers; otherwise part by part. */
async function readParts(
  db: D1Database,
  statements: Parts<D1PreparedStatement>,
): Promise<{ rows: Parts<unknown[]> } & Pick<StateCounts, "failing" | "failure">> {
  try {
    return { rows: await runNamed(db, statements), failing: [], failure: null };
  } catch (failure) {
    const isAway = isStoreUnavailable(failure);
    const each = isAway
      ? STATE_PARTS.map((part) => ({ part, rows: [], error: describeError(failure) }))
      : await Promise.all(STATE_PARTS.map((part) => readPart(part, statements[part])));
    const failing = each.flatMap(({ part, error }) => (error === null ? [] : { part, error }));
    const rows = Object.fromEntries(each.map((it) => [it.part, it.rows])) as Parts<unknown[]>;
    return { rows, failing, failure: isAway ? failure : null };
  }
}

async function readPart(part: StatePart, statement: D1PreparedStatement) {
  try {
    return { part, rows: await runQuery(statement), error: null };
  } catch (error) {
    return { part, rows: [], error: describeError(error) };
  }
}

/**
 * Counts pending messages whose time has come, those whose job was due first. An unclaimed message will go to its website's current carrier. It has a
 * reason if it could not be submitted at first, if it waits for the pace of its sender, or if an operator holds it.
 */
function pending(db: D1Database, now: number, stuckBefore: number, most: number): D1PreparedStatement {
  return prepare(
    db,
    sql`SELECT state, carrier, count(*) AS count, min(since) AS oldest_at, min(iif(state = 'held', NULL, retried)) AS retried_since FROM (
        SELECT CASE WHEN claimed_at <= ${stuckBefore} THEN 'stuck' WHEN claimed_at IS NOT NULL THEN 'claimed'
            WHEN ${IS_HELD} THEN 'held' WHEN is_retried AND due_at > ${now} THEN 'retrying' ELSE 'waiting' END AS state,
          coalesce(iif(claimed_at IS NULL, NULL, carrier), (SELECT w.carrier FROM websites w
            WHERE w.website_id = m.website_id), '') AS carrier,
          coalesce(claimed_at, iif(is_retried AND due_at <= ${now}, due_at, accepted_at)) AS since,
          iif(is_retried AND NOT is_paced, accepted_at, NULL) AS retried
        FROM (SELECT website_id, client_id, send_purpose, is_reply, carrier, claimed_at, due_at, accepted_at,
            reason IS NOT NULL AND reason <> ${HELD} AS is_retried, reason = ${PACED} AS is_paced
          FROM messages p WHERE due_at IS NOT NULL AND coalesce(send_at, 0) <= ${now}
          ORDER BY due_at LIMIT ${most}) m
      ) GROUP BY state, carrier`,
  );
}

function sending(db: D1Database, most: number): D1PreparedStatement {
  return prepare(
    db,
    sql`SELECT 'withoutReceipt' AS state, coalesce(carrier, '') AS carrier, count(*) AS count, min(updated_at) AS oldest_at
      FROM (SELECT carrier, updated_at FROM messages m WHERE status = 'SENDING'
        ORDER BY updated_at LIMIT ${most}) GROUP BY carrier`,
  );
}

/** Since an event occurred, or its callback was claimed: the sweep and a slow endpoint put off when its job is due. */
function callbacks(db: D1Database, now: number, most: number): D1PreparedStatement {
  return prepare(
    db,
    sql`SELECT iif(attempted_at IS NULL, 'due', 'claimed') AS state, count(*) AS count,
        min(coalesce(attempted_at, occurred_at)) AS oldest_at
      FROM (SELECT attempted_at, occurred_at FROM events e WHERE due_at IS NOT NULL
          AND (attempted_at IS NULL OR attempted_at > ${now - UNKNOWN_CALLBACK_MILLISECONDS})
        ORDER BY due_at LIMIT ${most}) GROUP BY state`,
  );
}

const ofState = (rows: unknown[], state: string) => (rows as { state: string }[]).filter((row) => row.state === state);

function toLoad([row]: unknown[]): Load {
  const load = row as LoadRow | undefined;
  return { count: load?.count ?? 0, oldestAt: load?.oldest_at ?? null };
}

function sum(rows: unknown[]): number {
  return (rows as LoadRow[]).reduce((total, { count }) => total + count, 0);
}

/** Counted rows of any table, and the earliest time among them. */
interface LoadRow {
  count: number;
  /** null: none was counted. */
  oldest_at: number | null;
}

interface CarrierLoadRow extends LoadRow {
  retried_since: number | null;
  carrier: string;
  state: keyof CarrierStates;
}

function retriedSince(rows: CarrierLoadRow[]): number | null {
  const times = rows.flatMap(({ retried_since }) => retried_since ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

function byCarrier(rows: CarrierLoadRow[]): Map<string, CarrierStates> {
  const carriers = new Map<string, CarrierStates>();
  for (const row of rows) {
    const states = carriers.get(row.carrier) ?? {};
    carriers.set(row.carrier, { ...states, [row.state]: toLoad([row]) });
  }
  return carriers;
}

/** Goes from each carrier to the next by the index: one row read for each, however many websites there are. */
function selectCarriersInUse(db: D1Database): D1PreparedStatement {
  return prepare(
    db,
    sql`WITH RECURSIVE used (carrier) AS (SELECT min(carrier) FROM websites
        UNION ALL SELECT (SELECT min(w.carrier) FROM websites w WHERE w.carrier > used.carrier) FROM used
          WHERE used.carrier IS NOT NULL)
      SELECT carrier FROM used WHERE carrier IS NOT NULL`,
  );
}
