import type { Carriers } from "../../carriers/index.ts";
import { DEFAULT_CARRIER } from "../../carriers/index.ts";
import type { Deps } from "../../deps.ts";
import { isLoopback } from "../../domain/callbacks/callback-url.ts";
import { isStoreRefused } from "../../domain/failure.ts";
import { LONGEST_RUN_MILLISECONDS } from "../../domain/messages/retry-policy.ts";
import { isUnauthorized } from "../../domain/operations/outcome-trend.ts";
import { findProblems, type ServiceState } from "../../domain/operations/problems.ts";
import {
  addLoads,
  ageSeconds,
  CALLBACK_OUTCOMES,
  type CarrierState,
  type EndpointState,
  isKnown,
  type Load,
  MESSAGE_STATES,
  type MessageState,
  QUEUES,
  type StatePart,
  SUBMISSION_OUTCOMES,
  toBacklog,
} from "../../domain/operations/service-state.ts";
import { describeError } from "../../platform/describe-error.ts";
import { withinTime } from "../../platform/time-limit.ts";
import type { FailingEndpoint } from "../../store/callbacks/failing-endpoints.ts";
import { LATEST_MIGRATION } from "../../store/database.ts";
import type { CarrierPause } from "../../store/messages/carrier-pauses.ts";
import { minuteOf, type OutcomeCount } from "../../store/operations/outcome-counts.ts";
import { COUNTED_ROWS, countStates, type StateCounts } from "../../store/operations/service-state.ts";
import { isOfEnvironment, KEPT_MILLISECONDS, readCarriers } from "../clients/carrier-accounts.ts";
import { inEach } from "../databases/places.ts";
import { readDatabases } from "../databases/read-databases.ts";
import { inParallel } from "../in-parallel.ts";
import { CONNECTIONS } from "../messages/connections.ts";
import { addCounts } from "./add-counts.ts";
import { asRefused, countAnswers, countArrivals, countOutcomes, countSenders } from "./last-hour.ts";

/** Rows of each state that are enough for a look: the oldest make most problems, and GET /operator/health reads many more. */
export const FEW_ROWS = 20;

/**
 * In parts: what one of them does not answer is null or empty, and named. Never throws.
 * @param origin the origin of the request
 * @param requestId null: the sweep asks
 * @param most rows that are read of each state. Fewer than all of them find the oldest, which make most problems
 */
