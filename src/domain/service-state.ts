// Pure. The state of the service as an operator sees it, and the problems in it.
import { type DatabaseState, describeFill, FILLING_SHARE, FULL_SHARE, shareOf } from "./database-state.ts";
import type { Move } from "./move.ts";
import { isFailing, type MinuteOutcome } from "./outcome-trend.ts";
import { LONGEST_RUN_MILLISECONDS } from "./retry-policy.ts";

/** A keyword without effect is a problem for a day: the operator should see it, and cannot resolve it. */
export const KEYWORD_MILLISECONDS = 24 * 3_600_000;

/** The number of items in a state, and since when the oldest is (milliseconds since 1970). */
export interface Load {
  count: number;
  oldestAt: number | null;
}

/** States of a message that is not final. */
export const MESSAGE_STATES = ["waiting", "held", "retrying", "claimed", "stuck", "withoutReceipt"] as const;

export type MessageState = (typeof MESSAGE_STATES)[number];

export type CarrierStates = Partial<Record<MessageState, Load>>;

/** `unauthorized`: the carrier rejected our credentials; retried as `later` is. */
export const SUBMISSION_OUTCOMES = ["accepted", "refused", "unknown", "later", "unauthorized"] as const;

/** `refused`: answered with another status than 2xx, and counted by it: `answered 500`. An earlier version counts `refused`. */
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
  "lastSweep",
  "pauses",
  "endpoints",
  "outcomes",
  "carriersInUse",
  "migrations",
] as const;

export type StatePart = (typeof STATE_PARTS)[number];

/** A load as the operator sees it, with an age in whole seconds. */
interface Backlog {
  /** null: its part does not answer. */
  count: number | null;
  oldestSeconds: number | null;
}

export interface CarrierState extends Record<MessageState, Backlog> {
  carrier: string;
  isInUse: boolean;
  isSetUp: boolean;
  missingSettings: string[];
  /** It has rejected our credentials, and has answered no submission otherwise since. */
  isUnauthorized: boolean;
  /** Its circuit breaker is open, in one isolate at least. */
  pause: { since: string; cause: string; nextTryAt: string | null } | null;
  lastFiveMinutes: Counts<(typeof SUBMISSION_OUTCOMES)[number]>;
  lastHour: Counts<(typeof SUBMISSION_OUTCOMES)[number]>;
}

/** An endpoint that has failed several times in a row. */
interface EndpointState {
  websiteId: string;
  clientId: string;
  host: string;
  since: string;
  failures: number;
  cause: string;
}

/** A problem and what it concerns. */
export interface ProblemDetail {
  problem: Problem;
  /** Of one carrier, or of one client's endpoint; null of the service. */
  carrier: string | null;
  websiteId: string | null;
  clientId: string | null;
  host: string | null;
  since: string | null;
  cause: string | null;
  nextTryAt: string | null;
  /** The binding of one database. */
  database: string | null;
}

/** By outcome; null: not known. */
type Counts<Name extends string> = Record<Name, number | null>;

export interface ServiceState {
  checkedAt: string;
  /** `missing`: in words, of the migrations. */
  database: {
    status: "ok" | "behind" | "away";
    milliseconds: number | null;
    cause: string | null;
    missing: string | null;
  };
  failing: { part: StatePart; error: string }[];
  problems: Problem[];
  details: ProblemDetail[];
  isCut: boolean;
  sweep: { endedAt: string | null; ageSeconds: number | null; failedJobs: string[] };
  databases: DatabaseState[];
  queues: { queue: (typeof QUEUES)[number]; backlog: number | null; oldestSeconds: number | null }[];
  messages: Record<MessageState, Backlog>;
  /** Of the oldest message that the carrier could not accept at first, since it was accepted here. */
  retriedSeconds: number | null;
  carriers: CarrierState[];
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
}

/** The facts in which problems are found. */
interface Observed extends Omit<ServiceState, "problems" | "details"> {
  nowMinute: number;
  /** Moves of websites that have failed, or that no job has worked on for minutes. */
  moves: Pick<Move, "websiteId" | "step" | "error">[];
  /** Of the last hour. */
  submissions: (MinuteOutcome & { carrier: string })[];
  posts: MinuteOutcome[];
  /** Whether a website uses the sandbox outside a developer's machine: its texts count as delivered, and reach nobody. */
  isSandboxInUse: boolean;
}

/** Work is late after this: more than a cron, a queue and the sweep take in the worst case. */
export const LATE_SECONDS = 300;

/** Failures in a row, since the last success, that make an endpoint a problem; the latest is at most an hour old. */
export const ENDPOINT_FAILURES = 3;

type Subject = Partial<Omit<ProblemDetail, "problem">>;

/** Of the service as a whole. */
const when = (isProblem: boolean): Subject[] => (isProblem ? [{}] : []);

const carriersThat = ({ carriers }: Observed, fit: (carrier: CarrierState) => boolean): Subject[] =>
  carriers.filter(fit).map(({ carrier }) => ({ carrier }));

const isMany = ({ count }: Backlog) => count !== null && count > 0;

const isLate = (seconds: number | null) => seconds === null || seconds > LATE_SECONDS;

/** Of the first, `database` tells. */
const othersThat = ({ databases }: Observed, fit: (database: DatabaseState) => boolean): Subject[] =>
  databases
    .slice(1)
    .filter(fit)
    .map(({ database, status }) => ({ database, cause: status === "ok" ? null : status }));

