import type { MessageStatus } from "../../domain/message.ts";
import { toE164 } from "../../domain/phone.ts";
import { runBatch, runQuery } from "./database.ts";
import type { CallbackOutcome, ClientRow, EventRow, MessageRow } from "./rows.ts";

/** An event whose callback waits to be posted, by its id: `<messageId>_<event>`. */
export type DueEvent = string;

/**
 * Writes the event of the present status of each message that has none yet. Run after a change of status in the same
 * transaction, it writes exactly the changes; run again, nothing.
 * @param guard under which condition, on the parameters ?3, ?4 and ?5
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

/** The events that recordEvents wrote and that have a callback to post. */
export function dueEvents(rows: unknown[] | undefined): DueEvent[] {
  const written = (rows ?? []) as Pick<EventRow, "message_id" | "event" | "callback_due">[];
  return written.filter((row) => row.callback_due === 1).map(toEventId);
}

export function toEventId(row: Pick<EventRow, "message_id" | "event">): DueEvent {
  return `${row.message_id}_${row.event}`;
}

/** A callback that this run alone may post. */
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
  /** null: the client's has been taken away. */
  callbackUrl: string | null;
  /** Encrypted; the second is the one being replaced, while it still works. */
  callbackSecrets: string[];
}

/** A callback that nobody has claimed. */
export interface DueCallback {
  eventId: DueEvent;
  messageId: string;
  /** null: there is none to post to any more. */
  callbackUrl: string | null;
}

/** Those of the events whose callback is due and that nobody has claimed, in the order in which they occurred. */
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

/** What the operator reads of a callback that was due when its client's URL was taken away. */
export const NO_CALLBACK_URL = "the client has no callback URL any more";

/**
 * Ends those of the events that nobody has claimed and whose client has no callback URL: a URL that is set later gets none
 * of them. An end is final, so running it again, or late, changes nothing.
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
 * Claims those of the events whose callback is due and that nobody has claimed, ever. What is claimed is never handed
 * out again, whatever becomes of the post.
 * @param claim names these; the same name claims the same events again
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

function splitEventId(eventId: DueEvent): { messageId: string; event: string } {
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
    // Of a change, the status at that time; of a click, the present one.
    status: (isClick(row.event) ? row.status : row.event) as MessageStatus,
    occurredAt: row.occurred_at,
    phone: row.phone === null ? null : toE164(row.phone),
    sendPurpose: row.send_purpose,
    callbackData: row.callback_data,
    callbackUrl: row.callback_url,
    callbackSecrets: [row.callback_secret, row.old_callback_secret].filter((secret) => secret !== null),
  };
}

/** What came of the one post of a callback. */
export interface CallbackRecord {
  eventId: DueEvent;
  outcome: CallbackOutcome;
  httpStatus: number | null;
  /** The beginning of the body that came back, or what went wrong. */
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

/** Puts callbacks back that are surely not posted: what this claim has, and what nobody has. They count as queued at `now`. */
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
