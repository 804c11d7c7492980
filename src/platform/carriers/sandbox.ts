import type { Carrier, OutboundMessage, Submission } from "./carrier.ts";

/** What happens to a message, by the last four digits of its number. Any other number is delivered. */
const OUTCOMES: Record<string, (message: OutboundMessage) => Submission> = {
  "0001": () => ({ kind: "refused", reason: "sandbox: refused" }),
  "0002": (message) => ({
    ...accept(message),
    receipt: { status: "FAILED_TO_DELIVERY", reason: "sandbox: undelivered" },
  }),
  "0003": (message) => accept(message),
  "0004": (message) =>
    message.attempt === 1
      ? { kind: "later", reason: "sandbox: try again later", retryAfterSeconds: 1 }
      : deliver(message),
  "0005": () => ({ kind: "unknown", reason: "sandbox: unknown outcome" }),
};

function accept(message: OutboundMessage): Submission & { kind: "accepted" } {
  return { kind: "accepted", carrierMessageId: `sandbox-${message.messageId}` };
}

function deliver(message: OutboundMessage): Submission {
  return { ...accept(message), receipt: { status: "DELIVERED", reason: null } };
}

/** A carrier without an account, for development and tests of clients. It sends nothing, and gives its receipts at once. */
export const sandbox: Carrier = {
  async submit(message) {
    return (OUTCOMES[message.to.slice(-4)] ?? deliver)(message);
  },
};
