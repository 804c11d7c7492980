// A client or an operator cancels messages that wait for a run, or for their time.
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
 * Cancels the messages of a website among `ids`, in one transaction: a run claims a message before, or never. What a run has
 * claimed is not cancelled. Safe to run again.
 * @param reason in words, for the operator
 */
export async function cancelMessages(
  db: D1Database,
  { ids, websiteId, reason, now }: { ids: string[]; websiteId: string; reason: string; now: number },
): Promise<Cancellation> {
  const rows = await runNamed(db, {
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
        FROM json_each(${JSON.stringify(ids)}) j CROSS JOIN messages m ON m.message_id = j.value WHERE m.website_id = ${websiteId}`,
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
