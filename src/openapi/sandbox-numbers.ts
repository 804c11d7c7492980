// What a text to a number of the sandbox comes to: for docs/, and for the subscribers of the demo.

import type { SandboxNumber } from "../carriers/sandbox.ts";
import type { Reason } from "../domain/messages/reason.ts";

/** Every ending, with what it makes of a text. */
export const SANDBOX_NUMBERS: Record<SandboxNumber, { outcome: string; reasons?: Reason[] }> = {
  "0001": { outcome: "refused: FAILED_TO_SEND", reasons: ["CARRIER_REFUSED"] },
  "0002": { outcome: "SENDING, then FAILED_TO_DELIVERY", reasons: ["UNDELIVERED"] },
  "0003": {
    outcome: "SENDING, then FAILED_TO_DELIVERY after `RECEIPT_WITHIN_HOURS`",
    reasons: ["NO_RECEIPT"],
  },
  "0004": { outcome: '"try again later" once, then DELIVERED' },
  "0005": {
    outcome: "unknown outcome: SENDING, then FAILED_TO_DELIVERY after `RECEIPT_WITHIN_HOURS`",
    reasons: ["OUTCOME_UNKNOWN", "NO_RECEIPT"],
  },
  "0006": {
    outcome: '"try again later" 40 times: FAILED_TO_SEND after about a minute',
    reasons: ["CARRIER_UNAVAILABLE"],
  },
  "0007": { outcome: "refused with `mediaUrl`: FAILED_TO_SEND; without, DELIVERED", reasons: ["MEDIA_NOT_SUPPORTED"] },
  "0008": {
    outcome: "opted out at the carrier: FAILED_TO_SEND, and opted out here",
    reasons: ["OPTED_OUT"],
  },
  "0009": { outcome: "as if no carrier were set up: FAILED_TO_SEND", reasons: ["CARRIER_NOT_SET_UP"] },
  "0010": { outcome: "SENDING, then at once FAILED_TO_DELIVERY", reasons: ["NO_RECEIPT"] },
  "0011": { outcome: "DELIVERED; a second later the person answers STOP" },
  "0012": { outcome: "DELIVERED; a second later the person answers with another text" },
  "0013": { outcome: "DELIVERED; a second later the person follows the link of `clickUrl`" },
  "0014": {
    outcome: "no such number: FAILED_TO_SEND; unreachable after three texts",
    reasons: ["CARRIER_REFUSED", "UNREACHABLE"],
  },
};
