import type { MessageStatus } from "../../domain/message.ts";
import { toE164 } from "../../domain/phone.ts";
import { runBatch, runQuery } from "./database.ts";
import type { CallbackOutcome, ClientRow, EventRow, MessageRow } from "./rows.ts";

/** Id of an event with a callback to post: `<messageId>_<event>`. */
export type DueEvent = string;

/**
 * Writes the event of each message's current status if it is missing. After a change of status in the same transaction, it
 * writes exactly the changes; a second run writes nothing.
 * @param guard SQL condition on the parameters ?3, ?4 and ?5
 */
export function recordEvents(
  db: D1Database,
  messageIds: string[],
  now: number,
  guard: { condition: string; values: unknown[] } = { condition: "true", values: [] },
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO events (message_id, event, occurred_at, callback_due, queued_at)
       SELECT m.message_id, m.status, m.updated_at, m.callback_data <> '' AND c.callback_url IS NOT NULL, ?2
       FROM json_each(?1) j CROSS JOIN messages m ON m.message_id = j.value LEFT JOIN clients c ON c.client_id = m.client_id
       WHERE m.status <> 'PENDING_TO_SEND' AND ${guard.condition}
       ON CONFLICT DO NOTHING RETURNING message_id, event, callback_due`,
    )
    .bind(JSON.stringify(messageIds), now, ...guard.values);
}

/** Filters the rows that recordEvents returned by their callbacks. */
export function dueEvents(rows: unknown[] | undefined): DueEvent[] {
  const written = (rows ?? []) as Pick<EventRow, "message_id" | "event" | "callback_due">[];
  return written.filter((row) => row.callback_due === 1).map(toEventId);
}

export function toEventId(row: Pick<EventRow, "message_id" | "event">): DueEvent {
  return `${row.message_id}_${row.event}`;
}

/** A callback that only this run may post. */
export interface ClaimedCallback {
  eventId: DueEvent;
  eventType: "message.status" | "message.clicked";
  messageId: string;
  status: MessageStatus;
  /** Milliseconds since 1970. */
  occurredAt: number;
  /** E.164, or null when none was found. */
  phone: string | null;
  sendPurpose: string;
  callbackData: string;
  /** null: the client has removed it. */
  callbackUrl: string | null;
  /** Encrypted; the second is the one being replaced, while it still works. */
  callbackSecrets: string[];
}

/** An unclaimed callback. */
export interface DueCallback {
  eventId: DueEvent;
  messageId: string;
  /** null: the client has removed it. */
  callbackUrl: string | null;
}

/** The unclaimed due callbacks among the events, in order of occurrence. */
export async function findDueCallbacks(db: D1Database, eventIds: DueEvent[]): Promise<DueCallback[]> {
  const rows = await runQuery<Pick<EventRow, "message_id" | "event"> & Pick<ClientRow, "callback_url">>(
    db
      .prepare(
        `SELECT e.message_id, e.event, c.callback_url
         FROM json_each(?1) j CROSS JOIN events e ON e.message_id = j.value ->> 'messageId' AND e.event = j.value ->> 'event'
         LEFT JOIN messages m ON m.message_id = e.message_id LEFT JOIN clients c ON c.client_id = m.client_id
         WHERE e.callback_due = 1 AND e.attempted_at IS NULL ORDER BY e.occurred_at, e.event = 'SENDING' DESC`,
      )
      .bind(toKeys([...new Set(eventIds)])),
  );
  return rows.map((row) => ({
    eventId: toEventId(row),
    messageId: row.message_id,
    callbackUrl: row.callback_url,
  }));
}

/** Stored as the response, for the operator. */
export const NO_CALLBACK_URL = "the client has no callback URL any more";

/**
 * Ends unclaimed callbacks of clients without a callback URL: a URL that is set later does not receive them. The outcome is
 * final, so a repeated or late run changes nothing.
 */
export async function endUnpostable(db: D1Database, eventIds: DueEvent[], now: number): Promise<void> {
  await runBatch(db, [
    db
      .prepare(
        `UPDATE events SET attempted_at = ?2, outcome = 'not-posted', response = ?3
         WHERE (message_id, event) IN (SELECT value ->> 'messageId', value ->> 'event' FROM json_each(?1))
           AND callback_due = 1 AND attempted_at IS NULL AND NOT EXISTS (
             SELECT 1 FROM messages m JOIN clients c ON c.client_id = m.client_id
             WHERE m.message_id = events.message_id AND c.callback_url IS NOT NULL)`,
      )
      .bind(toKeys(eventIds), now, NO_CALLBACK_URL),
  ]);
}

/**
 * Claims due callbacks. A claimed callback is never claimed again by another run, even if its post fails.
 * @param claim names this run; the same name claims the same events again
 */
export async function claimCallbacks(
  db: D1Database,
  { eventIds, claim, now }: { eventIds: DueEvent[]; claim: string; now: number },
): Promise<ClaimedCallback[]> {
  const keys = toKeys(eventIds);
  const results = await runBatch(db, [
    db
      .prepare(
        `UPDATE events SET attempted_at = ?2, claim = ?3
         WHERE (message_id, event) IN (SELECT value ->> 'messageId', value ->> 'event' FROM json_each(?1))
           AND callback_due = 1 AND (attempted_at IS NULL OR claim = ?3)`,
      )
      .bind(keys, now, claim),
    db
      .prepare(
        `SELECT e.message_id, e.event, e.occurred_at, m.status, m.phone, m.send_purpose, m.callback_data, c.callback_url,
           c.callback_secret, iif(c.old_until > ?2, c.old_callback_secret, NULL) AS old_callback_secret
         FROM json_each(?1) j CROSS JOIN events e ON e.message_id = j.value ->> 'messageId' AND e.event = j.value ->> 'event'
         JOIN messages m ON m.message_id = e.message_id JOIN clients c ON c.client_id = m.client_id
         WHERE e.claim = ?3 AND e.outcome IS NULL ORDER BY j.key`,
      )
      .bind(keys, now, claim),
  ]);
  return ((results[1]?.results ?? []) as ClaimedRow[]).map(toClaimedCallback);
}

const toKeys = (eventIds: DueEvent[]) => JSON.stringify(eventIds.map(splitEventId));

export function splitEventId(eventId: DueEvent): { messageId: string; event: string } {
  const separator = eventId.indexOf("_");
  return { messageId: eventId.slice(0, separator), event: eventId.slice(separator + 1) };
}

/** A click's event is `CLICK_` and its id; any other is a status. */
export function isClick(event: string): boolean {
  return event.startsWith("CLICK_");
}

type ClaimedRow = Pick<EventRow, "message_id" | "event" | "occurred_at"> &
  Pick<MessageRow, "status" | "phone" | "send_purpose" | "callback_data"> &
  Pick<ClientRow, "callback_url" | "callback_secret" | "old_callback_secret">;

function toClaimedCallback(row: ClaimedRow): ClaimedCallback {
  return {
    eventId: toEventId(row),
    eventType: isClick(row.event) ? "message.clicked" : "message.status",
    messageId: row.message_id,
    // A status event carries the status of that time, a click the current one.
    status: (isClick(row.event) ? row.status : row.event) as MessageStatus,
    occurredAt: row.occurred_at,
    phone: row.phone === null ? null : toE164(row.phone),
    sendPurpose: row.send_purpose,
    callbackData: row.callback_data,
    callbackUrl: row.callback_url,
    callbackSecrets: [row.callback_secret, row.old_callback_secret].filter((secret) => secret !== null),
  };
}

/** Outcome of the single post of a callback. */
export interface CallbackRecord {
  eventId: DueEvent;
  outcome: CallbackOutcome;
  httpStatus: number | null;
  /** The beginning of the response body, or the error. */
  response: string;
  durationMilliseconds: number;
}

export async function recordCallbacks(db: D1Database, records: CallbackRecord[]): Promise<void> {
  const byEventId = Object.fromEntries(records.map((record) => [record.eventId, record]));
  const recorded = (name: keyof CallbackRecord) =>
    `json_extract(?1, '$."' || message_id || '_' || event || '".${name}')`;
  await runBatch(db, [
    db
      .prepare(
        `UPDATE events SET outcome = ${recorded("outcome")}, http_status = ${recorded("httpStatus")},
           response = ${recorded("response")}, duration_ms = ${recorded("durationMilliseconds")}
         WHERE (message_id, event) IN (SELECT value ->> 'messageId', value ->> 'event' FROM json_each(?2))`,
      )
      .bind(JSON.stringify(byEventId), toKeys(records.map(({ eventId }) => eventId))),
  ]);
}

/** Releases callbacks that are unclaimed or under this claim. They must surely not be posted. They count as queued at `now`. */
export async function releaseCallbacks(
  db: D1Database,
  eventIds: DueEvent[],
  claim: string,
  now: number,
): Promise<void> {
  await runBatch(db, [
    db
      .prepare(
        `UPDATE events SET attempted_at = NULL, claim = NULL, queued_at = ?2
         WHERE (message_id, event) IN (SELECT value ->> 'messageId', value ->> 'event' FROM json_each(?1))
           AND (attempted_at IS NULL OR claim = ?3) AND outcome IS NULL`,
      )
      .bind(toKeys(eventIds), now, claim),
  ]);
}
