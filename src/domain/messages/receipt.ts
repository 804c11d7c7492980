// Pure. A delivery receipt: the report of a carrier about a message that it has accepted.
import * as z from "zod";
import { stripWords } from "./carrier-words.ts";
import type { Reason } from "./reason.ts";

export const receiptSchema = z.object({
  messageId: z.string(),
  status: z.enum(["SENDING", "DELIVERED", "FAILED_TO_DELIVERY"]),
  /** In words, for the operator. */
  reason: z.string().nullable(),
  /** See reason.ts. Absent: what failureReason says. */
  code: z.string().nullish(),
  /** The carrier's own code of what went wrong. */
  carrierCode: z.string().nullish(),
  /** The same, if it says that no text reaches the number. */
  numberFault: z.string().nullish(),
  /** null when the carrier gives none. */
  carrierMessageId: z.string().nullable(),
  /** Whether the person has opted out at the carrier. */
  optedOut: z.boolean(),
});

export type Receipt = z.output<typeof receiptSchema>;

/** Limit of a stored reason: the outcomes of a job are stored as one value and queued as one message. */
export const REASON_CHARACTERS = 300;

/** No id of ours is longer; one that is cut names no message. */
const ID_CHARACTERS = 100;

/** The longest code of a carrier that is kept: Twilio's and Telnyx's have five characters. */
const CODE_CHARACTERS = 20;

/** The receipt with the carrier's words cut, because their length has no limit, and without what they quote and any number. */
export function cutReceipt(receipt: Receipt): Receipt {
  return {
    ...receipt,
    messageId: receipt.messageId.slice(0, ID_CHARACTERS),
    reason: receipt.reason === null ? null : stripWords(receipt.reason).slice(0, REASON_CHARACTERS),
    ...(receipt.carrierCode ? { carrierCode: receipt.carrierCode.slice(0, CODE_CHARACTERS) } : {}),
    carrierMessageId: receipt.carrierMessageId?.slice(0, ID_CHARACTERS) ?? null,
  };
}

/** The code of the reason that is stored with a receipt; null unless it reports a failure. */
export function failureReason({ status, code, optedOut }: Receipt): string | null {
  if (status !== "FAILED_TO_DELIVERY") return null;
  const usual: Reason = optedOut ? "OPTED_OUT" : "UNDELIVERED";
  return code ?? usual;
}

/** What receipts change of one message. */
export interface ReceiptChange {
  /** The first report that the carrier has it, or else the latest with words; null: none, or none before the final one. */
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
    if (receipt.status === "SENDING") change.sending = receipt.reason === null ? (change.sending ?? receipt) : receipt;
    else change.final = receipt;
  }
  return changes;
}
