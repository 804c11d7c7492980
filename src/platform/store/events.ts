import type { MESSAGE_EVENT_TYPES } from "../../domain/callback.ts";
import type { MessageStatus } from "../../domain/message.ts";
import type { EventRow } from "./rows.ts";

/** Id of an event with a callback to post: `<messageId>_<event>`; of a notice, its id and type. */
export type DueEvent = string;

/** SQL: events.callback_due of an event of a message and its client `c`. */
export const IS_DUE = (type: (typeof MESSAGE_EVENT_TYPES)[number], message = "m") =>
  `(${message}.callback_data <> '' AND c.callback_url IS NOT NULL AND (c.events IS NULL OR instr(c.events, '"${type}"') > 0))`;

/** The caller claims the callbacks of the first messages, and posts them itself. Only callbacks without a row: see selectClaimedOf. */
export interface OwnClaim {
  claim: string;
  /** Of so many messages, the first. */
  most: number;
}

/** Of one claim: as many as a run takes from the queue. */
export const MOST_OWN_CALLBACKS = 24;

/** Of an event, in SQL: of an item `j` of a list ?1 and its message `m`. */
type EventColumns = Record<"messageId" | "status" | "occurredAt" | "code", string>;

/** SQL: the last batch that the sweep has looked at. */
export const SEEN = "coalesce((SELECT seq FROM event_batches_seen WHERE only = 1), 0)";

/**
 * A batch takes further events of its client up to here, some 30: it is written anew each time. Then two of them fill a page of
 * SQLite. Batches that are somewhat longer leave half of it empty.
 */
const MOST_CHARACTERS = 1600;

/**
 * SQL: inserts batches of a client, the time and the events, which `rows` selects: they join the latest batch of the client, unless
 * that is full, or the sweep has looked at it. That is a row, and a batch of its own is two.
 */
export const insertBatches = (client: string, rows: string) =>
  `INSERT INTO event_batches (seq, client_id, stored_at, event_ids)
   SELECT (SELECT iif(length(event_ids) < ${MOST_CHARACTERS}, seq, NULL) FROM (SELECT b.seq, b.event_ids FROM event_batches b
     WHERE b.client_id = ${client} AND b.seq > ${SEEN} ORDER BY b.seq DESC LIMIT 1)), ${client}, ${rows}
   ON CONFLICT (seq) DO UPDATE SET
     event_ids = substr(event_ids, 1, length(event_ids) - 1) || ',' || substr(excluded.event_ids, 2)`;

/**
 * A batch of each client, and the rows.
 * @param values the list, the time, and what the conditions need
 * @param isRow SQL: an event that has no row is in its batch alone
 */
function insertEvents(
  db: D1Database,
  values: unknown[],
  { messageId, status, occurredAt, code }: EventColumns,
  condition: string,
  isRow = "true",
): D1PreparedStatement[] {
  const changed = `json_each(?1) j CROSS JOIN messages m ON m.message_id = ${messageId}`;
  return [
    insertBatches(
      "m.client_id",
      `?2, json_group_array(DISTINCT m.message_id || '_' || ${status}) FROM ${changed}
       WHERE ${condition} AND m.client_id <> '' AND ${hasNoRow("m", status)} GROUP BY m.client_id`,
    ),
    `INSERT INTO events (message_id, event, occurred_at, callback_due, queued_at, reason_code)
     SELECT m.message_id, ${status}, ${occurredAt}, ${IS_DUE("message.status")}, ?2, ${code}
     FROM ${changed} LEFT JOIN clients c ON c.client_id = m.client_id
     WHERE ${condition} AND ${isRow} ON CONFLICT DO NOTHING RETURNING message_id, event, callback_due`,
  ].map((sql) => db.prepare(sql).bind(...values));
}

/** SQL. @param message a row of messages, by the name of its table */
export const hasNoRow = (message: string, status: string) =>
  `NOT EXISTS (SELECT 1 FROM events e WHERE e.message_id = ${message}.message_id AND e.event = ${status})`;

