// People, what they write, and imports of them. answers.ts says how to read this.
import type { Status } from "./messages.ts";

/** Wanted: POST /operator/people/find `{phone}` or `{email}`: whom the console's addresses mean. 404 where nobody knows the number. */
export interface FoundPerson {
  personId: string;
  phone: string;
}

/** Wanted: POST /operator/people/{personId}/reveal: unmasked, and audited; not for a viewer. */
export interface RevealedPerson {
  phone: string;
  emails: string[];
}

/** GET /operator/people/{phone}, as today. Wanted: `{personId}` does as well there, and what is optional here. */
export interface Person {
  personId?: string;
  phone: string;
  websites: PersonAtWebsite[];
  messages: PersonMessage[];
  unavailableDatabases?: string[];
}

export interface PersonAtWebsite {
  websiteId: string | null;
  websiteName: string | null;
  subscribed: boolean;
  email: string | null;
  optedOutByPerson: boolean;
  optOutConfirmedAt: string | null;
  messageCount: number;
  changes: SubscriptionChange[];
  texts: InboundText[];
}

export interface SubscriptionChange {
  changeId: number;
  from: boolean | null;
  to: boolean;
  at: string;
  addressChanged: boolean;
  source: string;
  proof: string;
  /** When the person agreed, and what shows it, as a client or an import has told it. */
  consentedAt?: string;
  evidence?: string;
}

export interface PersonMessage {
  messageId: string;
  websiteId: string;
  acceptedAt: string;
  status: Status;
  reason: string | null;
  sendPurpose: string;
  text: string;
  clickedAt: string | null;
}

export interface InboundText {
  from: string;
  to: string;
  text: string;
  keyword: string | null;
  maybeOptOut: boolean;
  withoutEffect: "no-website" | "no-phone-number" | "later-opt-out" | "unknown-person" | null;
  carrier: string;
  carrierMessageId: string;
  receivedAt: string;
}

/**
 * GET /operator/inbound?website=&toDecide=true&before=, of all websites, the newest first; `toDecide` of the first page alone, `personId` of a session. POST /operator/inbound/decide
 * `{websiteId, carrier, carrierMessageId, optOut}` answers 200 `{optedOut}`, audited, and takes it off the list; `optOut` null takes the decision back.
 */
export interface InboundPage {
  texts: (InboundText & {
    websiteId: string | null;
    websiteName: string | null;
    personId?: string | null;
    decided: { optOut: boolean; operator: string; at: string } | null;
    inReplyTo: { messageId: string; sendPurpose: string } | null;
  })[];
  next: string | null;
  toDecide: number | null;
}

/**
 * GET /operator/websites/{websiteId}/subscribers?cursor=&format=csv|json, in the order of the numbers; `total`: who is subscribed, on the
 * first page. `personId`, wanted: of a session. The file has the numbers in full, and is audited: a viewer gets none.
 */
export interface SubscriberPage {
  total: number | null;
  next: string | null;
  subscribers: {
    personId: string;
    phone: string;
    email: string | null;
    subscribed: boolean;
    since: string;
    source: string;
  }[];
}

/**
 * POST /operator/websites/{websiteId}/subscribers?everyone=subscribed for a file without a column `subscribed`. Every optional field except
 * importId comes with `dryRun=true`, which stores nothing.
 */
export interface ImportAnswer {
  importId?: string;
  columns: {
    phone: string;
    email: string | null;
    subscribed: string | null;
    consentedAt?: string;
    evidence?: string;
  };
  ignoredColumns: string[];
  imported: number;
  newSubscribed: number;
  newOptedOut: number;
  becameSubscribed: number;
  becameOptedOut: number;
  newAddress: number;
  unchanged: number;
  keptUnsubscribed: number;
  unreadableOptOuts: number;
  invalidPhoneNumbers: string[];
  invalidEmails?: string[];
  invalidCells?: { line: number; column: string; value: string; message: string }[];
  rows?: number;
  refused?: number;
  repeated?: number;
  withoutProof?: number;
  separator?: string;
  preview?: PreviewRow[];
}

export interface PreviewRow {
  line: number;
  phone: string;
  email: string | null;
  consentedAt: string | null;
  evidence: string | null;
  becomes:
    | "newSubscribed"
    | "newOptedOut"
    | "becameSubscribed"
    | "becameOptedOut"
    | "newAddress"
    | "unchanged"
    | "keptUnsubscribed"
    | "refused";
  reason: string | null;
}

/** POST /operator/imports/{importId}/undo, as today. */
export interface UndoneImport {
  restored: number;
  changedSince: number;
  isComplete: boolean;
}

/** GET /operator/imports?website=&cursor=, the newest 100. */
export interface ImportList {
  imports: {
    importId: string;
    websiteId: string;
    websiteName: string;
    file: string | null;
    operator: string;
    at: string;
    rows: number | null;
    newSubscribed: number | null;
    newOptedOut: number | null;
    becameSubscribed: number | null;
    becameOptedOut: number | null;
    keptUnsubscribed: number | null;
    refused: number | null;
    undoneAt: string | null;
  }[];
}
