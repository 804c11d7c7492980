// A batch of callbacks: a run claims them, posts each of them once, and stores what came back.

import type { Deps } from "../../deps.ts";
import type { DueEvent } from "../../domain/callbacks/callback.ts";
import { hasNoEffect, isStoreRefused, isStoreUnavailable } from "../../domain/failure.ts";
import { RECOVERY_DELAY_SECONDS, refusedSeconds } from "../../domain/messages/retry-policy.ts";
import { describeError } from "../../platform/describe-error.ts";
import {
  type CallbackEnd,
  type ClaimedCallback,
  claimCallbacks,
  type Released,
  recordCallbacks,
} from "../../store/callbacks/callbacks.ts";
import { pauseAfter } from "../databases/split-batch.ts";
import { togetherOrInTurn } from "../in-turn.ts";
import { OUTBOUND_CONNECTIONS } from "../messages/connections.ts";
import { queueCallbacks } from "../messages/queue-jobs.ts";
import { claimOrRelease, queueRecoveryOrLog } from "../messages/recovery-jobs.ts";
import { storeLater } from "../operations/count-outcomes.ts";
import { EndpointTally } from "./endpoint-tally.ts";
import { countPosted, logTaken, type Posted, withoutUrl } from "./post-callback.ts";
import { type HostEnd, postToHost } from "./post-to-host.ts";
import { Slots } from "./slots.ts";

/** How long the other callbacks to a host wait after a post to it has timed out. */
export const PAUSE_SECONDS = 60;

/** A run begins no post after this: with the 10 seconds of its last post, it ends before an invocation may be cut off (30 s). */
const RUN_MILLISECONDS = 15_000;

/** How long the next batch of callbacks waits for the posts of this one. Slower posts continue in the background, and delay no others. */
const POST_WAIT_MILLISECONDS = 50;

/**
 * Posts each unclaimed callback of these jobs once. They share a claim and a record; where the claim fails by a fault of one of them, each job
 * has its own. Never throws.
 */
export async function postCallbacks(deps: Deps, jobs: DueEvent[][]): Promise<void> {
  const claimAndPost = (eventIds: DueEvent[]) => postTogether(deps, [...new Set(eventIds)]);
  await togetherOrInTurn(jobs, claimAndPost).catch((error) => pauseAfter(deps, error));
}

/**
 * The caller waits until the callbacks are claimed, so that a slow store has no more claims at a time than there are consumers, and a little
 * for the posts.
 * @throws the failure of the claim, which is logged
 */
async function postTogether(deps: Deps, eventIds: DueEvent[]): Promise<void> {
  const started = deps.now();
  const about = () => ({ kind: "callback", count: eventIds.length, milliseconds: deps.now() - started });
  const failed = (error: unknown) => deps.log("error", "callbacks.failed", { ...about(), error: describeError(error) });
  const claimed = await claimOrGiveBack(deps, eventIds).catch((error) => {
    failed(error);
    throw error;
  });
  deps.pause.until = 0;
  const posting = postClaimed(deps, claimed).then(
    () => deps.log("info", "job", { ...about(), outcome: "done" }),
    failed,
  );
  deps.waitUntil(posting);
  await Promise.race([posting, scheduler.wait(POST_WAIT_MILLISECONDS)]);
}

/** The callbacks that this run may post, and nobody else. */
interface ClaimedCallbacks {
  claim: string;
  callbacks: ClaimedCallback[];
}

/**
 * Posts each callback of a claim once, those of each host in the order of their events. Callbacks that it cannot post in time are
 * queued again at once; those to a host at which a post has timed out, after a minute. Never throws.
 */
