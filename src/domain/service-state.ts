// Pure. The state of the service as an operator sees it, and the problems in it.
import { LONGEST_RUN_MILLISECONDS } from "./retry-policy.ts";

/** A keyword without effect is a problem for a day: the operator should see it, and cannot resolve it. */
export const KEYWORD_MILLISECONDS = 24 * 3_600_000;

/** The number of items in a state, and since when the oldest is (milliseconds since 1970). */
export interface Load {
  count: number;
  oldestAt: number | null;
}

/** States of a message that is not final. */
export const MESSAGE_STATES = ["waiting", "retrying", "claimed", "stuck", "withoutReceipt"] as const;

export type MessageState = (typeof MESSAGE_STATES)[number];

export type CarrierStates = Partial<Record<MessageState, Load>>;

/** `unauthorized`: the carrier rejected our credentials; retried as `later` is. */
export const SUBMISSION_OUTCOMES = ["accepted", "refused", "unknown", "later", "unauthorized"] as const;

/** `refused`: answered with another status than 2xx. */
export const CALLBACK_OUTCOMES = ["accepted", "refused", "timed-out", "unreachable", "not-posted"] as const;

export const QUEUES = ["messages", "bulk", "callbacks", "receipts"] as const;

/** A load as the operator sees it, with an age in whole seconds. */
interface Backlog {
  count: number;
  oldestSeconds: number | null;
}

export interface CarrierState extends Record<MessageState, Backlog> {
  carrier: string;
  isInUse: boolean;
  isSetUp: boolean;
  missingSettings: string[];
  /** It has rejected our credentials, and has answered no submission otherwise since. */
  isUnauthorized: boolean;
  lastHour: Record<(typeof SUBMISSION_OUTCOMES)[number], number>;
}

export interface ServiceState {
  checkedAt: string;
  problems: Problem[];
  isCut: boolean;
  sweep: { endedAt: string | null; ageSeconds: number | null; failedJobs: string[] };
  queues: { queue: (typeof QUEUES)[number]; backlog: number | null; oldestSeconds: number | null }[];
  messages: Record<MessageState, Backlog>;
  carriers: CarrierState[];
  callbacks: { due: Backlog; claimed: Backlog; lastHour: Record<(typeof CALLBACK_OUTCOMES)[number], number> };
  deadJobs: Backlog;
  credentialsBehind: Backlog;
  keywordsWithoutEffect: Backlog;
}

/** The facts in which problems are found. */
interface Observed extends Omit<ServiceState, "problems"> {
  /** Whether a website uses the sandbox outside a developer's machine: its texts count as delivered, and reach nobody. */
  isSandboxInUse: boolean;
}

/** Work is late after this: more than a cron, a queue and the sweep take in the worst case. */
const LATE_SECONDS = 300;

const CHECKS = {
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

export type Problem = keyof typeof CHECKS;

export const PROBLEMS = Object.keys(CHECKS) as Problem[];

export function findProblems(state: Observed): Problem[] {
  return PROBLEMS.filter((problem) => CHECKS[problem](state));
}

function isOlder({ oldestSeconds }: Backlog, seconds: number): boolean {
  return oldestSeconds !== null && oldestSeconds > seconds;
}

/** More than half failed. */
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

export function addLoads(loads: readonly (Load | undefined)[]): Load {
  const known = loads.filter((load) => load !== undefined);
  const times = known.flatMap(({ oldestAt }) => oldestAt ?? []);
  return {
    count: known.reduce((sum, { count }) => sum + count, 0),
    oldestAt: times.length === 0 ? null : Math.min(...times),
  };
}
