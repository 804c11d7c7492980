import { ALLOWED_FROM } from "../../domain/message.ts";
import { failureReason, foldReceipts, type Receipt } from "../../domain/receipt.ts";
import { type ClaimedCallback, selectClaimedOf, toClaimedCallbacks } from "./callbacks.ts";
import { runNamed } from "./database.ts";
import {
  type DueEvent,
  dueEvents,
  keepEvent,
  MOST_OWN_CALLBACKS,
  type OwnClaim,
  recordChanges,
  returnKept,
} from "./events.ts";
import { countReceipts } from "./receipt-counts.ts";

/** A receipt with its sender, who can change only its own messages. Without one, it came with the answer to the submission. */
export interface SentReceipt extends Receipt {
  carrier?: string;
}

/**
 * Applies receipts, in their order, in one transaction. Where the status of a message does not allow it, a receipt changes
 * nothing; so does one for an unknown message.
 * @param claim claims the callbacks of the first messages for the caller
 */
export async function recordReceipts(
  db: D1Database,
  receipts: SentReceipt[],
  now: number,
  claim: string | null,
): Promise<{ due: DueEvent[]; callbacks: ClaimedCallback[] }> {
  const ids = receipts.map(({ messageId }) => messageId);
  const { reported, callbacks } = await runNamed(db, {
    reported: receiptStatements(db, receipts, now, claim === null ? null : { claim, most: MOST_OWN_CALLBACKS }),
    callbacks: claim === null ? null : selectClaimedOf(db, ids, claim, now),
  });
  return { due: dueEvents(reported), callbacks: toClaimedCallbacks(callbacks) };
}

/** See recordReceipts. Statements without a message are left out. */
export function receiptStatements(
  db: D1Database,
  receipts: SentReceipt[],
  now: number,
  own: OwnClaim | null,
): D1PreparedStatement[] {
  return [...Map.groupBy(receipts, ({ carrier }) => carrier)].flatMap(([carrier, some], place) => {
    const changes = [...foldReceipts(some).values()];
    return (["sending", "final"] as const).flatMap((name) => {
      const reports = changes.flatMap((change) => change[name] ?? []);
      return reports.length === 0
        ? []
        : applyStatements(db, reports, { carrier, own: name === "final" && place === 0 ? own : null }, now);
    });
  });
}

/** @param receipts one a message: either SENDING or final, all of them */
function applyStatements(
  db: D1Database,
  receipts: Receipt[],
  { carrier, own }: { carrier: string | undefined; own: OwnClaim | null },
  now: number,
) {
  const reports = receipts.map((receipt, place) => ({
    ...receipt,
    code: failureReason(receipt),
    isKept: true,
    isOwn: place < (own?.most ?? 0),
  }));
  const reported = (name: keyof (typeof reports)[number]) =>
    `json_extract(?1, '$."' || messages.message_id || '".${name}')`;
  const status = receipts[0]?.status ?? "SENDING";
  const part = status === "SENDING" ? "sending" : "final";
  const event = { condition: "true", status: reported("status"), isOwn: reported("isOwn"), claim: "?3", now: "?2" };
  const isChanged = (message: string, sender: string) =>
    `${message}.status IN (${ALLOWED_FROM[status].map((from) => `'${from}'`)}) AND (${sender} IS NULL OR ${message}.carrier = ${sender})`;
  const value = carrier ?? null;
  const changed = { now, condition: isChanged("m", "?3"), value };
  return [
    ...(part === "final" ? [countReceipts(db, reports, changed)] : []),
    ...recordChanges(db, reports, changed),
    db
      .prepare(
        `UPDATE messages SET status = ${reported("status")}, reason = ${reported("reason")}, reason_code = ${reported("code")},
           updated_at = ?2, ${keepEvent(part, event)}
         WHERE message_id IN (SELECT key FROM json_each(?1)) AND ${isChanged("messages", "?4")}
         RETURNING ${returnKept(part, "status", "?2")}`,
      )
      .bind(
        JSON.stringify(Object.fromEntries(reports.map((report) => [report.messageId, report]))),
        now,
        own?.claim ?? null,
        value,
      ),
  ];
}
