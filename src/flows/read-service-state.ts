import type { Deps } from "../deps.ts";
import { isLoopback } from "../domain/callback-url.ts";
import { RequestFailure } from "../domain/failure.ts";
import { lastMinute, WINDOW_MINUTES } from "../domain/outcome-trend.ts";
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
import type { CarrierPause } from "../platform/store/carrier-pauses.ts";
import { minuteOf, readOutcomes } from "../platform/store/outcome-counts.ts";
import type { OutcomeCountRow } from "../platform/store/rows.ts";
import { addCounts, countStates, listCarriersInUse, type StateCounts } from "../platform/store/service-state.ts";
import { withinTime } from "../platform/time-limit.ts";
import { askEach } from "./ask-each.ts";
import { inEach } from "./places.ts";
import { readDatabases } from "./read-databases.ts";

/**
 * @param origin the origin of the request
 * @throws RequestFailure store-unavailable
 */
export async function readServiceState(deps: Deps, origin: string): Promise<ServiceState> {
  const now = deps.now();
  const [{ answers, missing }, ...queues] = await Promise.all([
    askEach(inEach(deps), (own) => readOwn(own, now)),
    ...QUEUES.map((queue) => readQueue(deps, queue, now)),
  ]);
  // Without the first, it is not even known what operators were told of.
  if (missing.unavailableDatabases?.includes(deps.database)) throw new RequestFailure({ kind: "store-unavailable" });
  const databases = await readDatabases(deps);
  const counts = addCounts(answers.map((own) => own.counts));
  const outcomes = answers.flatMap((own) => own.outcomes);
  const inUse = [...new Set(answers.flatMap((own) => own.inUse))];
  const { lastSweep, callbacks } = counts;
  const posts = outcomes.filter(({ kind }) => kind === "callback");
  const submissions = outcomes.filter(({ kind }) => kind === "submission");
  const state = {
    checkedAt: new Date(now).toISOString(),
    isCut: counts.isCut,
    sweep: {
      endedAt: lastSweep && new Date(lastSweep.endedAt).toISOString(),
      ageSeconds: lastSweep && ageSeconds(lastSweep.endedAt, now),
      failedJobs: lastSweep?.failedJobs ?? [],
    },
    databases: databases.map(({ sweptSince: _, ...state }) => state),
    queues,
    messages: byState((name) => toBacklog(addLoads([...counts.messages.values()].map((states) => states[name])), now)),
    retriedSeconds: counts.retriedSince && ageSeconds(counts.retriedSince, now),
    carriers: readCarriers(deps, counts, submissions, inUse),
    callbacks: {
      due: toBacklog(callbacks.due, now),
      claimed: toBacklog(callbacks.claimed, now),
      ...countOutcomes(CALLBACK_OUTCOMES, posts, now),
      failingEndpoints: counts.failingEndpoints.map((it) => ({ ...it, since: toTime(it.since) })),
    },
    deadJobs: toBacklog(counts.deadJobs, now),
    credentialsBehind: toBacklog(counts.credentialsBehind, now),
    keywordsWithoutEffect: toBacklog(counts.keywordsWithoutEffect, now),
  };
  const isSandboxInUse = inUse.includes(DEFAULT_CARRIER) && !runsLocally(deps, origin);
  const details = findProblems({ ...state, isSandboxInUse, posts, submissions, nowMinute: minuteOf(now) });
  return { problems: [...new Set(details.map(({ problem }) => problem))], details, ...state };
}

async function readOwn({ db }: Deps, now: number) {
  const [counts, outcomes, inUse] = await Promise.all([
    countStates(db, { now, stuckBefore: now - LONGEST_RUN_MILLISECONDS }),
    readOutcomes(db, now),
    listCarriersInUse(db),
  ]);
  return { counts, outcomes, inUse };
}

const toTime = (milliseconds: number) => new Date(milliseconds).toISOString();

function runsLocally({ config }: Deps, origin: string): boolean {
  return [config.carriers.PUBLIC_ORIGIN ?? origin, origin].every((known) => isLoopback(new URL(known)));
}

function readCarriers(
  { carriers, now }: Deps,
  { messages, pauses }: StateCounts,
  submissions: OutcomeCountRow[],
  inUse: string[],
): CarrierState[] {
  const submitted = submissions.map(({ carrier }) => carrier);
  const names = new Set([...Object.keys(carriers.ready), ...inUse, ...messages.keys(), ...submitted]);
  return [...names].sort().map((carrier) => ({
    carrier,
    isInUse: inUse.includes(carrier),
    isSetUp: Object.hasOwn(carriers.ready, carrier),
    missingSettings: (Object.hasOwn(carriers.missing, carrier) && carriers.missing[carrier]) || [],
    ...byState((name) => toBacklog(messages.get(carrier)?.[name], now())),
    isUnauthorized: isUnauthorized(ofCarrier(submissions, carrier)),
    pause: pauseOf(pauses, carrier, now()),
    ...countOutcomes(SUBMISSION_OUTCOMES, ofCarrier(submissions, carrier), now()),
  }));
}

const ofCarrier = (submissions: OutcomeCountRow[], name: string) =>
  submissions.filter(({ carrier }) => carrier === name);

/** When both fall into the same minute, their order is unknown: the carrier counts as unauthorized until the next submission. */
function isUnauthorized(own: OutcomeCountRow[]): boolean {
  const last = (...names: string[]) => lastMinute(own.filter(({ outcome }) => names.includes(outcome)));
  return last("unauthorized") > Number.NEGATIVE_INFINITY && last("unauthorized") >= last("accepted", "refused");
}

/** With the next try some seconds behind, it is under way. After that, nothing waits for the carrier. */
const TRIED_WITHIN_MILLISECONDS = 60_000;

function pauseOf(pauses: CarrierPause[], name: string, now: number): CarrierState["pause"] {
  const pause = pauses.find(({ carrier }) => carrier === name);
  if (!pause || pause.openUntil < now - TRIED_WITHIN_MILLISECONDS) return null;
  const nextTryAt = pause.openUntil > now ? toTime(pause.openUntil) : null;
  return { since: toTime(pause.since), cause: pause.cause, nextTryAt };
}

function byState<T>(read: (state: MessageState) => T): Record<MessageState, T> {
  return Object.fromEntries(MESSAGE_STATES.map((state) => [state, read(state)])) as Record<MessageState, T>;
}

function countOutcomes<Name extends string>(names: readonly Name[], own: OutcomeCountRow[], now: number) {
  const countAfter = (after: number) => {
    const some = own.filter(({ minute }) => minute > after);
    const count = (name: Name) =>
      some.filter(({ outcome }) => outcome === name).reduce((sum, { count }) => sum + count, 0);
    return Object.fromEntries(names.map((name) => [name, count(name)])) as Record<Name, number>;
  };
  return { lastFiveMinutes: countAfter(minuteOf(now) - WINDOW_MINUTES), lastHour: countAfter(0) };
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
