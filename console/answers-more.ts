// The rest of answers.ts, which says how to read it: websites, people, and the service itself.
import type { Status } from "./answers.ts";

/** GET /operator/websites, as today; `timeZone`, `by` and `reason` are wanted. */
export interface WebsiteList {
  websites: Website[];
  unavailableDatabases?: string[];
}

export interface Website {
  websiteId: string;
  database: string;
  name: string;
  carrier: string;
  sender: string | null;
  helpText: string | null;
  duplicateWindowHours: number | null;
  optOutWords: string[] | null;
  timeZone?: string | null;
  holds: { sendPurpose: string | null; clientId: string | null; since: string; by?: string; reason?: string | null }[];
  createdAt: string;
  updatedAt: string;
}

/** GET and PUT /operator/websites/{websiteId}, as today; wanted: a client as GET /operator/clients/{clientId} gives it. */
export interface WebsiteWithClients extends Website {
  clients: Client[];
  changes: AuditEntry[];
}

export interface Client {
  clientId: string;
  websiteId: string;
  name: string | null;
  callbackUrl: string | null;
  operations: string[];
  events: string[];
  suspended: boolean;
  createdAt: string;
  lastUsedAt?: string | null;
  rotatedAt?: string | null;
  oldPairUntil?: string | null;
  lastRefusal?: { at: string; cause: string } | null;
  /** Wanted: the newest first; the last four characters, and when each was used last. */
  secrets?: { endsIn: string | null; since: string; validUntil: string | null; lastUsedAt: string | null }[];
}

/** POST /operator/websites/{websiteId}/clients, and …/rotate, as today. */
export interface NewSecrets {
  clientId?: string;
  clientSecret: string;
  callbackSecret: string;
}

/** Wanted: POST /operator/clients/{clientId}/test-event posts one event of type `test`. */
export interface TestEvent {
  eventId: string;
  outcome: string;
  httpStatus: number | null;
  response: string | null;
  durationMilliseconds: number | null;
}

/** GET /operator/websites/{websiteId}/report and GET /operator/report, as today. `by`: day, purpose, website, sender, reason. */
export interface Report {
  from: string;
  to: string;
  rows: ReportRow[];
  total: ReportRow;
}

export interface ReportRow {
  day?: string;
  sendPurpose?: string;
  websiteId?: string;
  sender?: string | null;
  reason?: string | null;
  accepted: number;
  pending: number;
  sent: number;
  delivered: number;
  failed: Record<string, number>;
  clicked?: number;
  clicks?: number;
  robotClicks?: number;
  optedOut?: number;
  segments?: number;
}

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
  websiteName?: string | null;
  subscribed: boolean;
  email: string | null;
  optedOutByPerson: boolean;
  optOutConfirmedAt: string | null;
  changes: SubscriptionChange[];
  texts: InboundText[];
}

export interface SubscriptionChange {
  changeId?: number;
  from: boolean | null;
  to: boolean;
  at: string;
  addressChanged: boolean;
  source: string;
  proof: string;
  evidence?: string | null;
}

export interface PersonMessage {
  messageId: string;
  websiteId: string;
  acceptedAt: string;
  status: Status;
  reason: string | null;
  sendPurpose: string;
  text: string;
  clickedAt?: string | null;
}

export interface InboundText {
  from: string;
  to: string;
  text: string;
  keyword: string | null;
  maybeOptOut: boolean;
  carrier: string;
  carrierMessageId: string;
  receivedAt: string;
}

/**
 * Wanted: GET /operator/inbound?website=&toDecide=true&before=, of all websites, the newest first. POST /operator/inbound/decide
 * `{websiteId, carrier, carrierMessageId, optOut}` answers 200 `{optedOut}`, audited, and takes it off the list.
 */
export interface InboundPage {
  texts: (InboundText & {
    websiteId: string | null;
    websiteName: string | null;
    personId: string | null;
    decided: { optOut: boolean; operator: string; at: string } | null;
    inReplyTo: { messageId: string; sendPurpose: string } | null;
  })[];
  next: string | null;
  toDecide: number;
}

