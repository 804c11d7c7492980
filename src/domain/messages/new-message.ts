// Pure. What is stored of an accepted send request.
import type { MessageKind } from "./kind.ts";
import type { Reason } from "./reason.ts";
import type { Segments } from "./segments.ts";

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
  /** Left out: it is a reply to a keyword. */
  kind?: MessageKind;
  /** Where the person is, as the client says: an IANA name, and an ISO 3166-2 code. */
  timeZone?: string;
  region?: string;
  /** The country of the number: an ISO 3166-1 code. Left out: none is known. */
  country?: string | undefined;
  /** The number that the e-mail address has, and of which the country is. The store looks it up anew: if it finds another, it stores no country. */
  phoneFound?: number | undefined;
  /** Sending hours have set `sendAt`: when they open. Left out: they have not. */
  opensAt?: number;
  /** It is not sent, and fails as soon as it is stored, unless its recipient makes it final. Left out: it may go. */
  refusedAs?: Reason;
  /** In words, for the operator. */
  refusedBecause?: string;
}
