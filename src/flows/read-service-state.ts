import type { Deps } from "../deps.ts";
import { isLoopback } from "../domain/callback-url.ts";
import { LONGEST_RUN_MILLISECONDS } from "../domain/retry-policy.ts";
import {
  addLoads,
  ageSeconds,
  CALLBACK_OUTCOMES,
  type CarrierState,
  findProblems,
  MESSAGE_STATES,
  type MessageState,
  QUEUES,
  type ServiceState,
  SUBMISSION_OUTCOMES,
  toBacklog,
} from "../domain/service-state.ts";
import { DEFAULT_CARRIER } from "../platform/carriers/index.ts";
import { describeError } from "../platform/describe-error.ts";
import { type LastOutcomes, readOutcomes } from "../platform/store/outcome-counts.ts";
import { countStates, listCarriersInUse, type StateCounts } from "../platform/store/service-state.ts";
import { withinTime } from "../platform/time-limit.ts";

/**
 * @param origin the origin of the request
 * @throws RequestFailure store-unavailable
 */
export async function readServiceState(deps: Deps, origin: string): Promise<ServiceState> {
  const now = deps.now();
  const [counts, outcomes, inUse, ...queues] = await Promise.all([
    countStates(deps.db, { now, stuckBefore: now - LONGEST_RUN_MILLISECONDS }),
    readOutcomes(deps.db, now),
    listCarriersInUse(deps.db),
    ...QUEUES.map((queue) => readQueue(deps, queue, now)),
  ]);
  const { lastSweep, callbacks } = counts;
  const state = {
    checkedAt: new Date(now).toISOString(),
    isCut: counts.isCut,
    sweep: {
      endedAt: lastSweep && new Date(lastSweep.endedAt).toISOString(),
      ageSeconds: lastSweep && ageSeconds(lastSweep.endedAt, now),
      failedJobs: lastSweep?.failedJobs ?? [],
    },
    queues,
    messages: byState((name) => toBacklog(addLoads([...counts.messages.values()].map((states) => states[name])), now)),
    carriers: readCarriers(deps, counts, outcomes, inUse),
    callbacks: {
      due: toBacklog(callbacks.due, now),
      claimed: toBacklog(callbacks.claimed, now),
      lastHour: countOutcomes(CALLBACK_OUTCOMES, outcomes, "callback", ""),
    },
    deadJobs: toBacklog(counts.deadJobs, now),
    credentialsBehind: toBacklog(counts.credentialsBehind, now),
    keywordsWithoutEffect: toBacklog(counts.keywordsWithoutEffect, now),
  };
  const isSandboxInUse = inUse.includes(DEFAULT_CARRIER) && !runsLocally(deps, origin);
  return { problems: findProblems({ ...state, isSandboxInUse }), ...state };
}

function runsLocally({ config }: Deps, origin: string): boolean {
  return [config.carriers.PUBLIC_ORIGIN ?? origin, origin].every((known) => isLoopback(new URL(known)));
}

function readCarriers(
  { carriers, now }: Deps,
  { messages }: StateCounts,
  outcomes: LastOutcomes[],
  inUse: string[],
): CarrierState[] {
  const submitted = outcomes.filter(({ kind }) => kind === "submission").map(({ carrier }) => carrier);
  const names = new Set([...Object.keys(carriers.ready), ...inUse, ...messages.keys(), ...submitted]);
  return [...names].sort().map((carrier) => ({
    carrier,
    isInUse: inUse.includes(carrier),
    isSetUp: Object.hasOwn(carriers.ready, carrier),
    missingSettings: (Object.hasOwn(carriers.missing, carrier) && carriers.missing[carrier]) || [],
    ...byState((name) => toBacklog(messages.get(carrier)?.[name], now())),
    isUnauthorized: isUnauthorized(outcomes, carrier),
    lastHour: countOutcomes(SUBMISSION_OUTCOMES, outcomes, "submission", carrier),
  }));
}

/** When both fall into the same minute, their order is unknown: the carrier counts as unauthorized until the next submission. */
function isUnauthorized(outcomes: LastOutcomes[], carrier: string): boolean {
  const own = outcomes.filter((it) => it.kind === "submission" && it.carrier === carrier);
  const last = (...names: string[]) =>
    Math.max(...own.filter(({ outcome }) => names.includes(outcome)).map(({ lastMinute }) => lastMinute));
  return last("unauthorized") > Number.NEGATIVE_INFINITY && last("unauthorized") >= last("accepted", "refused");
}

function byState<T>(read: (state: MessageState) => T): Record<MessageState, T> {
  return Object.fromEntries(MESSAGE_STATES.map((state) => [state, read(state)])) as Record<MessageState, T>;
}

function countOutcomes<Name extends string>(
  names: readonly Name[],
  outcomes: LastOutcomes[],
  kind: LastOutcomes["kind"],
  carrier: string,
): Record<Name, number> {
  const found = outcomes.filter((it) => it.kind === kind && it.carrier === carrier);
  const count = (name: Name) => found.find(({ outcome }) => outcome === name)?.count ?? 0;
  return Object.fromEntries(names.map((name) => [name, count(name)])) as Record<Name, number>;
}

const QUEUE_TIMEOUT_MILLISECONDS = 2000;

/** Nulls when the queue does not answer in time: the other counts are still useful. */
async function readQueue(deps: Deps, queue: (typeof QUEUES)[number], now: number) {
  try {
    const { backlogCount, oldestMessageTimestamp } = await withinTime(
      QUEUE_TIMEOUT_MILLISECONDS,
      deps[queue].metrics(),
    );
    const oldestSeconds = oldestMessageTimestamp ? ageSeconds(oldestMessageTimestamp.getTime(), now) : null;
    return { queue, backlog: backlogCount, oldestSeconds };
  } catch (error) {
    deps.log("warn", "queue.metrics-failed", { queue, error: describeError(error) });
    return { queue, backlog: null, oldestSeconds: null };
  }
}
