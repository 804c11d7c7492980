// What came back of callbacks, and callbacks that are given back unposted.
import type { AttemptOutcome } from "../../domain/callback.ts";
import { runBatch } from "./database.ts";
import { EVENTS, GIVEN, type Stored, updateEvents } from "./event-places.ts";
import { type DueEvent, splitEventId, toKeys } from "./events.ts";
import { type EndpointResult, endpointStatements } from "./failing-endpoints.ts";
import { releaseCallbacks } from "./open-callbacks.ts";
import { addCounts, type OutcomeCount } from "./outcome-counts.ts";

/** Stored as the response, for the operator. */
export const NO_CALLBACK_URL = "the client has no callback URL any more";

/**
 * Ends unclaimed callbacks of clients without a callback URL: a URL that is set later does not receive them. The outcome is
 * final, so a repeated or late run changes nothing.
 */
export async function endUnpostable(db: D1Database, eventIds: DueEvent[], now: number): Promise<void> {
  await runBatch(
    db,
    updateEvents(db, {
      of: {
        keys: `(SELECT * FROM ${EVENTS(GIVEN("?1"))} WHERE NOT EXISTS (
          SELECT 1 FROM clients c WHERE c.callback_url IS NOT NULL AND c.client_id = e.client_id))`,
      },
      where: (of) => `${of("callback_due")} > 0 AND ${of("attempted_at")} IS NULL`,
      set: { attempted_at: "?2", outcome: "'not-posted'", response: "?3" },
      values: [toKeys(eventIds), now, NO_CALLBACK_URL],
    }),
  );
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

/** Callbacks to be given back. */
export interface Released {
  eventIds: DueEvent[];
  /** From then on the sweep counts how long they wait: milliseconds since 1970. */
  queuedAt: number;
}

interface ToStore {
  records?: CallbackRecord[];
  counts?: OutcomeCount[];
  endpoints?: EndpointResult[];
  released?: Released[];
  claims?: string[];
  now: number;
}

/**
 * Stores what came back, and releases callbacks that are unclaimed or under one of these claims. They must surely not be posted.
 * @param counts added to the counts of outcomes, unless the records are stored already
 * @param endpoints likewise. Without records, a repeated call may add them twice
 */
export async function recordAndRelease(
  db: D1Database,
  { records = [], counts = [], endpoints = [], released = [], claims = [], now }: ToStore,
): Promise<void> {
  const isNew = (parameter: string) =>
    `EXISTS (SELECT 1 FROM ${EVENTS(GIVEN(parameter))} WHERE e.occurred_at IS NOT NULL AND e.outcome IS NULL)`;
  const keys = toKeys(records.map(({ eventId }) => eventId));
  await runBatch(db, [
    ...(counts.length > 0 ? [addCounts(db, counts, { condition: isNew("?2"), values: [keys] })] : []),
    ...endpointStatements(db, endpoints, now, { condition: records.length > 0 ? isNew("?1") : "true", keys }),
    ...recordStatements(db, records),
    ...released.flatMap(({ eventIds, queuedAt }) => {
      const values = [toKeys(eventIds), queuedAt, JSON.stringify(claims)];
      const where = (of: Stored) =>
        `(${of("attempted_at")} IS NULL OR ${of("claim")} IN (SELECT value FROM json_each(?3)))`;
      return releaseCallbacks(db, { of: { events: eventIds }, where, queuedAt: "?2", values });
    }),
  ]);
}

/** Stores what came back. */
export function recordStatements(db: D1Database, records: CallbackRecord[]): D1PreparedStatement[] {
  if (records.length === 0) return [];
  const given = records.map((record) => ({ ...splitEventId(record.eventId), ...record }));
  const recorded = (name: keyof CallbackRecord) => `k.value ->> '${name}'`;
  return updateEvents(db, {
    of: { events: records.map(({ eventId }) => eventId) },
    where: () => "true",
    set: {
      outcome: recorded("outcome"),
      http_status: recorded("httpStatus"),
      response: recorded("response"),
      duration_ms: recorded("durationMilliseconds"),
      ...{ claim: "NULL", queued_at: "0" },
    },
    values: [JSON.stringify(given)],
  });
}
