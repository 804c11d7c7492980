// Pure. A delivery receipt: the report of a carrier about a message that it has accepted.
import * as z from "zod/mini";

export const receiptSchema = z.object({
  messageId: z.string(),
  status: z.enum(["SENDING", "DELIVERED", "FAILED_TO_DELIVERY"]),
  reason: z.nullable(z.string()),
  /** null when the carrier gives none. */
  carrierMessageId: z.nullable(z.string()),
  /** Whether the person has opted out at the carrier. */
  optedOut: z.boolean(),
});

export type Receipt = z.output<typeof receiptSchema>;

/** What receipts change of one message. */
export interface ReceiptChange {
  /** The first report that the carrier has it; null: none, or none before the final one. */
  sending: Receipt | null;
  /** The first final report. */
  final: Receipt | null;
}

/** What receipts change when they are applied one after the other: by message id. A final status stays. */
export function foldReceipts(receipts: readonly Receipt[]): Map<string, ReceiptChange> {
  const changes = new Map<string, ReceiptChange>();
  for (const receipt of receipts) {
    const change = changes.get(receipt.messageId) ?? { sending: null, final: null };
    changes.set(receipt.messageId, change);
    if (change.final) continue;
    if (receipt.status === "SENDING") change.sending ??= receipt;
    else change.final = receipt;
  }
  return changes;
}
