import type { DueEvent } from "../../domain/callbacks/callback.ts";
import type { AboutMessage } from "../../domain/messages/carrier-words.ts";
import { ALLOWED_FROM } from "../../domain/messages/message.ts";
import { failureReason, foldReceipts, type Receipt } from "../../domain/messages/receipt.ts";
import { toE164 } from "../../domain/people/phone.ts";
import { dueEvents, recordEvents } from "../callbacks/events.ts";
import { runBatch, runQuery } from "../database.ts";
import { countReceipts } from "../operations/receipt-counts.ts";
import type { MessageRow } from "../rows.ts";
import { prepare, sql } from "../sql.ts";
import { type FoundFaults, faultStatements } from "./number-faults.ts";

/** A receipt with its sender, who can change only its own messages. Without one, it came with the answer to the submission. */
export interface SentReceipt extends Receipt {
  carrier?: string;
}

/** What was submitted to whom, by message id: the words of a carrier are compared with it. */
export async function readSubmitted(db: D1Database, ids: string[]): Promise<Map<string, AboutMessage>> {
  const rows = await runQuery<Pick<MessageRow, "message_id" | "text" | "phone">>(
    prepare(
      db,
      sql`SELECT m.message_id, m.text, m.phone FROM json_each(${JSON.stringify(ids)}) j
        CROSS JOIN messages m ON m.message_id = j.value`,
    ),
  );
  return new Map(
    rows.map(({ message_id, text, phone }) => [message_id, { text, phone: phone === null ? null : toE164(phone) }]),
  );
}

/**
 * Applies receipts, in their order, in one transaction. Where the status of a message does not allow it, a receipt changes
 * nothing; so does one for an unknown message.
 */
export async function recordReceipts(db: D1Database, receipts: SentReceipt[], now: number): Promise<DueEvent[]> {
  const results = await runBatch(db, receiptStatements(db, receipts, now));
  return dueEvents(results.flatMap(({ results }) => results));
}

/** See recordReceipts; some of the statements have rows for dueEvents. Statements without a message are left out. */
export function receiptStatements(db: D1Database, receipts: SentReceipt[], now: number): D1PreparedStatement[] {
  return [...Map.groupBy(receipts, ({ carrier }) => carrier ?? null)].flatMap(([carrier, some]) => {
    const changes = [...foldReceipts(some).values()];
    return (["sending", "final"] as const).flatMap((name) => {
      const reports = changes.flatMap((change) => change[name] ?? []);
      return reports.length === 0 ? [] : applyStatements(db, reports, carrier, now);
    });
  });
}

/**
 * @param receipts one a message: either SENDING or final, all of them
 * @param carrier null: any
 */
function applyStatements(db: D1Database, receipts: Receipt[], carrier: string | null, now: number) {
  const reports = JSON.stringify(receipts.map((receipt) => ({ ...receipt, code: failureReason(receipt) })));
  const status = receipts[0]?.status ?? "SENDING";
  const allowedFrom = JSON.stringify(ALLOWED_FROM[status]);
  const isChanged = sql`m.status IN (SELECT value FROM json_each(${allowedFrom}))
    AND (${carrier} IS NULL OR m.carrier = ${carrier})`;
  return [
    ...(status === "SENDING" ? [] : [countReceipts(db, reports, isChanged, now)]),
    ...faultStatements(db, toFaults(receipts), isChanged, now),
    prepare(
      db,
      sql`UPDATE messages AS m SET status = r.status, reason = r.reason, reason_code = r.code, updated_at = ${now}, due_at = NULL,
          carrier_message_id = coalesce(m.carrier_message_id, r.carrier_message_id)
        FROM (SELECT value ->> 'messageId' AS message_id, value ->> 'status' AS status, value ->> 'reason' AS reason,
          value ->> 'code' AS code, value ->> 'carrierMessageId' AS carrier_message_id FROM json_each(${reports})) r
        WHERE m.message_id = r.message_id AND ${isChanged}`,
    ),
    ...(status === "SENDING" && receipts.some(({ reason }) => reason !== null)
      ? [keepWords(db, reports, carrier)]
      : []),
    recordEvents(
      db,
      receipts.map(({ messageId }) => messageId),
      now,
    ),
  ];
}

/** The words of a receipt after which the deadline decides: the message is SENDING, and ends with them if nothing else comes. */
function keepWords(db: D1Database, reports: string, carrier: string | null): D1PreparedStatement {
  return prepare(
    db,
    sql`UPDATE messages AS m SET reason = r.reason
      FROM (SELECT value ->> 'messageId' AS message_id, value ->> 'reason' AS reason FROM json_each(${reports})) r
      WHERE m.message_id = r.message_id AND r.reason IS NOT NULL AND m.status = 'SENDING'
        AND (${carrier} IS NULL OR m.carrier = ${carrier})`,
  );
}

function toFaults(receipts: Receipt[]): FoundFaults {
  return {
    faults: receipts.flatMap(({ messageId, status, numberFault }) =>
      status === "FAILED_TO_DELIVERY" && numberFault ? { messageId, numberFault } : [],
    ),
    delivered: receipts.flatMap(({ messageId, status }) => (status === "DELIVERED" ? messageId : [])),
  };
}
