import type { Deps } from "../deps.ts";
import { hasNoEffect, isStoreUnavailable } from "../domain/failure.ts";
import type { Lane, SubmissionRecord } from "../domain/job.ts";
import { longestWaitMilliseconds, RECOVERY_DELAY_SECONDS } from "../domain/retry-policy.ts";
import { describeError } from "../platform/describe-error.ts";
import { type ClaimedMessage, type NextClaim, type Outcomes, recordAndClaim } from "../platform/store/claims.ts";
import type { OutcomeCount } from "../platform/store/outcome-counts.ts";
import { optOutAtCarrier } from "./apply-receipts.ts";
import type { DeliveryRun } from "./delivery-run.ts";
import { inTurn } from "./in-turn.ts";
import { storeAndPost } from "./own-callbacks.ts";
import { queueCallbacks, queueDeliveriesAt } from "./queue-jobs.ts";
import { claimOrRelease, queueRecoveryOrLog } from "./recovery-jobs.ts";
import { type Ended, toRecord } from "./submit-message.ts";

/** Submissions of one claim that have ended. */
export interface EndedGroup {
  claim: string;
  endings: Ended[];
  /** No other claim of its run follows: the counts of the run are stored with it. */
  isLast: boolean;
}

/**
 * Stores how submissions of a claim ended. Never throws: while the store fails, a job keeps the outcomes.
 * @param posts nothing else of the run follows, so it posts the first callbacks itself
 */
export async function recordEndings(deps: Deps, run: DeliveryRun, group: EndedGroup, posts = false): Promise<void> {
  if (group.endings.length === 0) return;
  const records = group.endings.map((ended) => toRecord(deps, ended));
  const now = deps.now();
  try {
    const messageIds = records.map(({ messageId }) => messageId);
    await storeAndPost(deps, posts ? run : null, messageIds, (claim) =>
      recordWithCounts(deps, run, group, records, now, claim),
    );
    await followUp(deps, run.lane, records, now);
  } catch (error) {
    await keepRecords(deps, group.claim, records, error);
  }
}

/** A count is lost rather than an outcome, or than counted twice. */
async function recordWithCounts(
  deps: Deps,
  run: DeliveryRun,
  group: EndedGroup,
  records: SubmissionRecord[],
  now: number,
  callbackClaim: string | null,
): ReturnType<typeof recordAndClaim> {
  const counts = group.isLast ? run.tally.take() : [];
  const record = (some: OutcomeCount[]) => {
    const outcomes = toOutcomes(deps, group.claim, records, some);
    return recordAndClaim(deps.db, { ...outcomes, callbackClaim }, null, now);
  };
  try {
    return await record(counts);
  } catch (error) {
    if (hasNoEffect(error)) run.tally.putBack(counts);
    if (counts.length === 0 || isStoreUnavailable(error)) throw error;
    return await record([]);
  }
}

async function keepRecords(deps: Deps, claim: string, records: SubmissionRecord[], error: unknown): Promise<void> {
  deps.log("error", "submissions.not-recorded", { count: records.length, error: describeError(error) });
  await queueRecoveryOrLog(deps, { kind: "record", claim, records }, RECOVERY_DELAY_SECONDS);
}

/**
 * Stores how submissions ended, with what the carriers said with them, and queues callbacks and retries.
 * @param lane where retries are queued
 * @throws RequestFailure store-unavailable
 */
export async function storeOutcomes(deps: Deps, lane: Lane, claim: string, records: SubmissionRecord[]): Promise<void> {
  const now = deps.now();
  const { due } = await recordAndClaim(deps.db, toOutcomes(deps, claim, records, []), null, now);
  await queueCallbacks(deps, due);
  await followUp(deps, lane, records, now);
}

function toOutcomes(deps: Deps, claim: string, records: SubmissionRecord[], counts: OutcomeCount[]): Outcomes {
  return { claim, records, counts, longestWait: longestWaitMilliseconds(deps.config), callbackClaim: null };
}

/** Opt-outs and retries. */
async function followUp(deps: Deps, lane: Lane, records: SubmissionRecord[], now: number): Promise<void> {
  const receipts = records.flatMap(({ receipt }) => receipt ?? []);
  const optedOut = [...records, ...receipts].filter((record) => record.optedOut);
  const waiting = records.flatMap(({ messageId, retryAt }) => (retryAt === null ? [] : { messageId, at: retryAt }));
  const follow = [() => optOutAtCarrier(deps, optedOut), () => queueDeliveriesAt(deps, lane, waiting, now)];
  await inTurn(follow, (next) => next());
}

/**
 * Claims messages, and in the same call of the store records the group before. Where that fails by a fault of one of the two,
 * each gets a call of its own.
 * @throws the failure of the claim
 */
export async function recordAndClaimNext(
  deps: Deps,
  run: DeliveryRun,
  before: EndedGroup | null,
  ids: string[],
): Promise<{ claim: string; claimed: ClaimedMessage[] }> {
  const next = { ids, claim: deps.newId(), acceptedAfter: deps.now() - deps.config.submitWithinMilliseconds };
  if (!before || before.endings.length === 0) return claimNext(deps, next, null);
  const records = before.endings.map((ended) => toRecord(deps, ended));
  try {
    const claimed = await claimNext(deps, next, toOutcomes(deps, before.claim, records, []));
    await followUp(deps, run.lane, records, deps.now()).catch((error) =>
      keepRecords(deps, before.claim, records, error),
    );
    return claimed;
  } catch (error) {
    if (isStoreUnavailable(error)) await keepRecords(deps, before.claim, records, error);
    if (isStoreUnavailable(error)) throw error;
  }
  await recordEndings(deps, run, before);
  return claimNext(deps, next, null);
}

async function claimNext(
  deps: Deps,
  next: NextClaim,
  outcomes: Outcomes | null,
): Promise<{ claim: string; claimed: ClaimedMessage[] }> {
  const { claim, ids } = next;
  const claiming = recordAndClaim(deps.db, outcomes, next, deps.now());
  const { claimed, due } = await claimOrRelease(deps, { claim, messageIds: ids }, claiming);
  await queueCallbacks(deps, due);
  return { claim, claimed };
}
