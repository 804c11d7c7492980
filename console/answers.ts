// What the console reads, in one place: the shapes of the operator's answers. "As today": the call gives it. "Wanted": the page
// needs it, and the call is to give it. All times are ISO 8601 in UTC. For a session, the service masks each phone number
// (`+1206•••••42`) and e-mail address, and for a viewer the texts; `personId` stands for the number in the console's addresses.

export type Status =
  | "PENDING_TO_SEND"
  | "SENDING"
  | "DELIVERED"
  | "FAILED_TO_DELIVERY"
  | "FAILED_TO_SEND"
  | "NOT_FOUND"
  | "NOT_SUBSCRIBED"
  | "FAILED_TO_MATCH";

/** Each error of the service. `triesLeft`, wanted: of a sign-in. `details`, wanted for 40903: `[{count}]`, the count of now. */
export interface ErrorAnswer {
  code: number;
  message: string;
  details?: { field?: string; message?: string; count?: number }[];
  requestId?: string;
  triesLeft?: number;
}

/**
 * Wanted: GET /console/session answers 200 `{session}`, null where nobody is signed in: a 401 would be an error in the browser's
 * console. POST takes `{token}`, DELETE ends it: contract.
 */
export interface SessionAnswer {
  session: Session | null;
}

export interface Session {
  operator: string;
  role: "viewer" | "operator";
  expiresAt: string;
  /** Whether its data was made by `npm start`. */
  isDemo?: boolean;
}

/** Wanted: GET /operator/overview?website=; `website` only where one is asked for. */
export interface Overview {
  asOf: string;
  /** Whether a text was ever accepted. */
  hasTexts: boolean;
  /** `waiting`: against the will only, neither held nor scheduled. */
  needs: { waiting: number; toDecide: number; problems: number };
  problems: Problem[];
  /** Of the last seven days, the newest first, and those that are open. */
  lastProblems: PastProblem[];
  /** 60 of them, the oldest first, by the minute of acceptance. */
  minutes: Minute[];
  hour: { clients: number; oldestWithoutReceiptSeconds: number | null; countedSince: string | null };
  /** 30 of them, days of UTC, the oldest first; the last is today. */
  days: Day[];
  websites: WebsiteNow[];
  carriers: CarrierNow[];
  website?: WebsiteToday;
}

export interface Minute {
  at: string;
  accepted: number;
  submitted: number;
  delivered: number;
  undelivered: number;
  noReceipt: number;
  waiting: number;
}

export interface Day {
  day: string;
  accepted: number;
  /** Given to a carrier. */
  sent: number;
  delivered: number;
  undelivered: number;
  clicked: number;
  optedOut: number;
}

/** `problem` is a code of GET /operator/health, and the subject is as there; the rest is wanted. */
export interface Problem {
  problem: string;
  since: string | null;
  carrier: string | null;
  sender: string | null;
  websiteId: string | null;
  clientId: string | null;
  host: string | null;
  database: string | null;
  /** The words of the other side. */
  cause: string | null;
  nextTryAt: string | null;
  websiteNames?: string[];
  clientName?: string | null;
  /** Texts, callbacks, jobs or people, whatever the problem is of. */
  affected?: number | null;
  /** When the oldest of the texts is given up. */
  triedUntil?: string | null;
  timeZone?: string | null;
  /** The last entry of the audit log about it: "ada tried kannel at 03:02". */
  lastTry?: { operator: string; at: string } | null;
}

export interface PastProblem {
  problem: string;
  carrier: string | null;
  websiteName: string | null;
  clientName: string | null;
  host: string | null;
  database: string | null;
  began: string;
  ended: string | null;
}

/** Counts of the last hour; `sent`: given to a carrier. */
export interface WebsiteNow {
  websiteId: string;
  name: string;
  accepted: number;
  sent: number;
  delivered: number;
  undelivered: number;
  noReceipt: number;
  waiting: number;
  waitsFor: string | null;
  subscribers: number;
  subscribersWeekAgo: number;
  textsToday: number;
  errorsToday: number;
  optedOut30Days: number;
  sent30Days: number;
}

