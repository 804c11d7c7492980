/** What the simulated SMSC does with a message, chosen by the last four digits of its destination. */

import { type MessageState, Status } from "./smpp.ts";

export interface PlannedReceipt {
  state: MessageState;
  /** The network's own error code, three digits. */
  error: string;
  /** When it is sent, in receipt delays after the message was accepted. */
  delays: number;
  /** It has no text: the TLVs alone say what it is about. */
  hasNoText?: true;
}

export interface Outcome {
  name: string;
  receipts: readonly PlannedReceipt[];
  /** The submit_sm is refused with this status. */
  refusal?: { status: number; firstTimeOnly: boolean; onlyPart?: number };
  /** The submit_sm is never answered at all. */
  unanswered?: true;
}

const deliveredReceipt: PlannedReceipt = { state: "DELIVRD", error: "000", delays: 1 };

const DELIVERED: Outcome = { name: "delivered", receipts: [deliveredReceipt] };

const BY_LAST_FOUR_DIGITS: Readonly<Record<string, Outcome>> = {
  "0001": { name: "undelivered", receipts: [{ state: "UNDELIV", error: "001", delays: 1 }] },
  "0002": { name: "rejected", receipts: [{ state: "REJECTD", error: "009", delays: 1 }] },
  "0003": { name: "expired", receipts: [{ state: "EXPIRED", error: "027", delays: 1 }] },
  "0004": { name: "no receipt", receipts: [] },
  "0005": {
    name: "invalid destination",
    receipts: [],
    refusal: { status: Status.invalidDestination, firstTimeOnly: false },
  },
  "0006": {
    name: "throttled once",
    receipts: [deliveredReceipt],
    refusal: { status: Status.throttled, firstTimeOnly: true },
  },
  "0007": {
    name: "system error once",
    receipts: [deliveredReceipt],
    refusal: { status: Status.systemError, firstTimeOnly: true },
  },
  "0008": {
    name: "accepted, then delivered",
    receipts: [
      { state: "ACCEPTD", error: "000", delays: 1 },
      { ...deliveredReceipt, delays: 2 },
    ],
  },
  "0009": { name: "receipt twice", receipts: [deliveredReceipt, { ...deliveredReceipt, delays: 2 }] },
  "0010": { name: "unanswered", receipts: [], unanswered: true },
  "0011": { name: "late receipt", receipts: [{ ...deliveredReceipt, delays: 25 }] },
  "0012": { name: "unknown state", receipts: [{ state: "UNKNOWN", error: "000", delays: 1 }] },
  "0013": { name: "undelivered, in TLVs", receipts: [{ state: "UNDELIV", error: "034", delays: 1, hasNoText: true }] },
  "0014": {
    name: "second part refused",
    receipts: [deliveredReceipt],
    refusal: { status: Status.invalidDestination, firstTimeOnly: false, onlyPart: 2 },
  },
};

export function outcomeFor(destination: string): Outcome {
  return BY_LAST_FOUR_DIGITS[destination.slice(-4)] ?? DELIVERED;
}
