// Websites, their clients and their reports. answers.ts says how to read this.
import type { Day } from "../../src/domain/messages/weekly-windows.ts";
import type { Hold } from "./messages.ts";
import type { AuditEntry } from "./session.ts";

/** GET /operator/websites. */
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
  timeZone: string | null;
  allowedCountries: string[] | null;
  linkOrigin: string | null;
  frequencyCap: { count: number; hours: number } | null;
  transactionalPurposes: string[] | null;
  sendingHours: SendingHours | null;
  dailyLimit: number | null;
  /** The oldest first. */
  holds: Hold[];
  createdAt: string;
  updatedAt: string;
}

/** GET and PUT /operator/websites/{websiteId} */
export interface SendingHours {
  profile: "us-strict" | "custom";
  windows?: { days: Day[]; from: string; until: string }[] | undefined;
  whenClosed: "delay" | "refuse";
}

export interface WebsiteWithClients extends Website {
  clients: Client[];
  /** Texts accepted in the last 24 hours; null: it has no limit. */
  dailyLimitUsed: number | null;
  /** By day and code, of the last 30 days: at least so many. */
  refusedRequests: { day: string; code: number; requests: number }[];
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
  lastUsedAt: string | null;
  rotatedAt: string | null;
  oldPairUntil: string | null;
  lastRefusal: { at: string; cause: string } | null;
  /** The newest first; the last four characters, and when each was used last. */
  secrets: { endsIn: string; since: string; validUntil: string | null; lastUsedAt: string | null }[];
  posts: Posts;
}

/** To the endpoint of a client, in the last 24 hours. */
export interface Posts {
  /** By 20 minutes, the oldest first. */
  slots: { at: string; taken: number; failed: number }[];
  meanMilliseconds: number | null;
  slowestMilliseconds: number | null;
  failing: { since: string; failures: number } | null;
  lastFailure: { at: string; outcome: string; httpStatus: number | null; response: string | null } | null;
}

/** POST /operator/websites/{websiteId}/clients, and …/rotate, as today. */
export interface NewSecrets {
  clientId?: string;
  clientSecret: string;
  callbackSecret: string;
}

/** POST /operator/clients/{clientId}/test-event posts one event of type `test`. */
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
  sent: number;
  delivered: number;
  undelivered: number;
  failed: Record<string, number>;
  clicked?: number;
  clicks?: number;
  robotClicks?: number;
  optedOut?: number;
  segments?: number;
}
