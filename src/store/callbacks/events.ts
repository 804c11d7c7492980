// The events of messages: each change of a status, and a person's first clicks. notices.ts has the other events.
import type { DueEvent } from "../../domain/callbacks/callback.ts";
import type { EventRow } from "../rows.ts";
import { piece, prepare, type Query, type Sql, sql } from "../sql.ts";

const ALWAYS = piece("true");

/**
 * Writes the event of each message's status, unless it is stored already. Run after a change of status in the same transaction, it
 * writes exactly the changes; run again, it writes nothing. A pending message has no event.
 * @param condition on the message `m`
 * @returns a statement whose rows dueEvents reads
 */
export function recordEvents(
  db: D1Database,
  messageIds: string[],
  now: number,
  condition: Sql = ALWAYS,
): Query<WrittenEvent> {
  return prepare(
    db,
    sql<WrittenEvent>`INSERT INTO events (website_id, client_id, message_id, event, occurred_at, reason_code, due_at)
      SELECT m.website_id, m.client_id, m.message_id, m.status, m.updated_at, m.reason_code,
        iif(m.callback_data <> '' AND m.is_restored = 0 AND c.callback_url IS NOT NULL
          AND (c.events IS NULL OR instr(c.events, '"message.status"') > 0), ${now}, NULL)
      FROM json_each(${JSON.stringify(messageIds)}) j CROSS JOIN messages m ON m.message_id = j.value
        LEFT JOIN clients c ON c.client_id = m.client_id
      WHERE m.status <> 'PENDING_TO_SEND' AND ${condition}
      ON CONFLICT (message_id, event) DO NOTHING RETURNING message_id, event, due_at`,
  );
}

type WrittenEvent = Pick<EventRow, "message_id" | "event" | "due_at">;

/** The events with a callback to post, among the rows that were written. */
export function dueEvents(rows: unknown[]): DueEvent[] {
  return (rows as WrittenEvent[]).filter((row) => row.due_at !== null).map(toEventId);
}

export function toEventId(row: Pick<EventRow, "message_id" | "event">): DueEvent {
  return `${row.message_id}_${row.event}`;
}

export function splitEventId(eventId: DueEvent): { messageId: string; event: string } {
  const separator = eventId.indexOf("_");
  return { messageId: eventId.slice(0, separator), event: eventId.slice(separator + 1) };
}

/** The keys of events, as a list for json_each. */
export function toKeys(eventIds: DueEvent[]): string {
  return JSON.stringify(eventIds.map(splitEventId));
}

/** A click's event is `CLICK_` and its id; any other of a message is a status. */
export function isClick(event: string): boolean {
  return event.startsWith("CLICK_");
}