/** Wanted: GET /operator/people/recent: whom one may want to see again, the last that changed a subscription by themselves. */
export interface RecentPeople {
  people: {
    personId: string;
    phone: string;
    websiteName: string;
    what: "opted-out" | "opted-in";
    text: string;
    at: string;
  }[];
}

/**
 * POST /operator/websites/{websiteId}/subscribers?dryRun=true, as today. Wanted: what is optional but for importId, `file=<name>`,
 * and `progress=true`: lines of JSON, `{"stored": 31200, "rows": 49010}`, and this answer in the last.
 */
export interface ImportAnswer {
  importId?: string;
  columns: {
    phone: string;
    email: string | null;
    subscribed: string | null;
    consentedAt?: string | null;
    evidence?: string | null;
  };
  imported: number;
  new: number;
  changed: number;
  unchanged: number;
  keptUnsubscribed: number;
  invalidPhoneNumbers: string[];
  invalidCells?: { line: number; column: string; value: string; message: string }[];
  rows?: number;
  withoutEvidence?: number;
  unreadColumns?: string[];
  preview?: PreviewRow[];
}

export interface PreviewRow {
  line: number;
  phone: string;
  email: string | null;
  consentedAt?: string | null;
  evidence?: string | null;
  becomes: "new" | "changed" | "unchanged" | "kept-unsubscribed" | "unsubscribed" | "refused";
  reason: string | null;
}

export interface ImportProgress {
  stored: number;
  rows: number;
}

/** POST /operator/imports/{importId}/undo, as today. */
export interface UndoneImport {
  restored: number;
  changedSince: number;
  isComplete: boolean;
}

/** Wanted: GET /operator/imports, the newest 20. */
export interface ImportList {
  imports: {
    importId: string;
    websiteId: string;
    websiteName: string;
    file: string | null;
    operator: string;
    at: string;
    rows: number | null;
    new: number | null;
    keptUnsubscribed: number | null;
    refused: number | null;
    undoneAt: string | null;
  }[];
}

/** GET /operator/dead-jobs?before=, as today. */
export interface DeadJobList {
  deadJobs: {
    id: string;
    queue: string;
    body: unknown;
    diedAt: string;
    error: string | null;
    putBackAt: string | null;
  }[];
}

/** GET /operator/databases, as today; `history`, wanted: bytes at the end of each of the last 30 days. */
export interface DatabaseList {
  databases: {
    database: string;
    status: "ok" | "away" | "unmigrated" | "unbound";
    bytes: number | null;
    limitBytes: number;
    bytesPerDay: number | null;
    daysLeft: number | null;
    websites: number;
    schemaVersion: string | null;
    history?: number[];
  }[];
}

/** GET /operator/websites/{websiteId}/move, as today; wanted: GET /operator/moves lists those of the last day as `{moves}`. */
export interface Move {
  websiteId: string;
  websiteName?: string;
  state: "paused" | "copying" | "comparing" | "done" | "failed";
  from: string;
  to: string;
  copiedRows: number;
  comparedRows: number;
  totalRows: number | null;
  startedAt: string;
  endedAt: string | null;
  problem: string | null;
}

/** GET /operator/tokens, as today; `role` is wanted. */
export interface TokenList {
  tokens: { name: string; role?: "viewer" | "operator"; createdAt: string; createdBy: string; endsAt: string | null }[];
}

/** POST /operator/tokens `{name, role}`. */
export interface NewToken {
  name: string;
  token: string;
}

/** Wanted: GET /operator/sessions, DELETE /operator/sessions/{sessionId}. */
export interface SessionList {
  sessions: {
    sessionId: string;
    operator: string;
    role: string;
    createdAt: string;
    lastUsedAt: string;
    expiresAt: string;
    isThis: boolean;
  }[];
}

/** GET /operator/audit?website=&client=&by=&cursor=, as today. */
export interface AuditPage {
  entries: AuditEntry[];
  next: string | null;
}

export interface AuditEntry {
  at: string;
  operator: string;
  action: string;
  websiteId: string | null;
  clientId: string | null;
  subject: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  outcome: "done" | "failed" | null;
  requestId: string;
}