/**
 * Writes the event of each message's current status if it is missing, and what is written as a batch of each client. After a
 * change of status in the same transaction, it writes exactly the changes; a second run writes nothing.
 * @param guard SQL condition on the parameters ?3, ?4 and ?5
 */
export function recordEvents(
  db: D1Database,
  messageIds: string[],
  now: number,
  guard: { condition: string; values: unknown[] } = { condition: "true", values: [] },
): D1PreparedStatement[] {
  const columns = { messageId: "j.value", status: "m.status", occurredAt: "m.updated_at", code: "m.reason_code" };
  const condition = `m.status <> 'PENDING_TO_SEND' AND iif(m.status = 'SENDING', m.sending_at, m.final_at) IS NULL`;
  const values = [JSON.stringify(messageIds), now, ...guard.values];
  return insertEvents(db, values, columns, `${condition} AND ${guard.condition}`);
}

/** A change of status that is about to be stored. */
export interface StatusEvent {
  messageId: string;
  status: MessageStatus;
  /** See reason.ts. */
  code: string | null;
  /** Whether sending_at or final_at can stand for the event, with the reason that the message has. */
  isKept: boolean;
}

/**
 * Writes the events of changes that the next statement makes, in the same transaction: a second run finds them made, and writes
 * nothing. Where its message can keep it, an event gets no row: see keepEvent.
 * @param condition SQL on the message `m`, with the parameter ?3: it is changed
 */
export function recordChanges(
  db: D1Database,
  changes: StatusEvent[],
  { now, condition, value }: { now: number; condition: string; value: string | null },
): D1PreparedStatement[] {
  const of = (name: keyof StatusEvent) => `(j.value ->> '${name}')`;
  const columns = { messageId: of("messageId"), status: of("status"), occurredAt: "?2", code: of("code") };
  return insertEvents(db, [JSON.stringify(changes), now, value], columns, condition, `NOT ${of("isKept")}`);
}

/** SQL conditions and values of an UPDATE of messages. */
interface KeptEvent {
  /** Whether the message gets the event, and its name. */
  condition: string;
  status: string;
  /** Whether the caller posts the callback, under its claim, unless another of the message is open, which is to be posted before. */
  isOwn: string;
  claim: string;
  now: string;
}

/** SQL assignments: the message keeps its event, with the callback, unless recordChanges has written a row for it. */
export function keepEvent(part: "sending" | "final", { condition, status, isOwn, claim, now }: KeptEvent): string {
  const isKept = `${condition} AND ${hasNoRow("messages", status)}`;
  const isDue = `${isKept} AND (SELECT ${IS_DUE("message.status", "messages")} FROM clients c WHERE c.client_id = messages.client_id)`;
  const own = `${isOwn}
    AND NOT EXISTS (SELECT 1 FROM events o WHERE o.message_id = messages.message_id AND o.callback_due > 0 AND o.outcome IS NULL)
    AND (sending_attempted_at IS NULL OR sending_outcome IS NOT NULL OR sending_claim IS ${claim})`;
  return `${part}_at = iif(${isKept}, ${now}, ${part}_at),
    ${part}_attempted_at = iif(${isDue}, iif(${own}, ${now}, 0), ${part}_attempted_at),
    ${part}_claim = iif(${isDue} AND ${own}, ${claim}, ${part}_claim)`;
}

/** SQL columns that such an UPDATE returns for dueEvents. */
export const returnKept = (part: "sending" | "final", status: string, now: string) =>
  `message_id, ${status} AS event, (${part}_at IS ${now} AND ${part}_attempted_at IS 0) AS callback_due`;

/** Of the rows that were written, those with a callback to queue. */
export function dueEvents(rows: unknown[] | undefined): DueEvent[] {
  const written = (rows ?? []) as Pick<EventRow, "message_id" | "event" | "callback_due">[];
  return written.filter((row) => row.callback_due !== 0).map(toEventId);
}

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
