import type { Reason } from "../domain/messages/reason.ts";
import type { Receipt } from "../domain/messages/receipt.ts";
import { type Carrier, FORGED, type OutboundMessage, type Submission } from "./carrier.ts";

/** The carrier's name. */
export const SANDBOX = "sandbox";

type Outcome = (message: OutboundMessage) => Submission;

/** Outcomes by the last four digits of the number. Any other number is delivered. */
const OUTCOMES = {
  "0001": () => ({ kind: "refused", reason: "sandbox: refused" }),
  "0002": (message) => accept(message, { status: "FAILED_TO_DELIVERY", reason: "sandbox: undelivered" }),
  "0003": (message) => accept(message),
  "0004": (message) =>
    message.attempt === 1
      ? { kind: "later", reason: "sandbox: try again later", retryAfterSeconds: 1 }
      : deliver(message),
  "0005": () => ({ kind: "unknown", reason: "sandbox: unknown outcome" }),
  "0006": () => ({ kind: "later", reason: "sandbox: unavailable", retryAfterSeconds: 1 }),
  "0007": (message) =>
    message.mediaUrl === null
      ? deliver(message)
      : { kind: "refused", code: "MEDIA_NOT_SUPPORTED", reason: "sandbox: no media" },
  "0008": () => ({ kind: "refused", reason: "sandbox: opted out at the carrier", optedOut: true }),
  "0009": () => ({
    kind: "refused",
    code: "CARRIER_NOT_SET_UP",
    reason: "sandbox: as if its carrier were not set up",
  }),
  "0010": (message) =>
    accept(message, {
      status: "FAILED_TO_DELIVERY",
      code: "NO_RECEIPT",
      reason: "sandbox: as if no receipt had come",
    }),
  "0011": (message) => ({ ...deliver(message), rehearses: "stop" }),
  "0012": (message) => ({ ...deliver(message), rehearses: "text" }),
  "0013": (message) => ({ ...deliver(message), rehearses: "click" }),
  "0014": () => ({ kind: "refused", reason: "sandbox: no such number", numberFault: "sandbox" }),
} satisfies Record<string, Outcome>;

export type SandboxNumber = keyof typeof OUTCOMES;

const deliver = (message: OutboundMessage) => accept(message, { status: "DELIVERED", reason: null });

function accept(
  { messageId }: OutboundMessage,
  receipt?: Pick<Receipt, "status" | "reason"> & { code?: Reason },
): Submission & { kind: "accepted" } {
  const carrierMessageId = `sandbox-${messageId}`;
  if (!receipt) return { kind: "accepted", carrierMessageId };
  return { kind: "accepted", carrierMessageId, receipt: { ...receipt, carrierMessageId, optedOut: false } };
}

/** A carrier without an account, for development and tests of clients. It sends nothing, and reports receipts immediately. */
export const sandbox: Carrier = {
  validateSender: () => undefined,
  submit: async (message) => {
    const outcomes: Record<string, Outcome> = OUTCOMES;
    return (outcomes[message.to.slice(-4)] ?? deliver)(message);
  },
  readReceipts: async () => FORGED,
  readInbound: async () => FORGED,
};