export async function readServiceState(
  deps: Deps,
  origin: string,
  requestId: string | null,
  most = COUNTED_ROWS,
): Promise<ServiceState> {
  const now = deps.now();
  const [{ milliseconds, ...counts }, ...queues] = await Promise.all([
    readCounts(deps, now, most),
    ...QUEUES.map((queue) => readQueue(deps, queue, now)),
  ]);
  const { lastSweep, callbacks, outcomes, receipts, failing, carriersInUse: inUse } = counts;
  logFailing(deps, counts, requestId);
  const carriers = await readCarriersOf(deps, inUse);
  const databases = counts.failure === null ? await readDatabases(deps) : [];
  const ifKnown = (part: StatePart, load: Load) => (isKnown(failing, part) ? toBacklog(load, now) : UNKNOWN);
  const posts = outcomes.filter(({ kind }) => kind === "callback");
  const submissions = outcomes.filter(({ kind }) => kind === "submission");
  const state = {
    checkedAt: new Date(now).toISOString(),
    database: readDatabase(counts, milliseconds),
    failing,
    isCut: counts.isCut,
    sweep: {
      endedAt: lastSweep && new Date(lastSweep.endedAt).toISOString(),
      ageSeconds: lastSweep && ageSeconds(lastSweep.endedAt, now),
      failedJobs: lastSweep?.failedJobs ?? [],
    },
    databases: databases.map(({ sweptSince: _, ...state }) => state),
    queues,
    messages: byState((name) =>
      ifKnown(countedIn(name), addLoads([...counts.messages.values()].map((states) => states[name]))),
    ),
    retriedSeconds: counts.retriedSince && ageSeconds(counts.retriedSince, now),
    carriers: toCarriers(carriers, counts, submissions, now),
    senders: countSenders(receipts, now),
    callbacks: {
      due: ifKnown("callbacks", callbacks.due),
      claimed: ifKnown("callbacks", callbacks.claimed),
      ...countOutcomes(CALLBACK_OUTCOMES, isKnown(failing, "outcomes") && posts.map(asRefused), now),
      answered: countAnswers(posts, now),
      failingEndpoints: counts.failingEndpoints.map(toEndpoint),
    },
    deadJobs: ifKnown("deadJobs", counts.deadJobs),
    credentialsBehind: ifKnown("credentialsBehind", counts.credentialsBehind),
    keywordsWithoutEffect: ifKnown("keywordsWithoutEffect", counts.keywordsWithoutEffect),
    maybeOptOuts: ifKnown("maybeOptOuts", counts.maybeOptOuts),
    unreadableTexts: counts.unreadableTexts,
  };
  const isSandboxInUse = inUse.includes(DEFAULT_CARRIER) && !runsLocally(deps, origin);
  const details = findProblems({
    ...state,
    ...{ isSandboxInUse, nowMinute: minuteOf(now), countedAfter: counts.countedAfter },
    alertRefusal: deps.config.alertUrl ? counts.alertRefusal : null,
    posts: posts.filter(isReal),
    submissions: submissions.filter(isReal),
    receipts: receipts.filter(isReal),
    received: outcomes.filter(({ kind }) => kind === "receipt"),
    failingEndpoints: counts.failingEndpoints.filter(isReal).map(toEndpoint),
  });
  return { problems: [...new Set(details.map(({ problem }) => problem))], details, ...state };
}

/** The failures of the sandbox are rehearsed, and reach nobody. */
const isReal = ({ carrier }: { carrier: string }) => carrier !== DEFAULT_CARRIER;

const toEndpoint = ({ carrier: _, since, ...about }: FailingEndpoint): EndpointState => ({
  ...about,
  since: toTime(since),
});

const UNKNOWN = { count: null, oldestSeconds: null };

const countedIn = (state: MessageState): StatePart => (state === "withoutReceipt" ? "sending" : "pending");

/** A healthy one answers in a tenth of it, whatever waits. */
const BEHIND_MILLISECONDS = 2000;

/** @returns `milliseconds`: what the first database took */
async function readCounts(deps: Deps, now: number, most: number) {
  let milliseconds = 0;
  const [first, ...others] = await inParallel(inEach(deps), CONNECTIONS, async (own) => {
    const counts = await countStates(own.db, { now, stuckBefore: now - LONGEST_RUN_MILLISECONDS, most });
    if (own === deps) milliseconds = deps.now() - now;
    return counts;
  });
  return { ...addCounts(first as StateCounts, others), milliseconds };
}

/** A database is `behind` if it answers slowly, or refuses calls because too many are waiting. */
function readDatabase({ failure, failing, latestMigration }: StateCounts, taken: number): ServiceState["database"] {
  const isMissing = isKnown(failing, "migrations") && (latestMigration ?? "") < LATEST_MIGRATION;
  const latest = latestMigration ?? "none";
  const missing = isMissing ? `${LATEST_MIGRATION} is not applied; the latest that is: ${latest}` : null;
  if (failure !== null) {
    const status = isStoreRefused(failure) ? "behind" : "away";
    return { status, milliseconds: null, cause: describeError(failure), missing };
  }
  const isBehind = taken > BEHIND_MILLISECONDS;
  const cause = isBehind ? `it took ${taken} ms to answer` : null;
  return { status: isBehind ? "behind" : "ok", milliseconds: taken, cause, missing };
}

