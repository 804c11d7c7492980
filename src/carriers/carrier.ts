import type { Paused } from "../domain/messages/circuit-breaker.ts";
import type { Rehearsal } from "../domain/messages/job.ts";
import type { Reason } from "../domain/messages/reason.ts";
import type { Receipt } from "../domain/messages/receipt.ts";
import type { Segments } from "../domain/messages/segments.ts";
import type { Keyword } from "../domain/people/keyword.ts";

/** A message to submit. */
export interface OutboundMessage {
  messageId: string;
  /** E.164 */
  to: string;
  /** In the carrier's form; null if the website has none. */
  from: string | null;
  text: string;
  encoding: Segments["encoding"];
  mediaUrl: string | null;
  /** Submissions started, including this one. */
  attempt: number;
  /** For how long the carrier may try to deliver it, at least 1. Left out: as long as the carrier does. */
  validSeconds?: number;
}

/**
 * Outcome of a submission; `reason` is in words, for the operator. The line between `later` and `unknown` decides between sending once
 * and sending twice: `later` says that the carrier has not taken the message. `failing`: what fails, if it is not this message: the sender
 * (its queue is full, say), our account or the carrier. `unauthorized`: the carrier rejects our account, which only the operator can fix. `exhausted`: this invocation may make no more
 * requests. `lingers`: a connection attempt that goes on after the submission; the promise settles once the attempt ends.
 */
export type Submission =
  /** `rehearses`: what the person does a second later, in the sandbox. */
  | {
      kind: "accepted";
      carrierMessageId: string | null;
      receipt?: Omit<Receipt, "messageId">;
      rehearses?: Rehearsal["act"];
    }
  /**
   * `optedOut`: the person has opted out at the carrier. Without a `code`, it is OPTED_OUT or CARRIER_REFUSED. `numberFault`: the carrier's code
   * of a permanent fault of the number. `about`: another sender or carrier may take the text. Left out: the number or the text is refused.
   */
  | { kind: "refused"; reason: string; code?: Reason; optedOut?: boolean; numberFault?: string; about?: Paused }
  | {
      kind: "later";
      reason: string;
      retryAfterSeconds?: number;
      failing?: Paused;
      unauthorized?: boolean;
      exhausted?: boolean;
      lingers?: Promise<unknown>;
    }
  | { kind: "unknown"; reason: string; failing?: "carrier" };

/** A webhook request of a carrier, with its body read. */
export interface CarrierRequest {
  method: string;
  /** Under the public origin: the URL that the carrier was given. */
  url: URL;
  /** The URL exactly as it was requested: the class URL changes quotation marks and angle brackets. Left out: `url` is exact. */
  rawUrl?: string;
  headers: Headers;
  body: string;
  /** Milliseconds since 1970. */
  now: number;
}

/** A text that a person sent. */
export interface InboundText {
  /** The carrier's own id. A carrier may deliver a text more than once. */
  carrierMessageId: string;
  /** The carrier gave no id, so it was made up of the words and of the carrier's time; `without-time`: of the minute in which the text came. */
  madeId?: "with-time" | "without-time";
  /** E.164, or as the carrier gives it. */
  from: string;
  /** Every name under which a website may have this sender. Empty: the carrier does not say what was texted. */
  to: string[];
  text: string;
  /** What counts only if it opts out: the payload of a button that the person has tapped, the subject of an MMS. */
  besides?: string[];
  /** A STOP there counts for texts, too. Nothing else does: it is no consent to texts, and our answer would be a text. */
  isByWhatsApp?: boolean;
  /** URLs of the media that came with it. Absent: none. */
  mediaUrls?: string[];
  /** When the carrier got it, by its own clock: milliseconds since 1970. Absent: it does not say. */
  sentAt?: number;
  /** The keyword that the carrier recognized, if it reads keywords itself (it may know more words). */
  keyword: Keyword | null;
  /** The carrier has already answered the text itself. */
  answeredByCarrier: boolean;
  /** The character set that the carrier names, if it is not known: the text was read as UTF-8. */
  unknownCharset?: string;
}

/**
 * `forged`: not proven to come from the carrier: altered, stale or malformed. `unknown`: a receipt whose status is in no table
 * here. It changes nothing, and the operator must learn of it. `isOurs`: it is about a text of ours, and no text of a person.
 */
export type Verified<T> =
  | { kind: "verified"; reports: T[]; unknown?: UnknownReceipt; isOurs?: boolean }
  | { kind: "forged" };

export interface UnknownReceipt {
  messageId: string | null;
  status: string;
}

export interface Carrier {
  /** @returns an error in a few words; undefined if the sender is valid */
  validateSender(sender: string | null): string | undefined;
  /** Submits once. A thrown error counts as `unknown`. */
  submit(message: OutboundMessage): Promise<Submission>;
  readReceipts(request: CarrierRequest): Promise<Verified<Receipt>>;
  readInbound(request: CarrierRequest): Promise<Verified<InboundText>>;
}

export const FORGED = { kind: "forged" } as const;
