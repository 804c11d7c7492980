// Pending messages, and messages. answers.ts says how to read this.

export type Status =
  | "PENDING_TO_SEND"
  | "SENDING"
  | "DELIVERED"
  | "FAILED_TO_DELIVERY"
  | "FAILED_TO_SEND"
  | "NOT_FOUND"
  | "NOT_SUBSCRIBED"
  | "FAILED_TO_MATCH";

export type Kind = "marketing" | "transactional";

/** GET /operator/waiting?website= */
export interface Waiting {
  asOf: string;
  /** A website has more than were looked at. */
  isCut: boolean;
  groups: WaitingGroup[];
}

export interface WaitingGroup {
  websiteId: string;
  name: string;
  timeZone: string | null;
  /** Each of its counts is at least so high. */
  isCut: boolean;
  rows: WaitingRow[];
}

/** The texts of one purpose and client that wait for one reason. */
export interface WaitingRow {
  sendPurpose: string;
  clientId: string;
  clientName: string | null;
  kind: Kind | null;
  count: number;
  why: "carrier" | "queue" | "held" | "scheduled" | "sending-hours";
  carrier: string;
  cause: string | null;
  nextTryAt: string | null;
  held: Hold | null;
  opensAt: string | null;
  hours: HeldHours | null;
  oldestAt: string;
  /** When the first of them is given up, held or not. */
  endsAt: string | null;
}

/** It covers texts of a website; null: any purpose, any client. */
export interface Hold {
  holdId: string;
  sendPurpose: string | null;
  clientId: string | null;
  since: string;
  by: string;
  reason: string | null;
}

/** GET /operator/holds?website= */
export interface HoldList {
  holds: ListedHold[];
  unavailableDatabases?: string[];
}

export interface ListedHold extends Hold {
  websiteId: string;
  /** How many waiting texts it covers; `atLeast`: there may be more. */
  texts: number;
  atLeast?: true;
}

/** POST /operator/websites/{websiteId}/hold */
export interface Held {
  holdId: string;
  held: number;
  atLeast?: true;
  /** The hold was there before. */
  alreadyHeld?: true;
}

/** POST /operator/websites/{websiteId}/release; `more`: it is to be repeated. */
export interface Released {
  released: number;
  more?: true;
}

/** GET /operator/messages; `personId` is of a session. */
export interface FoundMessages {
  messages: FoundMessage[];
  next: string | null;
  unavailableDatabases?: string[];
}

export interface FoundMessage extends MessageFacts {
  /** By a person, at first. */
  clickedAt: string | null;
}

/** Sending hours that are closed. */
export interface HeldHours {
  opensAt: string;
  /** Where the person may be. */
  zones: string[];
  /** When the narrowest rule is open, and what it comes from. */
  window: string;
  source: string;
}

export interface MessageFacts {
  messageId: string;
  websiteId: string;
  websiteName: string | null;
  clientId: string;
  status: Status;
  reason: string | null;
  reasonDetail: string | null;
  phone: string | null;
  email: string | null;
  personId?: string | null;
  text: string;
  sendPurpose: string;
  kind: Kind | null;
  carrier: string | null;
  attempts: number;
  acceptedAt: string;
  updatedAt: string;
  retryAt: string | null;
  scheduledFor: string | null;
  waits: {
    until: string | null;
    because: string;
    held?: { by: string; since: string; reason: string | null };
    hours?: HeldHours;
  } | null;
}

/** GET /operator/messages/{messageId} */
export interface Message extends MessageFacts {
  clientName: string | null;
  mediaUrl: string | null;
  clickUrl: string | null;
  callbackData: string;
  encoding: string | null;
  segments: number | null;
  carrierMessageId: string | null;
  claimedAt: string | null;
  submissions: { at: string; attempt: number | null; outcome: string; reason: string | null }[];
  clicks: { people: number; robots: number; firstAt: string | null };
  events: { eventId: string; eventType: string; status?: Status; reason?: string | null; occurredAt: string }[];
  callbacks: Callback[];
  /** When the message is given up. */
  endsAt: string | null;
  /** What the ledger says of the moment of acceptance. */
  consent: Consent | null;
  before: Neighbor | null;
  after: Neighbor | null;
}

export interface Consent {
  subscribed: boolean;
  since: string | null;
  source: string | null;
  proof: string | null;
  changeId: number | null;
  /** When the person agreed, and what shows it, as a client or an import has told it. */
  consentedAt: string | null;
  evidence: string | null;
}

/** The text before or after it to the same person. */
export interface Neighbor {
  messageId: string;
  acceptedAt: string;
  sendPurpose: string;
  status: Status;
}

export interface Callback {
  eventId: string;
  attemptedAt: string | null;
  outcome: string | null;
  httpStatus: number | null;
  response: string | null;
  durationMilliseconds: number | null;
}
