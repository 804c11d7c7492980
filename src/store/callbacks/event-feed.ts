import type { CallbackEvent } from "../../domain/callbacks/callback.ts";
import { runQuery } from "../database.ts";
import {
  STORED_CALLBACK,
  type StoredCallback,
  type StoredCallbackRow,
  toStoredCallback,
} from "../messages/read-message.ts";
import type { EventRow } from "../rows.ts";
import { piece, prepare, type Sql, sql } from "../sql.ts";
import { CALLBACK_EVENT, type CallbackEventRow, toCallbackEvent } from "./callback-event.ts";
import { toEventId } from "./events.ts";

/** The latest posts are looked for among so many events. */
const LATEST_EVENTS = 1000;

export interface FeedEvent {
  event: CallbackEvent;
  callback: StoredCallback | null;
  /** Its place in the order of all events. */
  seq: number;
}

/**
 * The events of a client after a place, in the order in which they were stored. D1 has one writer, and events get their numbers as they
 * are written: an event that is stored later never stands before one that can be read now.
 */
export async function readFeed(
  db: D1Database,
  { websiteId, clientId }: { websiteId: string; clientId: string },
  after: number,
  limit: number,
): Promise<FeedEvent[]> {
  const rows = await runQuery<CallbackEventRow & StoredCallbackRow & { seq: number }>(
    prepare(
      db,
      sql`SELECT e.seq, ${CALLBACK_EVENT}, ${STORED_CALLBACK}
        FROM events e LEFT JOIN messages m ON m.message_id = e.message_id
        WHERE e.website_id = ${websiteId} AND e.client_id = ${clientId} AND e.seq > ${after}
        ORDER BY e.seq LIMIT ${limit}`,
    ),
  );
  return rows.map((row) => ({ event: toCallbackEvent(row), callback: toStoredCallback(row), seq: row.seq }));
}

/** How many events are looked through for one page. A search for a rare one continues with the next page. */
export const LOOKED_THROUGH = 10_000;

/** What has become of the callback of an event. `waiting`: not posted yet, or the post was cut off. */
export const CALLBACK_STATES = ["taken", "failed", "waiting", "none"] as const;

const IS_TAKEN = "e.outcome = 'answered' AND e.http_status BETWEEN 200 AND 299";

const IN_STATE: Record<(typeof CALLBACK_STATES)[number], Sql> = {
  taken: piece(IS_TAKEN),
  failed: piece(`e.outcome IS NOT NULL AND NOT (${IS_TAKEN})`),
  waiting: piece("e.outcome IS NULL AND e.due_at IS NOT NULL"),
  none: piece("e.outcome IS NULL AND e.due_at IS NULL"),
};

/** Absent: any. */
export interface EventSearch {
  eventType?: CallbackEvent["eventType"] | undefined;
  callback?: keyof typeof IN_STATE | undefined;
  /** Only what happened before: milliseconds since 1970. */
  until: number;
  /** Only events with a lower number. */
  before: number;
}

/** `occurredAt`: milliseconds since 1970. */
export type FoundEvent = FeedEvent & { occurredAt: number };

/**
 * The events of a client, the newest first. Reads at most LOOKED_THROUGH of them.
 * @returns `next`: the last that was looked at, if others may follow
 */
export async function findEvents(
  db: D1Database,
  { websiteId, clientId }: { websiteId: string; clientId: string },
  { eventType, callback, until, before }: EventSearch,
  limit: number,
): Promise<{ events: FoundEvent[]; next: { seq: number; occurredAt: number } | null }> {
  const inOrder = sql`SELECT * FROM events
    WHERE website_id = ${websiteId} AND client_id = ${clientId} AND seq < ${before} ORDER BY seq DESC`;
  const rows = await runQuery<CallbackEventRow & StoredCallbackRow & { seq: number }>(
    prepare(
      db,
      sql`SELECT e.seq, ${CALLBACK_EVENT}, ${STORED_CALLBACK}
        FROM (${inOrder} LIMIT ${LOOKED_THROUGH}) e LEFT JOIN messages m ON m.message_id = e.message_id
        WHERE (${eventType ?? null} IS NULL OR ${eventType ?? null} = ${TYPE}) AND e.occurred_at < ${until}
          AND ${callback ? IN_STATE[callback] : piece("true")}
        ORDER BY e.seq DESC LIMIT ${limit}`,
    ),
  );
  const last = rows.length === limit ? rows.at(-1) : await lastLookedAt(db, inOrder);
  return {
    events: rows.map((row) => ({
      ...{ event: toCallbackEvent(row), callback: toStoredCallback(row), seq: row.seq },
      occurredAt: row.occurred_at,
    })),
    next: last ? { seq: last.seq, occurredAt: last.occurred_at } : null,
  };
}

/** The type of an event `e`, as toCallbackEvent has it. */
const TYPE = piece(`CASE WHEN e.body IS NOT NULL THEN e.event
  WHEN substr(e.event, 1, 6) = 'CLICK_' THEN 'message.clicked' ELSE 'message.status' END`);

/** undefined: all were looked through. */
async function lastLookedAt(db: D1Database, inOrder: Sql) {
  const [row] = await runQuery<Pick<EventRow, "seq" | "occurred_at">>(
    prepare(db, sql`${inOrder} LIMIT 1 OFFSET ${LOOKED_THROUGH - 1}`),
  );
  return row;
}

/** The latest events of a client that were posted, the newest first, among the last LATEST_EVENTS. */
export async function readLatestPosts(
  db: D1Database,
  { websiteId, clientId }: { websiteId: string; clientId: string },
  limit: number,
): Promise<{ eventId: string; callback: StoredCallback }[]> {
  const rows = await runQuery<Pick<EventRow, "message_id" | "event"> & StoredCallbackRow>(
    prepare(
      db,
      sql`SELECT e.message_id, e.event, ${STORED_CALLBACK} FROM (
          SELECT * FROM events WHERE website_id = ${websiteId} AND client_id = ${clientId} ORDER BY seq DESC LIMIT ${LATEST_EVENTS}) e
        WHERE e.attempted_at IS NOT NULL ORDER BY e.attempted_at DESC, e.seq DESC LIMIT ${limit}`,
    ),
  );
  return rows.flatMap((row) => {
    const callback = toStoredCallback(row);
    return callback ? [{ eventId: toEventId(row), callback }] : [];
  });
}
