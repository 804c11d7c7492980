// Pure. The statuses of a message and the transitions between them.
import type { MessageKind } from "./kind.ts";
import type { Reason } from "./reason.ts";
import type { Segments } from "./segments.ts";

export const MESSAGE_STATUSES = [
  "PENDING_TO_SEND",
  "SENDING",
  "DELIVERED",
  "FAILED_TO_DELIVERY",
  "FAILED_TO_SEND",
  "NOT_FOUND",
  "NOT_SUBSCRIBED",
  "FAILED_TO_MATCH",
] as const;

export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/**
 * For each status, the statuses that it may follow. A status that no other may follow is final. DELIVERED may follow
 * PENDING_TO_SEND: a receipt may arrive before the answer to the submission is stored.
 */
export const ALLOWED_FROM = {
  PENDING_TO_SEND: [],
  SENDING: ["PENDING_TO_SEND"],
  DELIVERED: ["PENDING_TO_SEND", "SENDING"],
  FAILED_TO_DELIVERY: ["PENDING_TO_SEND", "SENDING"],
  FAILED_TO_SEND: ["PENDING_TO_SEND"],
  NOT_FOUND: [],
  NOT_SUBSCRIBED: ["PENDING_TO_SEND"],
  FAILED_TO_MATCH: [],
} as const satisfies Record<MessageStatus, readonly MessageStatus[]>;

/** Messages in these statuses were surely never sent. */
export const NEVER_SENT = [
  "NOT_FOUND",
  "NOT_SUBSCRIBED",
  "FAILED_TO_MATCH",
  "FAILED_TO_SEND",
] as const satisfies MessageStatus[];

/** An accepted send request, before it has a recipient and a status. Absent optional fields are null. */
export interface NewMessage extends Segments {
  messageId: string;
  websiteId: string;
  clientId: string;
  /** E.164 as digits; null when the recipient is named by e-mail address. */
  phone: number | null;
  /** In lower case; null when a phone number is given. */
  email: string | null;
  text: string;
  mediaUrl: string | null;
  clickUrl: string | null;
  /** The code of the link that replaces clickUrl in the text; null without clickUrl. */
  linkCode: string | null;
  callbackData: string;
  sendPurpose: string;
  /** Names of fields of the request that were ignored. Left out: none. */
  ignoredFields?: string[];
  /** Milliseconds since 1970. */
  acceptedAt: number;
  /** No run claims it before: milliseconds since 1970. Left out: it may go at once. */
  sendAt?: number;
  /** No run claims it from then on: milliseconds since 1970. Left out: see SUBMIT_WITHIN_HOURS. */
  expiresAt?: number;
  /** See kindToStore. */
  kind?: MessageKind;
  /** Where the person is, as the client says: an IANA name, and an ISO 3166-2 code. */
  timeZone?: string;
  region?: string;
  /** Sending hours have set `sendAt`: when they open. Left out: they have not. */
  opensAt?: number;
  /** It is not sent, and fails as soon as it is stored, unless its recipient makes it final. Left out: it may go. */
  refusedAs?: Reason;
  /** In words, for the operator. */
  refusedBecause?: string;
}