export interface CarrierNow {
  carrier: string;
  submitted: number;
  delivered: number;
  undelivered: number;
  noReceipt: number;
  waiting: number;
  state: "accepting" | "refusing" | "paused" | "failing" | "not-set-up" | "idle";
}

export interface WebsiteToday {
  /** 30 days of UTC. */
  growth: { day: string; joined: number; left: number }[];
  errors: { code: number; count: number }[];
  endpoints: Endpoint[];
}

/** Posts of one client's endpoint in the last 24 hours, by 20 minutes, the oldest first: 72 of them. */
export interface Endpoint {
  clientId: string;
  slots: { taken: number; failed: number }[];
  failing: { since: string; taken: number; posted: number } | null;
  /** Of the seven days before today. */
  before: { taken: number; posted: number };
  p95Milliseconds: number | null;
  lastFailure: { at: string; httpStatus: number | null; outcome: string; response: string | null } | null;
  requestsToday: { accepted: number; errors: { code: number; count: number }[] };
}

/** Wanted: GET /operator/waiting?website= */
export interface Waiting {
  asOf: string;
  groups: WaitingGroup[];
}

export interface WaitingGroup {
  websiteId: string;
  name: string;
  timeZone: string | null;
  rows: WaitingRow[];
}

/** The texts of one purpose and client that wait for one reason. */
export interface WaitingRow {
  sendPurpose: string;
  clientId: string;
  clientName: string | null;
  kind?: string | null;
  count: number;
  why: "carrier" | "queue" | "held" | "scheduled";
  carrier: string | null;
  cause: string | null;
  nextTryAt: string | null;
  held: { by: string | null; since: string; reason: string | null } | null;
  opensAt: string | null;
  oldestAt: string;
  /** When the oldest is given up, held or not. */
  endsAt: string | null;
}

/** GET /operator/messages, as today. Wanted: `person=<personId>` in place of `phone`, names, `personId`, `deliveredAt`, and the counts of the first page. */
export interface FoundMessages {
  messages: FoundMessage[];
  next: string | null;
  /** Of all that the search finds without its status; null where counting them would read too much. */
  counts?: Partial<Record<Status, number>> | null;
  unavailableDatabases?: string[];
}

export interface FoundMessage {
  messageId: string;
  websiteId: string;
  websiteName?: string | null;
  clientId: string;
  status: Status;
  reason: string | null;
  reasonDetail: string | null;
  phone: string | null;
  email: string | null;
  personId?: string | null;
  text: string;
  sendPurpose: string;
  carrier: string | null;
  attempts: number;
  acceptedAt: string;
  updatedAt: string;
  retryAt: string | null;
  waits: { until: string | null; because: string } | null;
  clicked?: boolean;
}

/** GET /operator/messages/{messageId}, as today; what is optional is wanted. */
export interface Message extends FoundMessage {
  websiteName: string | null;
  clientName: string | null;
  mediaUrl: string | null;
  clickUrl: string | null;
  callbackData: string;
  encoding: string | null;
  segments: number | null;
  carrierMessageId: string | null;
  claimedAt: string | null;
  submissions: { at: string; attempt: number | null; outcome: string; reason: string | null; milliseconds?: number }[];
  clicks: { people: number; robots: number; firstAt: string | null };
  events: { eventId: string; eventType: string; status?: Status; reason?: string | null; occurredAt: string }[];
  callbacks: Callback[];
  requestId?: string | null;
  sender?: string | null;
  /** When the message is given up, and when it is deleted. */
  endsAt?: string | null;
  keptUntil?: string | null;
  /** What the ledger says of the moment of acceptance. */
  consent?: Consent | null;
  before?: Neighbor | null;
  after?: Neighbor | null;
}

export interface Consent {
  subscribed: boolean;
  since: string | null;
  source: string | null;
  proof: string | null;
  evidence: string | null;
  changeId: number | null;
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

export type * from "./answers-more.ts";
