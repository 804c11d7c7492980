// A client or an operator cancels messages that wait for a run, and requests that are kept for their time.
import type { DueEvent } from "../../domain/callbacks/callback.ts";
import type { MessageStatus } from "../../domain/messages/message.ts";
import { dueEvents } from "../callbacks/events.ts";
import { runNamed } from "../database.ts";
import type { MessageRow } from "../rows.ts";
import { prepare, sql } from "../sql.ts";
import { changeStatements } from "./messages.ts";

export interface Cancellation {
  /** Those that are cancelled, now or before. */
  cancelled: Set<string>;
  /** The statuses of the other messages, if they exist. */
  others: Map<string, MessageStatus>;
  due: DueEvent[];
}

/**
 * Cancels the messages of a website among `ids`, in one transaction: a run claims a message before, or never. A kept request becomes a
 * cancelled message that is accepted now. What a run has claimed is not cancelled. Safe to run again.
 * @param reason in words, for the operator
 */
export async function cancelMessages(
  db: D1Database,
  { ids, websiteId, reason, now }: { ids: string[]; websiteId: string; reason: string; now: number },
): Promise<Cancellation> {
  const list = JSON.stringify(ids);
  const kept = sql`json_each(${list}) j CROSS JOIN scheduled_messages kept ON kept.message_id = j.value AND kept.website_id = ${websiteId}`;
  const rows = await runNamed(db, {
    ended: prepare(
      db,
      sql`INSERT INTO messages (message_id, website_id, client_id, phone, email, text, media_url, click_url, callback_data,
          send_purpose, encoding, segments, ignored_fields, requested_at, send_at, expires_at, kind, time_zone, region, opens_at, accepted_at, updated_at, status, reason,
          reason_code)
        SELECT kept.message_id, kept.website_id, kept.client_id, kept.phone, kept.email, kept.text, kept.media_url, kept.click_url, kept.callback_data,
          kept.send_purpose, kept.encoding, kept.segments, kept.ignored_fields, kept.requested_at, kept.send_at, kept.expires_at, kept.kind, kept.time_zone, kept.region, kept.opens_at, ${now}, ${now},
          'FAILED_TO_SEND', ${reason}, 'CANCELLED'
        FROM json_each(${list}) j CROSS JOIN scheduled_as_messages kept ON kept.message_id = j.value
        WHERE kept.website_id = ${websiteId} ON CONFLICT (message_id) DO NOTHING`,
    ),
    released: prepare(
      db,
      sql`DELETE FROM scheduled_messages WHERE message_id IN (SELECT kept.message_id FROM ${kept})`,
    ),
    changed: changeStatements(db, {
      ids,
      websiteId,
      reason,
      now,
      onlyUnclaimed: true,
      status: "FAILED_TO_SEND",
      code: "CANCELLED",
    }),
    states: prepare(
      db,
      sql<Pick<MessageRow, "message_id" | "status" | "reason_code">>`SELECT m.message_id, m.status, m.reason_code
        FROM json_each(${list}) j CROSS JOIN messages m ON m.message_id = j.value WHERE m.website_id = ${websiteId}`,
    ),
  });
  const isCancelled = ({ status, reason_code }: (typeof rows.states)[number]) =>
    status === "FAILED_TO_SEND" && reason_code === "CANCELLED";
  return {
    cancelled: new Set(rows.states.filter(isCancelled).map((row) => row.message_id)),
    others: new Map(rows.states.filter((row) => !isCancelled(row)).map((row) => [row.message_id, row.status])),
    due: dueEvents(rows.changed),
  };
}
