// Pure. What an operator sees of the service's state, and what of it is a problem.

/** A run of a queue's consumer lasts 15 minutes at most; a claim older than this has no run any more. */
export const LONGEST_RUN_MILLISECONDS = 16 * 60_000;

/** How long a keyword without effect is a problem: somebody is to see it, and nothing can be done to end it. */
export const KEYWORD_MILLISECONDS = 24 * 3_600_000;

/** How many are in a state, and since when the first of them (milliseconds since 1970). */
export interface Load {
  count: number;
  oldestAt: number | null;
}

/** Of a message that is not final: for its job, for its retry, for its carrier's answer, for its receipt. */
export const MESSAGE_STATES = ["waiting", "retrying", "claimed", "stuck", "withoutReceipt"] as const;

export type MessageState = (typeof MESSAGE_STATES)[number];

export type CarrierStates = Partial<Record<MessageState, Load>>;

/** `unauthorized`: tried again as `later` is, but the carrier did not take our credentials. */
export const SUBMISSION_OUTCOMES = ["accepted", "refused", "unknown", "later", "unauthorized"] as const;

/** `refused`: answered, and not with 2xx. */
export const CALLBACK_OUTCOMES = ["accepted", "refused", "timed-out", "unreachable", "not-posted"] as const;

/** The same with an age in whole seconds, as it is shown. */
export interface Backlog {
  count: number;
  oldestSeconds: number | null;
}

export interface CarrierState extends Record<MessageState, Backlog> {
  carrier: string;
  isInUse: boolean;
  isSetUp: boolean;
  missingSettings: string[];
  /** It has not taken our credentials, and nothing else since. */
  isUnauthorized: boolean;
  lastHour: Record<(typeof SUBMISSION_OUTCOMES)[number], number>;
}

export interface ServiceState {
  checkedAt: string;
  problems: Problem[];
  isCut: boolean;
  sweep: { endedAt: string | null; ageSeconds: number | null; failedJobs: string[] };
  queues: { queue: "messages" | "callbacks"; backlog: number | null; oldestSeconds: number | null }[];
  messages: Record<MessageState, Backlog>;
  carriers: CarrierState[];
  callbacks: { due: Backlog; claimed: Backlog; lastHour: Record<(typeof CALLBACK_OUTCOMES)[number], number> };
  deadJobs: Backlog;
  credentialsBehind: Backlog;
  keywordsWithoutEffect: Backlog;
}

/** What problems are found in. */
export interface Observed extends Omit<ServiceState, "problems"> {
  /** Somewhere else than on a developer's machine, a website says of texts that they are delivered, and nobody gets them. */
  isSandboxInUse: boolean;
}

/** What a cron, a queue and the sweep after it need at most, and some minutes more. */
const LATE_SECONDS = 300;

const SIGNS = {
  "sweep-late": ({ sweep }) => sweep.ageSeconds === null || sweep.ageSeconds > LATE_SECONDS,
  "sweep-failing": ({ sweep }) => sweep.failedJobs.length > 0,
  "messages-late": ({ messages }) => isOlder(messages.waiting, LATE_SECONDS),
  "messages-stuck": ({ messages }) => messages.stuck.count > 0,
  "carrier-not-set-up": ({ carriers }) => carriers.some(({ isInUse, isSetUp }) => isInUse && !isSetUp),
  "sandbox-in-use": ({ isSandboxInUse }) => isSandboxInUse,
  "carrier-credentials": ({ carriers }) => carriers.some(({ isUnauthorized }) => isUnauthorized),
  "carrier-failing": ({ carriers }) => carriers.some(({ lastHour: { unauthorized, ...counts } }) => fails(counts)),
  "callbacks-late": ({ callbacks }) => isOlder(callbacks.due, LATE_SECONDS),
  "callbacks-failing": ({ callbacks }) => fails(callbacks.lastHour),
  "callbacks-unknown": ({ callbacks }) => isOlder(callbacks.claimed, LONGEST_RUN_MILLISECONDS / 1000),
  "dead-jobs": ({ deadJobs }) => deadJobs.count > 0,
  "credentials-behind": ({ credentialsBehind }) => isOlder(credentialsBehind, LATE_SECONDS),
  "keywords-without-effect": ({ keywordsWithoutEffect }) => keywordsWithoutEffect.count > 0,
} satisfies Record<string, (state: Observed) => boolean>;

export type Problem = keyof typeof SIGNS;

export const PROBLEMS = Object.keys(SIGNS) as Problem[];

export function findProblems(state: Observed): Problem[] {
  return PROBLEMS.filter((problem) => SIGNS[problem](state));
}

function isOlder({ oldestSeconds }: Backlog, seconds: number): boolean {
  return oldestSeconds !== null && oldestSeconds > seconds;
}

/** More than half did not get through. */
function fails({ accepted, ...others }: Record<string, number> & { accepted: number }): boolean {
  return Object.values(others).reduce((sum, count) => sum + count, 0) > accepted;
}

/** @param now milliseconds since 1970 */
export function toBacklog(load: Load | undefined, now: number): Backlog {
  const { count, oldestAt } = load ?? { count: 0, oldestAt: null };
  return { count, oldestSeconds: oldestAt === null ? null : ageSeconds(oldestAt, now) };
}

export function ageSeconds(at: number, now: number): number {
  return Math.max(0, Math.floor((now - at) / 1000));
}

/** Of several loads together. */
export function addLoads(loads: readonly (Load | undefined)[]): Load {
  const known = loads.filter((load) => load !== undefined);
  const times = known.flatMap(({ oldestAt }) => oldestAt ?? []);
  return {
    count: known.reduce((sum, { count }) => sum + count, 0),
    oldestAt: times.length === 0 ? null : Math.min(...times),
  };
}
