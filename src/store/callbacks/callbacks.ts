// The callbacks of events: a run claims them, posts each once, and stores what came back; or it gives them back unposted.
import type { AttemptOutcome, CallbackEvent, DueEvent } from "../../domain/callbacks/callback.ts";
import { runBatch, runNamed } from "../database.ts";
import { addCounts } from "../operations/counts.ts";
import { type OutcomeCount, toCounts } from "../operations/outcome-counts.ts";
import type { ClientRow, WebsiteRow } from "../rows.ts";
import { prepare, type Sql, sql } from "../sql.ts";
import { CALLBACK_EVENT, type CallbackEventRow, toCallbackEvent } from "./callback-event.ts";
import { toPosts } from "./endpoint-health.ts";
import { splitEventId, toKeys } from "./events.ts";
import { type EndpointResult, endpointStatements } from "./failing-endpoints.ts";

/** A callback that only this run may post. */
export type ClaimedCallback = CallbackEvent & {
  eventId: DueEvent;
  /** Or the id of the notice. */
  messageId: string;
  websiteId: string;
  /** The carrier of the website. */
  carrier: string;
  clientId: string;
  /** null: the client has removed it. */
  callbackUrl: string | null;
  /** Encrypted; the second is the one being replaced, while it still works. */
  callbackSecrets: string[];
};

/** The keys of events, for json_each. */
const keysOf = (eventIds: DueEvent[]): Sql =>
  sql`(SELECT value ->> 'messageId', value ->> 'event' FROM json_each(${toKeys(eventIds)}))`;

/**
 * Claims callbacks. A claimed callback is never claimed again by another run, even if its post fails.
 * @param claim names this group; the same name claims the same callbacks again
 * @returns the callbacks in the order in which their events were stored
 */
export async function claimCallbacks(
  db: D1Database,
  eventIds: DueEvent[],
  claim: string,
  now: number,
): Promise<ClaimedCallback[]> {
  const statements = {
    claimed: prepare(
      db,
      sql`UPDATE events SET attempted_at = ${now}, claim = ${claim}
        WHERE (message_id, event) IN ${keysOf(eventIds)} AND due_at IS NOT NULL
          AND (attempted_at IS NULL OR claim = ${claim})`,
    ),
    found: prepare(
      db,
      sql<ClaimedRow>`SELECT ${CALLBACK_EVENT}, c.client_id, c.website_id, c.callback_url, c.callback_secret,
          iif(c.old_until > ${now}, c.old_callback_secret, NULL) AS old_callback_secret,
          (SELECT w.carrier FROM websites w WHERE w.website_id = c.website_id) AS carrier
        FROM events e CROSS JOIN clients c ON c.client_id = e.client_id LEFT JOIN messages m ON m.message_id = e.message_id
        WHERE (e.message_id, e.event) IN ${keysOf(eventIds)} AND e.claim = ${claim} AND e.attempted_at IS NOT NULL
          AND e.due_at IS NOT NULL ORDER BY e.seq`,
    ),
  };
  return (await runNamed(db, statements)).found.map(toClaimedCallback);
}

type ClaimedRow = CallbackEventRow &
  Pick<ClientRow, "client_id" | "website_id" | "callback_url" | "callback_secret" | "old_callback_secret"> &
  Pick<WebsiteRow, "carrier">;

function toClaimedCallback(row: ClaimedRow): ClaimedCallback {
  return {
    ...toCallbackEvent(row),
    messageId: row.message_id,
    websiteId: row.website_id,
    carrier: row.carrier,
    clientId: row.client_id,
    callbackUrl: row.callback_url,
    callbackSecrets: [row.callback_secret, row.old_callback_secret].filter((secret) => secret !== null),
  };
}

/** Outcome of the single post of a callback. */
export interface CallbackRecord {
  eventId: DueEvent;
  outcome: AttemptOutcome;
  httpStatus: number | null;
  /** The beginning of the response body, or the error; null: the body could not be read. */
  response: string | null;
  durationMilliseconds: number;
}

/** Callbacks to be released. None of them may have been posted. */
export interface Released {
  eventIds: DueEvent[];
  /** When their next job is due: milliseconds since 1970. */
  dueAt: number;
}

/** What became of the callbacks of a claim. */
export interface CallbackEnd {
  records: CallbackRecord[];
  counts: OutcomeCount[];
  endpoints: EndpointResult[];
  released: Released[];
  /** The claim under which they were posted, or were not. */
  claim: string;
  now: number;
}

/**
 * Stores what came back of the callbacks of a claim, and releases those that were not posted, in one transaction.
 * `counts` and `endpoints` are added to their tables unless the records are stored already.
 */
export async function recordCallbacks(db: D1Database, end: CallbackEnd): Promise<void> {
  const { records, counts, endpoints, released, claim, now } = end;
  const keys = toKeys(records.map(({ eventId }) => eventId));
  const isNew = sql`EXISTS (SELECT 1 FROM json_each(${keys}) k CROSS JOIN events e
    ON e.message_id = k.value ->> 'messageId' AND e.event = k.value ->> 'event' WHERE e.due_at IS NOT NULL)`;
  const counted = [...toCounts(counts), ...toPosts(endpoints, now)];
  await runBatch(db, [
    ...(counted.length > 0 ? [addCounts(db, counted, isNew)] : []),
    ...endpointStatements(db, endpoints, now, isNew),
    ...(records.length > 0 ? [recordStatement(db, records)] : []),
    ...released.map((some) => releaseStatement(db, claim, some)),
  ]);
}

function recordStatement(db: D1Database, records: CallbackRecord[]): D1PreparedStatement {
  const given = records.map((record) => ({ ...splitEventId(record.eventId), ...record }));
  return prepare(
    db,
    sql`UPDATE events AS e SET outcome = r.outcome, http_status = r.http_status, response = r.response, duration_ms = r.duration_ms,
        due_at = NULL, claim = NULL
      FROM (SELECT value ->> 'messageId' AS message_id, value ->> 'event' AS event, value ->> 'outcome' AS outcome,
        value ->> 'httpStatus' AS http_status, value ->> 'response' AS response, value ->> 'durationMilliseconds' AS duration_ms
        FROM json_each(${JSON.stringify(given)})) r
      WHERE e.message_id = r.message_id AND e.event = r.event AND e.due_at IS NOT NULL`,
  );
}

/** Gives back callbacks that are unclaimed, or under this claim. */
function releaseStatement(db: D1Database, claim: string, { eventIds, dueAt }: Released): D1PreparedStatement {
  return prepare(
    db,
    sql`UPDATE events SET attempted_at = NULL, claim = NULL, due_at = ${dueAt}
      WHERE (message_id, event) IN ${keysOf(eventIds)} AND due_at IS NOT NULL AND (attempted_at IS NULL OR claim = ${claim})`,
  );
}

/** Releases callbacks of a claim that were not posted. */
export async function releaseCallbacks(db: D1Database, claim: string, released: Released): Promise<void> {
  await runBatch(db, [releaseStatement(db, claim, released)]);
}
