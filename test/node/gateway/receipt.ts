/** A delivery receipt as a deliver_sm: the outcome stands in its text, and again in two TLVs. */

import { EsmClass, encodeDeliverSm, type MessageState, receiptTlvs, type ShortMessage } from "./smpp.ts";

export interface Receipt {
  messageId: string;
  state: MessageState;
  /** The network's own error code, three digits. */
  error: string;
  submittedAt: Date;
  /** It has no text: the TLVs alone say what it is about. */
  hasNoText?: boolean | undefined;
}

/** It comes back the way the message went: from the phone to the sender. */
export function encodeReceipt(message: ShortMessage, receipt: Receipt): Buffer {
  return encodeDeliverSm({
    from: message.to,
    to: message.from,
    esmClass: EsmClass.receipt,
    dataCoding: 0,
    octets: Buffer.from(receipt.hasNoText ? "" : receiptText(message, receipt), "latin1"),
    tlvs: receiptTlvs(receipt.messageId, receipt.state, receipt.hasNoText ? Number(receipt.error) : undefined),
  });
}

/** The form of SMPP 3.4, appendix B: a gateway that does not read TLVs finds the state here. */
function receiptText({ text }: ShortMessage, { messageId, state, error, submittedAt }: Receipt): string {
  const delivered = state === "DELIVRD" ? "001" : "000";
  return [
    `id:${messageId} sub:001 dlvrd:${delivered}`,
    `submit date:${receiptDate(submittedAt)} done date:${receiptDate(new Date())}`,
    `stat:${state} err:${error} text:${text.replace(/[^ -~]/g, ".").slice(0, 20)}`,
  ].join(" ");
}

/** YYMMDDhhmm */
function receiptDate(date: Date): string {
  return date.toISOString().replace(/\D/g, "").slice(2, 12);
}