function logFailing(deps: Deps, { failure, failing }: StateCounts, requestId: string | null): void {
  const checks = failure === null ? failing : [{ part: "database", error: describeError(failure) }];
  for (const { part, error } of checks) deps.log("error", "health.failing", { check: part, requestId, error });
}

const toTime = (milliseconds: number) => new Date(milliseconds).toISOString();

function runsLocally({ config }: Deps, origin: string): boolean {
  return [config.carriers.PUBLIC_ORIGIN ?? origin, origin].every((known) => isLoopback(new URL(known)));
}

/** With the named accounts, if a website has one. If they cannot be read, they are shown as not set up. */
async function readCarriersOf(deps: Deps, inUse: string[]): Promise<Carriers> {
  if (inUse.every((name) => isOfEnvironment(deps, name))) return deps.carriers;
  return readCarriers(deps, KEPT_MILLISECONDS).catch(() => deps.carriers);
}

function toCarriers(
  carriers: Carriers,
  { messages, pauses, failing, receipts, carriersInUse: inUse }: StateCounts,
  submissions: OutcomeCount[],
  now: number,
): CarrierState[] {
  const submitted = submissions.map(({ carrier }) => carrier);
  const names = new Set([...Object.keys(carriers.ready), ...inUse, ...messages.keys(), ...submitted]);
  return [...names].sort().map((carrier) => ({
    carrier,
    isInUse: inUse.includes(carrier),
    isSetUp: Object.hasOwn(carriers.ready, carrier),
    missingSettings: (Object.hasOwn(carriers.missing, carrier) && carriers.missing[carrier]) || [],
    ...byState((name) => (isKnown(failing, countedIn(name)) ? toBacklog(messages.get(carrier)?.[name], now) : UNKNOWN)),
    isUnauthorized: isUnauthorized(ofCarrier(submissions, carrier)),
    ...pausesOf(pauses, carrier, now),
    ...countOutcomes(SUBMISSION_OUTCOMES, isKnown(failing, "outcomes") && ofCarrier(submissions, carrier), now),
    receipts: countArrivals(
      isKnown(failing, "outcomes") &&
        isKnown(failing, "receipts") && {
          submissions: ofCarrier(submissions, carrier),
          receipts: ofCarrier(receipts, carrier),
        },
      now,
    ),
  }));
}

const ofCarrier = <Count extends { carrier: string }>(counts: Count[], name: string) =>
  counts.filter(({ carrier }) => carrier === name);

/** With the next try some seconds behind, it is under way. After that, nothing waits for the carrier. */
const TRIED_WITHIN_MILLISECONDS = 60_000;

/** In each database, a sender or a carrier has a pause of its own: the first is shown, with the websites of all. */
function pausesOf(pauses: CarrierPause[], name: string, now: number): Pick<CarrierState, "pause" | "senderPauses"> {
  const own = pauses.filter((it) => it.carrier === name && it.openUntil >= now - TRIED_WITHIN_MILLISECONDS);
  const bySender = [...Map.groupBy(own, ({ sender }) => sender)].map(([sender, all]) => {
    const [{ about, since, cause, openUntil }] = all as [CarrierPause];
    const nextTryAt = openUntil > now ? toTime(openUntil) : null;
    const websiteIds = all.flatMap((it) => it.websiteIds);
    return { sender, about, websiteIds, pause: { since: toTime(since), cause, nextTryAt } };
  });
  const [whole] = bySender.filter(({ sender }) => sender === "");
  return {
    pause: whole ? { about: whole.about, ...whole.pause } : null,
    senderPauses: bySender.flatMap(({ sender, websiteIds, pause }) =>
      sender === "" ? [] : { sender, websiteIds, ...pause },
    ),
  };
}

function byState<T>(read: (state: MessageState) => T): Record<MessageState, T> {
  return Object.fromEntries(MESSAGE_STATES.map((state) => [state, read(state)])) as Record<MessageState, T>;
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
