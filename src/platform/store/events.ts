import type { MESSAGE_EVENT_TYPES } from "../../domain/callback.ts";
import type { EventRow } from "./rows.ts";

/** Id of an event with a callback to post: `<messageId>_<event>`; of a notice, its id and type. */
export type DueEvent = string;

/**
 * events.callback_due where the client wants a callback, and 0 where it wants none. The version before wrote 1, and finds what is
 * due by the index events_open, which costs a row for each event: the next release drops it.
 */
export const DUE = 2;

/** SQL: events.callback_due of an event of the message `m` and its client `c`. */
export const IS_DUE = (type: (typeof MESSAGE_EVENT_TYPES)[number]) =>
  `${DUE} * (m.callback_data <> '' AND c.callback_url IS NOT NULL AND (c.events IS NULL OR instr(c.events, '"${type}"') > 0))`;

/** Callbacks that the caller posts itself, as they are stored: see selectClaimedOf. */
export interface OwnClaim {
  claim: string;
  /** Of so many messages, the first. */
  most: number;
}

/** Of one claim: as many as a run takes from the queue. */
export const MOST_OWN_CALLBACKS = 24;

/**
 * Writes the event of each message's current status if it is missing, and what is written as a batch of each client. After a
 * change of status in the same transaction, it writes exactly the changes; a second run writes nothing.
 * @param own not of a message that has another callback open, which is to be posted before
 * @param guard SQL condition on the parameters ?3, ?4 and ?5; not with a claim
 */
export function recordEvents(
  db: D1Database,
  messageIds: string[],
  now: number,
  own: OwnClaim | null = null,
  guard: { condition: string; values: unknown[] } = { condition: "true", values: [] },
): D1PreparedStatement[] {
  const run = (sql: string, values = guard.values) => db.prepare(sql).bind(JSON.stringify(messageIds), now, ...values);
  const isDue = IS_DUE("message.status");
  const isOwn = `j.key < ${own?.most} AND ${isDue} AND NOT EXISTS (SELECT 1 FROM events o WHERE o.message_id = m.message_id
    AND o.callback_due > 0 AND o.outcome IS NULL AND o.claim IS NOT ?3)`;
  const ifOwn = (value: string) => (own ? `iif(${isOwn}, ${value}, NULL)` : "NULL");
  const changed = `json_each(?1) j CROSS JOIN messages m ON m.message_id = j.value`;
  const condition = `m.status <> 'PENDING_TO_SEND' AND ${guard.condition}`;
  return [
    run(`INSERT INTO event_batches (client_id, stored_at, event_ids)
     SELECT m.client_id, ?2, json_group_array(DISTINCT m.message_id || '_' || m.status) FROM ${changed}
     WHERE ${condition} AND m.client_id <> '' AND NOT EXISTS (
       SELECT 1 FROM events e WHERE e.message_id = m.message_id AND e.event = m.status)
     GROUP BY m.client_id`),
    run(
      `INSERT INTO events (message_id, event, occurred_at, callback_due, queued_at, reason_code, attempted_at, claim)
       SELECT m.message_id, m.status, m.updated_at, ${isDue}, ?2, m.reason_code, ${ifOwn("?2")}, ${ifOwn("?3")}
       FROM ${changed} LEFT JOIN clients c ON c.client_id = m.client_id
       WHERE ${condition} ON CONFLICT DO NOTHING RETURNING message_id, event, callback_due, attempted_at`,
      own ? [own.claim] : guard.values,
    ),
  ];
}

/** Of the rows that recordEvents returned, those with a callback to queue. */
export function dueEvents(rows: unknown[] | undefined): DueEvent[] {
  const written = (rows ?? []) as (Pick<EventRow, "message_id" | "event" | "callback_due"> & {
    attempted_at?: number | null;
  })[];
  return written.filter((row) => row.callback_due !== 0 && !row.attempted_at).map(toEventId);
}

/** SQL condition on rows of events; ?1: their keys, see toKeys. */
export const IS_GIVEN = "(message_id, event) IN (SELECT value ->> 'messageId', value ->> 'event' FROM json_each(?1))";

export function toEventId(row: Pick<EventRow, "message_id" | "event">): DueEvent {
  return `${row.message_id}_${row.event}`;
}

/** The keys of events, as a parameter for json_each. */
export const toKeys = (eventIds: DueEvent[]) => JSON.stringify(eventIds.map(splitEventId));

export function splitEventId(eventId: DueEvent): { messageId: string; event: string } {
  const separator = eventId.indexOf("_");
  return { messageId: eventId.slice(0, separator), event: eventId.slice(separator + 1) };
}

/** A click's event is `CLICK_` and its id; any other of a message is a status. */
export function isClick(event: string): boolean {
  return event.startsWith("CLICK_");
}
