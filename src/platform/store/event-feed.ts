import type { CallbackEvent } from "../../domain/callback.ts";
import { CALLBACK_EVENT, type CallbackEventRow, toCallbackEvent } from "./callback-event.ts";
import { runQuery } from "./database.ts";
import { EVENTS } from "./event-places.ts";
import { EVENT, MESSAGE_ID } from "./open-callbacks.ts";
import { STORED_CALLBACK, type StoredCallback, type StoredCallbackRow, toStoredCallback } from "./read-message.ts";

/** A place in the order of a client's events: a batch, and how many of its events stand before. */
export interface FeedPosition {
  seq: number;
  count: number;
}

export interface FeedEvent {
  event: CallbackEvent;
  callback: StoredCallback | null;
  /** Of what follows it. */
  next: FeedPosition;
}

/** Since a place in the feed was given to the client, its website may have moved: each move shifts what is before it. */
const SHIFT = `coalesce((SELECT sum(f.shift) FROM clients c CROSS JOIN moved_feeds f ON f.website_id = c.website_id AND f.until > ?2
  WHERE c.client_id = ?1), 0)`;

/**
 * The events of a client from a position on, in the order in which they were stored. D1 has one writer, and batches
 * get their numbers as they are written: an event that is stored later never stands before one that can be read now.
 */
export async function readFeed(
  db: D1Database,
  clientId: string,
  after: FeedPosition,
  limit: number,
  mayHaveMoved: boolean,
): Promise<FeedEvent[]> {
  const seq = mayHaveMoved ? `(?2 + ${SHIFT})` : "?2";
  // json_each walks through a batch in order. Another term of ORDER BY would have all that follows read and sorted.
  const rows = await runQuery<FeedRow>(
    db
      .prepare(
        `SELECT e.seq, e.place, ${CALLBACK_EVENT}, ${STORED_CALLBACK}
         FROM ${EVENTS(`(SELECT b.seq, j.key AS place, ${MESSAGE_ID} AS message_id, ${EVENT} AS event
           FROM event_batches b CROSS JOIN json_each(b.event_ids) j
           WHERE b.client_id = ?1 AND b.seq >= ${seq} AND (b.seq > ${seq} OR j.key >= ?3))`)}
         WHERE e.client_id = ?1 AND e.occurred_at IS NOT NULL ORDER BY e.seq LIMIT ?4`,
      )
      .bind(clientId, after.seq, after.count, limit),
  );
  return rows.map((row) => ({
    event: toCallbackEvent(row),
    callback: toStoredCallback(row),
    next: { seq: row.seq, count: row.place + 1 },
  }));
}

type FeedRow = CallbackEventRow &
  StoredCallbackRow & {
    seq: number;
    /** In its batch, from 0. */
    place: number;
  };
