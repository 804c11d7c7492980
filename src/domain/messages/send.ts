// Pure. A single send on its way to the store, and what became of it.
import type { DueEvent } from "../callbacks/callback.ts";
import type { OverLimit } from "./daily-limit.ts";
import type { NewMessage } from "./new-message.ts";

/** What is stored of a message, beside what the store decides. */
export type AcceptedMessage = NewMessage & {
  /** SHA-256 of text, purpose and `sendAt`; null: duplicates are not suppressed. */
  dedupeHash: string | null;
};

/** A single send. The id of its message names the attempt. */
export interface Send {
  message: AcceptedMessage;
  key: SendKey | null;
  /** End of the window in which the same content to the same person is a duplicate; null: duplicates are not suppressed. */
  duplicatesUntil: number | null;
  /** The binding of the website's database. */
  database: string;
  /** The most texts that its website accepts in 24 hours. Left out or null: any number. */
  dailyLimit?: number | null;
}

/** The Idempotency-Key of a send. */
export interface SendKey {
  /** The value of the header. */
  value: string;
  /** SHA-256 of the body in its canonical form. */
  bodyHash: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

export type SendOutcome =
  | {
      kind: "stored";
      /** Whether it must be delivered; otherwise it has no job yet (see isScheduled), or a final status. */
      isPending: boolean;
      due: DueEvent[];
      /** When it may go: milliseconds since 1970. Left out: now, or never. */
      scheduledFor?: number;
    }
  /** Another message holds the key, or is the first with this content. */
  | { kind: "repeated"; messageId: string; scheduledFor?: number }
  /** The key was used with another body. */
  | { kind: "conflict" };

export interface FailedSend {
  kind: "failed";
  isUnavailable: boolean;
  /** It is certainly not stored, as each attempt on each route says; otherwise it may be. */
  isRefused: boolean;
  isFull?: boolean;
  error: string;
}

/** The outcome of a send, or of the attempt to store it. */
export type StoredSend = SendOutcome | FailedSend;

/** Whether a text may go, and so counts towards the daily limit. One with a final status, or that repeats another, costs nothing. */
export function mayGo(outcome: StoredSend): boolean {
  if (outcome.kind === "failed") return outcome.isUnavailable && !outcome.isRefused;
  return outcome.kind === "stored" && (outcome.isPending || outcome.scheduledFor !== undefined);
}

/** Its website has reached its daily limit: the send is not stored. */
export interface RefusedSend {
  kind: "over-limit";
  overLimit: OverLimit;
}