async function postClaimed(deps: Deps, { claim, callbacks }: ClaimedCallbacks): Promise<void> {
  const unpostable = callbacks.filter(({ callbackUrl }) => callbackUrl === null);
  const hosts = Map.groupBy(
    callbacks.filter(({ callbackUrl }) => callbackUrl !== null),
    hostOf,
  );
  const job = {
    until: deps.now() + RUN_MILLISECONDS,
    slots: new Slots(deps.outbound ?? OUTBOUND_CONNECTIONS),
    secrets: new Map(),
  };
  const ends = await Promise.all(Array.from(hosts.values(), (some) => postToHost(deps, job, some)));
  const posted = ends.flatMap((end) => end.posted);
  logTaken(deps, posted);
  const { timedOut = [], inTime = [] } = Object.groupBy(ends, ({ hasTimedOut }) =>
    hasTimedOut ? "timedOut" : "inTime",
  );
  const unposted = [
    { eventIds: timedOut.flatMap(idsLeft), delaySeconds: PAUSE_SECONDS },
    { eventIds: inTime.flatMap(idsLeft), delaySeconds: 0 },
  ];
  await storeEnd(deps, claim, [...posted, ...withoutUrl(deps, unpostable)], unposted);
}

const idsLeft = ({ left }: HostEnd) => left.map(({ eventId }) => eventId);

/** A stored URL may be invalid by a newer rule. The post reports that; here it must not throw and fail the whole job. */
function hostOf({ callbackUrl }: ClaimedCallback): string {
  return URL.parse(String(callbackUrl))?.host ?? String(callbackUrl);
}

/**
 * Claims the callbacks that nobody has claimed. If the store refused the call, they are queued again. After a failure that tells
 * of no effect, the sweep finds them; after any other, see claimOrRelease.
 * @throws the failure of the store: nothing is to be posted
 */
async function claimOrGiveBack(deps: Deps, eventIds: DueEvent[]): Promise<ClaimedCallbacks> {
  const claim = deps.newId();
  const claiming = claimCallbacks(deps.db, eventIds, claim, deps.now());
  try {
    return { claim, callbacks: await claimOrRelease(deps, claiming, { kind: "release-callbacks", claim, eventIds }) };
  } catch (error) {
    if (isStoreRefused(error)) await queueCallbacks(deps, eventIds, refusedSeconds(deps.random()));
    throw error;
  }
}

interface Left {
  eventIds: DueEvent[];
  /** Before it is tried again. */
  delaySeconds: number;
}

/** Stores what came back, and gives back the callbacks that were not posted. Never throws. */
async function storeEnd(deps: Deps, claim: string, posted: Posted[], unposted: Left[]): Promise<void> {
  const left = unposted.filter(({ eventIds }) => eventIds.length > 0);
  const now = deps.now();
  const counts = countPosted(posted);
  const endpoints = new EndpointTally();
  for (const { callback, record } of posted) endpoints.add(callback, record);
  const toStore = {
    records: posted.map(({ record }) => record),
    released: left.map(({ eventIds, delaySeconds }): Released => ({ eventIds, dueAt: now + delaySeconds * 1000 })),
    counts,
    endpoints: endpoints.take(),
    claim,
    now,
  };
  try {
    if (posted.length + left.length > 0) await recordCallbacks(deps.db, toStore);
    for (const { eventIds, delaySeconds } of left) await queueCallbacks(deps, eventIds, delaySeconds);
  } catch (error) {
    if (hasNoEffect(error)) storeLater(deps, counts);
    await storeAfterFailure(deps, toStore, error);
  }
}

/** If the store works, one of the records is at fault: each is stored by itself. A job gives back the callbacks that were not posted. */
async function storeAfterFailure(deps: Deps, toStore: CallbackEnd, error: unknown): Promise<void> {
  const { records, released, claim } = toStore;
  const notRecorded = (count: number, cause: unknown) =>
    deps.log("error", "callbacks.not-recorded", { count, error: describeError(cause) });
  if (isStoreUnavailable(error)) {
    notRecorded(records.length, error);
  } else {
    for (const record of records) {
      const alone = { ...toStore, records: [record], counts: [], endpoints: [], released: [] };
      await recordCallbacks(deps.db, alone).catch((cause) => notRecorded(1, cause));
    }
  }
  const eventIds = released.flatMap((some) => some.eventIds);
  if (eventIds.length > 0)
    await queueRecoveryOrLog(deps, { kind: "release-callbacks", claim, eventIds }, RECOVERY_DELAY_SECONDS);
}
