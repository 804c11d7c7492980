import type { Keyword } from "../../domain/keyword.ts";
import type { Receipt } from "../../domain/receipt.ts";
import type { Segments } from "../../domain/segments.ts";

/** What a carrier is asked to bring to a handset. */
export interface OutboundMessage {
  messageId: string;
  /** E.164 */
  to: string;
  /** As the carrier knows it; null where the website names none. */
  from: string | null;
  text: string;
  encoding: Segments["encoding"];
  mediaUrl: string | null;
  /** Submissions begun, this one included. */
  attempt: number;
}

/**
 * How a submission ended. The line between `later` and `unknown` is the one between a message sent once and one sent
 * twice: `later` says that the carrier surely has not taken it. `failing`: it is the carrier that fails, not this message;
 * `unauthorized`: by not taking our credentials, which only the operator can mend.
 */
export type Submission =
  | { kind: "accepted"; carrierMessageId: string | null; receipt?: Omit<Receipt, "messageId"> }
  /** `optedOut`: the person has opted out at the carrier. */
  | { kind: "refused"; reason: string; optedOut?: boolean }
  | { kind: "later"; reason: string; retryAfterSeconds?: number; failing?: boolean; unauthorized?: boolean }
  | { kind: "unknown"; reason: string; failing?: boolean };

/** What a carrier posts to us, its body already read. */
export interface CarrierRequest {
  method: string;
  /** Under the public origin, as the carrier was given it: what it signs. */
  url: URL;
  headers: Headers;
  body: string;
  /** Milliseconds since 1970. */
  now: number;
}

/** A text that a person sent. */
export interface InboundText {
  /** The carrier's own id: the same text may come again. */
  carrierMessageId: string;
  /** E.164, or what else the carrier gives. */
  from: string;
  /** Under which names a website may have this number as its sender. */
  to: string[];
  text: string;
  /** What the carrier has taken the text for, where it reads keywords itself (it may know other words for them). */
  keyword: Keyword | null;
  /** The carrier has already answered the keyword itself. */
  answeredByCarrier: boolean;
}

/** What has been proven to come from the carrier; `forged` for anything else: altered, stale, of another form. */
export type Verified<T> = { kind: "verified"; reports: T[] } | { kind: "forged" };

export interface Carrier {
  /** What is wrong with a website's sender, in a few words; undefined when nothing is. */
  validateSender(sender: string | null): string | undefined;
  /** Submits once. What it throws counts as `unknown`. */
  submit(message: OutboundMessage): Promise<Submission>;
  readReceipts(request: CarrierRequest): Promise<Verified<Receipt>>;
  readInbound(request: CarrierRequest): Promise<Verified<InboundText>>;
}

export const FORGED = { kind: "forged" } as const;
