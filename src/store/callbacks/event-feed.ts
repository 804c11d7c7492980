import type { CallbackEvent } from "../../domain/callbacks/callback.ts";
import { runQuery } from "../database.ts";
import {
  STORED_CALLBACK,
  type StoredCallback,
  type StoredCallbackRow,
  toStoredCallback,
} from "../messages/read-message.ts";
import type { EventRow } from "../rows.ts";
import { prepare, sql } from "../sql.ts";
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
