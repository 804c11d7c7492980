// Pure. The problems in the state of the service.
import { type DatabaseState, describeFill, FILLING_SHARE, FULL_SHARE, shareOf } from "../databases/database-state.ts";
import { findFailingSenders, findSilentCarriers, HOUR_MINUTES, type ReceiptCount } from "../messages/deliveries.ts";
import { LONGEST_RUN_MILLISECONDS } from "../messages/retry-policy.ts";
import { isFailing, type MinuteOutcome } from "./outcome-trend.ts";
import { type Backlog, type CarrierState, type EndpointState, isKnown, type ObservedState } from "./service-state.ts";

/** A problem and what it concerns. */
export interface ProblemDetail {
  problem: Problem;
  /** The carrier that the problem concerns; null: it concerns the service, or one client's endpoint. */
  carrier: string | null;
  /** The sender of the websites that the problem concerns. */
  sender: string | null;
  websiteId: string | null;
  clientId: string | null;
  host: string | null;
  since: string | null;
  cause: string | null;
  nextTryAt: string | null;
  /** The binding of one database. */
  database: string | null;
}

export interface ServiceState extends ObservedState {
  problems: Problem[];
  details: ProblemDetail[];
}

/** The facts in which problems are found. */
interface Observed extends ObservedState {
  nowMinute: number;
  /** Submissions and receipts are known of the minutes after this one. */
  countedAfter: number;
  /** These are of the last hour, without those of the sandbox, whose failures are rehearsed. */
  submissions: (MinuteOutcome & { carrier: string })[];
  receipts: ReceiptCount[];
  /** When receipts came. */
  received: (MinuteOutcome & { carrier: string })[];
  posts: MinuteOutcome[];
  failingEndpoints: EndpointState[];
  /** ALERT_URL is set, and takes no post; null: it does, or there was none. */
  alertRefusal: { since: number; cause: string } | null;
  /** Whether a website uses the sandbox outside a developer's machine: its texts count as delivered, and reach nobody. */
  isSandboxInUse: boolean;
}

/** Work is late after this: more than a cron, a queue and the sweep take in the worst case. */
export const LATE_SECONDS = 300;

/** Failures in a row, since the last success, that make an endpoint a problem; the latest is at most an hour old. */
export const ENDPOINT_FAILURES = 3;

type Subject = Partial<Omit<ProblemDetail, "problem">>;

/** A problem of the service as a whole. */
const when = (isProblem: boolean): Subject[] => (isProblem ? [{}] : []);

const carriersThat = ({ carriers }: Observed, fit: (carrier: CarrierState) => boolean): Subject[] =>
  carriers.filter(fit).map(({ carrier }) => ({ carrier }));

const isMany = ({ count }: Backlog) => count !== null && count > 0;

const isLate = (seconds: number | null) => seconds === null || seconds > LATE_SECONDS;

/** The databases that fit, except the first: the problem `database` tells of that. */
const othersThat = ({ databases }: Observed, fit: (database: DatabaseState) => boolean): Subject[] =>
  databases
    .slice(1)
    .filter(fit)
    .map(({ database, status }) => ({ database, cause: status === "ok" ? null : status }));

const databasesThat = ({ databases }: Observed, fit: (database: DatabaseState) => boolean): Subject[] =>
  databases.filter(fit).map((it) => ({ database: it.database, cause: describeFill(it) }));

function toPaused({ carrier, pause }: CarrierState): Subject[] {
  if (!pause) return [];
  const { about, cause, ...when } = pause;
  return [{ carrier, ...when, cause: about === "account" ? `our account: ${cause}` : cause }];
}

/** So many websites of one sender are named. */
const NAMED_WEBSITES = 5;