const databasesThat = ({ databases }: Observed, fit: (database: DatabaseState) => boolean): Subject[] =>
  databases.filter(fit).map((it) => ({ database: it.database, cause: describeFill(it) }));

const CHECKS = {
  "database-away": (state) => [
    ...(state.database.status === "away" ? [{ cause: state.database.cause }] : []),
    ...othersThat(state, ({ status }) => status === "away" || status === "unbound"),
  ],
  "database-behind": ({ database }) => (database.status === "behind" ? [{ cause: database.cause }] : []),
  "migration-missing": (state) => [
    ...(state.database.missing ? [{ cause: state.database.missing }] : []),
    ...othersThat(state, ({ status }) => status === "unmigrated"),
  ],
  "state-incomplete": ({ failing, database }) =>
    failing.length === 0 || database.milliseconds === null
      ? []
      : [{ cause: failing.map(({ part, error }) => `${part}: ${error}`).join("; ") }],
  "sweep-late": (state) => [
    ...when(state.sweep.ageSeconds === null ? isKnown(state.failing, "lastSweep") : isLate(state.sweep.ageSeconds)),
    ...othersThat(state, ({ status, sweepAgeSeconds }) => status === "ok" && isLate(sweepAgeSeconds)),
  ],
  "sweep-failing": ({ sweep: { failedJobs } }) => (failedJobs.length > 0 ? [{ cause: failedJobs.join(", ") }] : []),
  "database-filling": (state) => databasesThat(state, (it) => shareOf(it) >= FILLING_SHARE && shareOf(it) < FULL_SHARE),
  "database-full": (state) => databasesThat(state, (it) => shareOf(it) >= FULL_SHARE),
  "messages-late": ({ messages, retriedSeconds }) =>
    when(isOlder(messages.waiting, LATE_SECONDS) || (retriedSeconds ?? 0) > LATE_SECONDS),
  "messages-stuck": ({ messages }) => when(isMany(messages.stuck)),
  "carrier-not-set-up": (state) => carriersThat(state, ({ isInUse, isSetUp }) => isInUse && !isSetUp),
  "sandbox-in-use": ({ isSandboxInUse }) => when(isSandboxInUse),
  "carrier-credentials": (state) => carriersThat(state, ({ isUnauthorized }) => isUnauthorized),
  "carrier-paused": ({ carriers }) => carriers.flatMap(({ carrier, pause }) => (pause ? [{ carrier, ...pause }] : [])),
  "carrier-failing": (state) =>
    carriersThat(state, ({ carrier }) => {
      const own = state.submissions.filter((it) => it.carrier === carrier);
      return isFailing(own, state.nowMinute, ["unauthorized"]);
    }),
  "move-stuck": ({ moves }) =>
    moves.map(({ websiteId, step, error }) => ({ websiteId, cause: `${step}${error ? `: ${error}` : ""}` })),
  "callbacks-late": ({ callbacks }) => when(isOlder(callbacks.due, LATE_SECONDS)),
  "callbacks-failing": ({ posts, nowMinute }) => when(isFailing(posts, nowMinute)),
  "endpoint-failing": ({ callbacks }) => callbacks.failingEndpoints.map(({ failures, ...about }) => about),
  "callbacks-unknown": ({ callbacks }) => when(isOlder(callbacks.claimed, LONGEST_RUN_MILLISECONDS / 1000)),
  "dead-jobs": ({ deadJobs }) => when(isMany(deadJobs)),
  "credentials-behind": ({ credentialsBehind }) => when(isOlder(credentialsBehind, LATE_SECONDS)),
  "keywords-without-effect": ({ keywordsWithoutEffect }) => when(isMany(keywordsWithoutEffect)),
} satisfies Record<string, (state: Observed) => Subject[]>;

export type Problem = keyof typeof CHECKS;

export const PROBLEMS = Object.keys(CHECKS) as Problem[];

const NOTHING = {
  carrier: null,
  websiteId: null,
  clientId: null,
  host: null,
  since: null,
  cause: null,
  nextTryAt: null,
  database: null,
};

export function findProblems(state: Observed): ProblemDetail[] {
  return PROBLEMS.flatMap((problem) => CHECKS[problem](state).map((about) => ({ problem, ...NOTHING, ...about })));
}

/** What tells two entries of one problem apart. */
export const subjectOf = ({ carrier, clientId, database, websiteId }: ProblemDetail) =>
  carrier ?? clientId ?? database ?? websiteId ?? "";

/** In words, for a person. */
export function describeProblem(detail: Partial<ProblemDetail>): string {
  const { carrier, websiteId, clientId, host, since, cause, nextTryAt, database } = detail;
  const parts = [
    carrier,
    database,
    websiteId && `website ${websiteId}`,
    clientId && `client ${clientId}`,
    host,
    since && `since ${since}`,
    cause,
    nextTryAt && `next try ${nextTryAt}`,
  ];
  return parts.filter(Boolean).join(", ");
}

function isOlder({ oldestSeconds }: Backlog, seconds: number): boolean {
  return oldestSeconds !== null && oldestSeconds > seconds;
}

export const isKnown = (failing: ServiceState["failing"], name: StatePart) =>
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
