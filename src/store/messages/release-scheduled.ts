// Shortly before its time, a kept request becomes a message, and a cancelled one becomes a cancelled message.
import type { DueEvent } from "../../domain/callbacks/callback.ts";
import type { MessageKind } from "../../domain/messages/kind.ts";
import { dueEvents, recordEvents } from "../callbacks/events.ts";
import { runNamed, runQuery, toJsonLists } from "../database.ts";
import { prepare, sql } from "../sql.ts";
import { insertLinks, insertMessages } from "./new-messages.ts";
import { RELEASED_BEFORE_MILLISECONDS, type ScheduledMessageRow, type TimeOfKept } from "./scheduled.ts";

/** Scheduled messages that one transaction stores. */
const RELEASED_A_STEP = 1000;

/** What the release of kept requests has stored. */
export interface Released {
  /** `at`: when the message may go, in milliseconds since 1970. */
  messages: { messageId: string; at: number }[];
  due: DueEvent[];
}

/**
 * Stores the kept requests whose time comes soon as messages, in one transaction. Each is accepted now: its recipient's subscription
 * decides its status. What was cancelled or erased meanwhile is not stored. Safe to run again.
 * @returns the first RELEASED_A_STEP of them
 */
export async function releaseScheduled(db: D1Database, now: number): Promise<Released> {
  const rows = await runQuery<TimeOfKept & Pick<ScheduledMessageRow, "requested_at" | "request">>(
    prepare(
      db,
      sql`SELECT message_id, send_at, requested_at, request FROM scheduled_messages
        WHERE send_at <= ${now + RELEASED_BEFORE_MILLISECONDS} ORDER BY send_at LIMIT ${RELEASED_A_STEP}`,
    ),
  );
  if (rows.length === 0) return { messages: [], due: [] };
  const ids = rows.map((row) => row.message_id);
  // Its website may have got a frequency cap since the client asked: see kindToStore.
  const kind: MessageKind = "marketing";
  const requests = rows.map((row) => ({
    kind,
    ...JSON.parse(row.request),
    acceptedAt: now,
    requestedAt: row.requested_at,
  }));
  const lists = [...toJsonLists(requests)];
  const isStillKept = sql`EXISTS (SELECT 1 FROM scheduled_messages kept WHERE kept.message_id = r.message_id)`;
  const isOfStored = sql`EXISTS (SELECT 1 FROM scheduled_messages kept WHERE kept.message_id = m.message_id)`;
  const { events } = await runNamed(db, {
    inserted: lists.map((list) => prepare(db, insertMessages(list, isStillKept))),
    events: recordEvents(db, ids, now),
    links: lists.map((list) => insertLinks(db, list, isOfStored)),
    released: prepare(
      db,
      sql`DELETE FROM scheduled_messages WHERE message_id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
    ),
  });
  const messages = rows.map((row) => ({ messageId: row.message_id, at: row.send_at }));
  return { messages, due: dueEvents(events) };
}
