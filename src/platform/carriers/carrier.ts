import type { Receipt } from "../../domain/job.ts";

/** What a carrier is asked to bring to a handset. */
export interface OutboundMessage {
  messageId: string;
  /** E.164 */
  to: string;
  /** As the carrier knows it; null where the website names none. */
  from: string | null;
  text: string;
  mediaUrl: string | null;
  /** Submissions begun, this one included. */
  attempt: number;
}

/**
 * How a submission ended. The line between `later` and `unknown` is the one between a message sent once and one sent
 * twice: `later` says that the carrier surely has not taken it.
 */
export type Submission =
  | { kind: "accepted"; carrierMessageId: string; receipt?: Omit<Receipt, "messageId"> }
  | { kind: "refused"; reason: string }
  | { kind: "later"; reason: string; retryAfterSeconds?: number }
  | { kind: "unknown"; reason: string };

export interface Carrier {
  /** Submits once. What it throws counts as `unknown`. */
  submit(message: OutboundMessage): Promise<Submission>;
}
