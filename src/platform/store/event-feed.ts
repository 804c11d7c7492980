import type { CallbackEvent } from "../../domain/callback.ts";
import { CALLBACK_SUBJECT, type CallbackEventRow, toCallbackEvent } from "./callback-event.ts";
import { runQuery } from "./database.ts";
import { SUBJECT_CLIENT } from "./notices.ts";
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

/** When an event of a batch occurred: its row `e` or its message `m` says so. */
const OCCURRED_AT = `coalesce(e.occurred_at, CASE ${EVENT} WHEN 'SENDING' THEN m.sending_at WHEN m.status THEN m.final_at END)`;

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
        `SELECT b.seq, j.key AS place, ${MESSAGE_ID} AS message_id, ${EVENT} AS event, ${OCCURRED_AT} AS occurred_at,
           ${CALLBACK_SUBJECT}, ${STORED_CALLBACK}
         FROM event_batches b CROSS JOIN json_each(b.event_ids) j
           LEFT JOIN events e ON e.message_id = ${MESSAGE_ID} AND e.event = ${EVENT}
           LEFT JOIN messages m ON m.message_id = ${MESSAGE_ID}
           LEFT JOIN notices n ON n.notice_id = ${MESSAGE_ID} AND n.type = ${EVENT}
         WHERE b.client_id = ?1 AND ${SUBJECT_CLIENT} = b.client_id AND ${OCCURRED_AT} IS NOT NULL
           AND b.seq >= ${seq} AND (b.seq > ${seq} OR j.key >= ?3) ORDER BY b.seq LIMIT ?4`,
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