const toPausedSenders = ({ carrier, senderPauses }: CarrierState): Subject[] =>
  senderPauses.map(({ websiteIds, cause, ...pause }) => {
    const [websiteId = null, ...others] = websiteIds;
    if (others.length === 0) return { carrier, ...pause, websiteId, cause };
    const named = websiteIds.slice(0, NAMED_WEBSITES).join(", ");
    const more = websiteIds.length > NAMED_WEBSITES ? ` and ${websiteIds.length - NAMED_WEBSITES} more` : "";
    return { carrier, ...pause, cause: `websites ${named}${more}: ${cause}` };
  });

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
  // A single post that fails is no problem: the next sweep repeats it.
  "alerts-refused": ({ alertRefusal, nowMinute }) =>
    alertRefusal !== null && alertRefusal.since <= nowMinute * 60_000 - LATE_SECONDS * 1000
      ? [{ since: new Date(alertRefusal.since).toISOString(), cause: alertRefusal.cause }]
      : [],
  "database-filling": (state) => databasesThat(state, (it) => shareOf(it) >= FILLING_SHARE && shareOf(it) < FULL_SHARE),
  "database-full": (state) => databasesThat(state, (it) => shareOf(it) >= FULL_SHARE),
  "messages-late": ({ messages, retriedSeconds }) =>
    when(isOlder(messages.waiting, LATE_SECONDS) || (retriedSeconds ?? 0) > LATE_SECONDS),
  "messages-stuck": ({ messages }) => when(isMany(messages.stuck)),
  "carrier-not-set-up": (state) => carriersThat(state, ({ isInUse, isSetUp }) => isInUse && !isSetUp),
  "sandbox-in-use": ({ isSandboxInUse }) => when(isSandboxInUse),
  "carrier-credentials": (state) => carriersThat(state, ({ isUnauthorized }) => isUnauthorized),
  "carrier-paused": ({ carriers }) => carriers.flatMap(toPaused),
  "sender-paused": ({ carriers }) => carriers.flatMap(toPausedSenders),
  "carrier-failing": (state) =>
    carriersThat(state, ({ carrier }) => {
      const own = state.submissions.filter((it) => it.carrier === carrier);
      return isFailing(own, state.nowMinute, ["unauthorized", "limited"]);
    }),
  "deliveries-failing": ({ receipts, nowMinute, countedAfter }) =>
    findFailingSenders(receipts, nowMinute, countedAfter),
  "receipts-missing": ({ failing, submissions, receipts, received, nowMinute, countedAfter }) =>
    isKnown(failing, "receipts") && countedAfter <= nowMinute - HOUR_MINUTES
      ? findSilentCarriers(submissions, receipts, received, nowMinute)
      : [],
  "callbacks-late": ({ callbacks }) => when(isOlder(callbacks.due, LATE_SECONDS)),
  "callbacks-failing": ({ posts, nowMinute }) => when(isFailing(posts, nowMinute)),
  "endpoint-failing": ({ failingEndpoints }) => failingEndpoints.map(({ failures, ...about }) => about),
  "callbacks-unknown": ({ callbacks }) => when(isOlder(callbacks.claimed, LONGEST_RUN_MILLISECONDS / 1000)),
  "dead-jobs": ({ deadJobs }) => when(isMany(deadJobs)),
  "credentials-behind": ({ credentialsBehind }) => when(isOlder(credentialsBehind, LATE_SECONDS)),
  "keywords-without-effect": ({ keywordsWithoutEffect }) => when(isMany(keywordsWithoutEffect)),
  "maybe-opt-outs": ({ maybeOptOuts }) => when(isMany(maybeOptOuts)),
  "inbound-unreadable": ({ unreadableTexts }) => unreadableTexts.map(({ count: _, ...about }) => about),
} satisfies Record<string, (state: Observed) => Subject[]>;

export type Problem = keyof typeof CHECKS;

export const PROBLEMS = Object.keys(CHECKS) as Problem[];

const NOTHING = {
  carrier: null,
  sender: null,
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
export const subjectOf = ({ carrier, sender, clientId, database, websiteId }: ProblemDetail) =>
  carrier && sender ? `${carrier} ${sender}` : (carrier ?? clientId ?? database ?? websiteId ?? "");

/** In words, for a person. */
export function describeProblem(detail: Partial<ProblemDetail>): string {
  const { carrier, sender, websiteId, clientId, host, since, cause, nextTryAt, database } = detail;
  const parts = [
    carrier,
    sender && `sender ${sender}`,
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
