import { type Carrier, FORGED, type OutboundMessage, type Submission } from "./carrier.ts";

/** Outcomes by the last four digits of the number. Any other number is delivered. */
const OUTCOMES: Record<string, (message: OutboundMessage) => Submission> = {
  "0001": () => ({ kind: "refused", reason: "sandbox: refused" }),
  "0002": (message) => accept(message, { status: "FAILED_TO_DELIVERY", reason: "sandbox: undelivered" }),
  "0003": (message) => accept(message),
  "0004": (message) =>
    message.attempt === 1
      ? { kind: "later", reason: "sandbox: try again later", retryAfterSeconds: 1 }
      : deliver(message),
  "0005": () => ({ kind: "unknown", reason: "sandbox: unknown outcome" }),
};

const deliver = (message: OutboundMessage) => accept(message, { status: "DELIVERED", reason: null });

function accept(
  { messageId }: OutboundMessage,
  receipt?: { status: "DELIVERED" | "FAILED_TO_DELIVERY"; reason: string | null },
): Submission {
  const carrierMessageId = `sandbox-${messageId}`;
  if (!receipt) return { kind: "accepted", carrierMessageId };
  return { kind: "accepted", carrierMessageId, receipt: { ...receipt, carrierMessageId, optedOut: false } };
}

/** A carrier without an account, for development and tests of clients. It sends nothing, and reports receipts immediately. */
export const sandbox: Carrier = {
  validateSender: () => undefined,
  submit: async (message) => (OUTCOMES[message.to.slice(-4)] ?? deliver)(message),
  readReceipts: async () => FORGED,
  readInbound: async () => FORGED,
};
