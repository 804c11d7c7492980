// Pure. The state of the service as an operator sees it; problems.ts finds the problems in it.
import type { DatabaseState } from "../databases/database-state.ts";
import type { Paused } from "../messages/circuit-breaker.ts";

/** A keyword without effect is a problem for a day: the operator should see it, and cannot resolve it. */
export const KEYWORD_MILLISECONDS = 24 * 3_600_000;

/** A text that may be an opt-out is a problem until the number is opted out, or for three days: over a weekend. */
export const MAYBE_OPT_OUT_MILLISECONDS = 3 * 24 * 3_600_000;

/** A callback whose outcome nobody will ever know is counted for a day: the operator should see it, and cannot resolve it. */
export const UNKNOWN_CALLBACK_MILLISECONDS = 24 * 3_600_000;

/** The number of items in a state, and since when the oldest is (milliseconds since 1970). */
export interface Load {
  count: number;
  oldestAt: number | null;
}

/** States of a message that is not final. */
export const MESSAGE_STATES = ["waiting", "held", "retrying", "claimed", "stuck", "withoutReceipt"] as const;

export type MessageState = (typeof MESSAGE_STATES)[number];

export type CarrierStates = Partial<Record<MessageState, Load>>;

/** `limited`: the sender is beyond its limit at the carrier; `unauthorized`: the carrier rejected our account. Both are retried as `later` is. */
export const SUBMISSION_OUTCOMES = ["accepted", "refused", "unknown", "later", "limited", "unauthorized"] as const;

/** What became of texts that a carrier has taken: their final receipt. */
export const RECEIPT_OUTCOMES = ["delivered", "undelivered", "no-receipt"] as const;

/** `refused`: answered with another status than 2xx, and counted by it: `answered 500`. */
export const ANSWERED = "answered ";

export const CALLBACK_OUTCOMES = ["accepted", "refused", "timed-out", "unreachable", "not-posted"] as const;

export const QUEUES = ["messages", "bulk", "callbacks", "receipts"] as const;

/** What the state is read from, each by itself. */
export const STATE_PARTS = [
  "pending",
  "sending",
  "callbacks",
  "deadJobs",
  "credentialsBehind",
  "keywordsWithoutEffect",
  "maybeOptOuts",
  "unreadableTexts",
  "lastSweep",
  "pauses",
  "endpoints",
  "outcomes",
  "receipts",
  "carriersInUse",
  "migrations",
] as const;

export type StatePart = (typeof STATE_PARTS)[number];

/** A load as the operator sees it, with an age in whole seconds. */
export interface Backlog {
  /** null: its part does not answer. */
  count: number | null;
  oldestSeconds: number | null;
}

interface Pause {
  since: string;
  cause: string;
  nextTryAt: string | null;
}

export interface CarrierState extends Record<MessageState, Backlog> {
  carrier: string;
  isInUse: boolean;
  isSetUp: boolean;
  missingSettings: string[];
  /** It has rejected our account, and has answered no submission otherwise since. */
  isUnauthorized: boolean;
  /** Its circuit breaker is open, in at least one database. */
  pause: (Pause & { about: Paused }) | null;
  /** The senders whose circuit breakers are open, with the websites that have them. */
  senderPauses: (Pause & { sender: string; websiteIds: string[] })[];
  lastFiveMinutes: Counts<(typeof SUBMISSION_OUTCOMES)[number]>;
  lastHour: Counts<(typeof SUBMISSION_OUTCOMES)[number]>;
  /** The final receipts of the texts that were submitted in that time. */
  receipts: {
    lastFiveMinutes: Counts<(typeof RECEIPT_OUTCOMES)[number]>;
    lastHour: Counts<(typeof RECEIPT_OUTCOMES)[number]>;
  };
}

/** A sender of websites, and what came of the texts of the last hour that have a final receipt. */
export interface SenderState {
  carrier: string;
  sender: string | null;
  lastFiveMinutes: { delivered: number; undelivered: number };
  lastHour: { delivered: number; undelivered: number };
  /** Why most of them did not arrive; null: all did. */
  cause: string | null;
}

/** An endpoint that has failed several times in a row. */
export interface EndpointState {
  websiteId: string;
  clientId: string;
  host: string;
  since: string;
  failures: number;
  cause: string;
}

/** Inbound calls of a carrier that could not be read, in the last day. */
export interface UnreadableTexts {
  carrier: string;
  count: number;
  since: string;
  /** Why, with the count of each. */
  cause: string;
}

/** By outcome; null: not known. */
type Counts<Name extends string> = Record<Name, number | null>;

export interface ObservedState {
  checkedAt: string;
  /** `missing`: in words, of the migrations. */
  database: {
    status: "ok" | "behind" | "away";
    milliseconds: number | null;
    cause: string | null;
    missing: string | null;
  };
  failing: { part: StatePart; error: string }[];
  isCut: boolean;
  sweep: { endedAt: string | null; ageSeconds: number | null; failedJobs: string[] };
  databases: DatabaseState[];
  queues: { queue: (typeof QUEUES)[number]; backlog: number | null; oldestSeconds: number | null }[];
  messages: Record<MessageState, Backlog>;
  /** The age of the oldest message that the carrier could not accept at first, since it was accepted here. */
  retriedSeconds: number | null;
  carriers: CarrierState[];
  /** Those with most failures come first. */
  senders: SenderState[];
  callbacks: {
    due: Backlog;
    claimed: Backlog;
    lastFiveMinutes: Counts<(typeof CALLBACK_OUTCOMES)[number]>;
    lastHour: Counts<(typeof CALLBACK_OUTCOMES)[number]>;
    /** Statuses other than 2xx. */
    answered: { status: number; lastFiveMinutes: number; lastHour: number }[];
    failingEndpoints: EndpointState[];
  };
  deadJobs: Backlog;
  credentialsBehind: Backlog;
  keywordsWithoutEffect: Backlog;
  maybeOptOuts: Backlog;
  unreadableTexts: UnreadableTexts[];
}

export const isKnown = (failing: ObservedState["failing"], name: StatePart) =>
  !failing.some(({ part }) => part === name);

/** @param now milliseconds since 1970 */
export function toBacklog(load: Load | undefined, now: number): Backlog {
  const { count, oldestAt } = load ?? { count: 0, oldestAt: null };
  return { count, oldestSeconds: oldestAt === null ? null : ageSeconds(oldestAt, now) };
}

export function ageSeconds(at: number, now: number): number {
  return Math.max(0, Math.floor((now - at) / 1000));
}

export function addLoads(loads: readonly (Load | undefined)[]): Load {
  const known = loads.filter((load) => load !== undefined);
  const times = known.flatMap(({ oldestAt }) => oldestAt ?? []);
  return {
    count: known.reduce((sum, { count }) => sum + count, 0),
    oldestAt: times.length === 0 ? null : Math.min(...times),
  };
}
