import type { Deps } from "../../deps.ts";
import { hasNoEffect, isStoreUnavailable } from "../../domain/failure.ts";
import { Breakers } from "../../domain/messages/breakers.ts";
import type { Lane, SubmissionRecord } from "../../domain/messages/job.ts";
import { isScheduled, longestWaitMilliseconds, RECOVERY_DELAY_SECONDS } from "../../domain/messages/retry-policy.ts";
import { describeError } from "../../platform/describe-error.ts";
import { type NextClaim, type Outcomes, type Recorded, recordAndClaim } from "../../store/messages/claims.ts";
import { inTurn } from "../in-turn.ts";
import { storeLater, sumOutcomes } from "../operations/count-outcomes.ts";
import { optOutAtCarrier } from "./apply-receipts.ts";
import { logOpened, wakeLater } from "./carrier-pauses.ts";
import { type DeliveryRun, queueFullJobs } from "./delivery-run.ts";
import { queueCallbacks, queueDeliveriesAt } from "./queue-jobs.ts";
import { claimOrRelease, queueRecoveryOrLog } from "./recovery-jobs.ts";
import { toRecord } from "./submission-record.ts";
import { type Ended, isSubmission, outcomeOf } from "./submit-message.ts";

/** Submissions of one claim that have ended. */
export interface EndedGroup {
  claim: string;
  endings: Ended[];
  /** As these endings have left them. */
  breakers: Breakers;
}

/** Stores how submissions of a claim ended. Never throws: while the store fails, a job keeps the outcomes. */
export async function storeEnded(deps: Deps, run: DeliveryRun, group: EndedGroup): Promise<void> {
  if (group.endings.length === 0) return;
  await storeOrQueue(deps, run, toOutcomes(deps, group));
}

async function storeOrQueue(deps: Deps, run: DeliveryRun, outcomes: Outcomes): Promise<void> {
  try {
    await followUpInRun(deps, run, outcomes, await tryStore(deps, outcomes));
  } catch (error) {
    await queueRecords(deps, outcomes, error);
  }
}

/**
 * If one statement is at fault, the outcomes are stored without the counts and without the changes of breakers: losing those two is
 * better than losing an outcome.
 */
async function tryStore(deps: Deps, outcomes: Outcomes): Promise<Recorded> {
  try {
    return await recordAndClaim(deps.db, outcomes, null, deps.now());
  } catch (error) {
    countByThemselves(deps, outcomes, error);
    if (isStoreUnavailable(error)) throw error;
    return await recordAndClaim(deps.db, { ...outcomes, counts: [], breakers: [] }, null, deps.now());
  }
}

/** Counts whose transaction had no effect are stored without it. */
function countByThemselves(deps: Deps, { counts }: Outcomes, error: unknown): void {
  if (hasNoEffect(error)) storeLater(deps, counts);
}

async function queueRecords(deps: Deps, { claim, records }: Outcomes, error: unknown): Promise<void> {
  deps.log("error", "submissions.not-recorded", { count: records.length, error: describeError(error) });
  await queueRecoveryOrLog(deps, { kind: "record", claim, records }, RECOVERY_DELAY_SECONDS);
}

/**
 * Stores how submissions ended, with what the carriers said with them, and queues callbacks and retries.
 * @param lane where retries are queued
 * @throws RequestFailure store-unavailable
 */
export async function storeQueuedRecords(
  deps: Deps,
  lane: Lane,
  claim: string,
  records: SubmissionRecord[],
): Promise<void> {
  const longestWait = longestWaitMilliseconds(deps.config);
  const outcomes: Outcomes = { claim, records, longestWait, counts: [], breakers: [] };
  const recorded = await recordAndClaim(deps.db, outcomes, null, deps.now());
  await queueCallbacks(deps, recorded.due);
  await followUp(deps, lane, outcomes, recorded);
}

function toOutcomes(deps: Deps, { claim, endings, breakers }: EndedGroup): Outcomes {
  const records = endings.map((ended) => toRecord(deps, ended));
  const submissions = endings.filter(({ ending }) => isSubmission(ending));
  const counts = sumOutcomes(
    submissions.map(({ message: { carrier }, endedAt, ending }) => ({
      ...{ kind: "submission", carrier, outcome: outcomeOf(ending), at: endedAt },
    })),
  );
  return { claim, records, longestWait: longestWaitMilliseconds(deps.config), counts, breakers: breakers.take() };
}

/** Queues the callbacks, which share jobs with others of the run, and then does the rest: see followUp. */
async function followUpInRun(deps: Deps, run: DeliveryRun, outcomes: Outcomes, recorded: Recorded): Promise<void> {
  await queueFullJobs(deps, run, recorded.due);
  await followUp(deps, run.lane, outcomes, recorded);
}

/** Does what follows from stored outcomes besides callbacks: opt-outs, retries, and the messages of what works again. */
async function followUp(deps: Deps, lane: Lane, outcomes: Outcomes, recorded: Recorded): Promise<void> {
  const { records, breakers } = outcomes;
  logOpened(deps, breakers);
  for (const key of recorded.working) wakeLater(deps, key);
  const receipts = records.flatMap(({ receipt }) => receipt ?? []);
  const optedOut = [...records, ...receipts].filter((one) => one.optedOut);
  const now = deps.now();
  const retried = records.flatMap(({ messageId, retryAt, sendAt }) =>
    retryAt === null || isScheduled(sendAt, now) ? [] : { messageId, at: retryAt },
  );
  const follow = [() => optOutAtCarrier(deps, optedOut), () => queueDeliveriesAt(deps, lane, retried, now)];
  await inTurn(follow, (next) => next());
}

/** A claim, and the circuit breakers as the store had them then. */
export type Claimed = Pick<Recorded, "claimed"> & { claim: string; breakers: Breakers };

/**
 * Claims messages, and in the same call of the store records the group before. Where that fails by a fault of one of the two,
 * each gets a call of its own.
 * @throws the failure of the claim
 */
export async function storeAndClaim(
  deps: Deps,
  run: DeliveryRun,
  before: EndedGroup | null,
  ids: string[],
): Promise<Claimed> {
  const next = { ids, claim: deps.newId(), acceptedAfter: deps.now() - deps.config.submitWithinMilliseconds };
  if (!before || before.endings.length === 0) return claimNext(deps, run, next, null);
  const outcomes = toOutcomes(deps, before);
  try {
    return await claimNext(deps, run, next, outcomes);
  } catch (error) {
    if (isStoreUnavailable(error)) {
      countByThemselves(deps, outcomes, error);
      await queueRecords(deps, outcomes, error);
      throw error;
    }
  }
  await storeOrQueue(deps, run, outcomes);
  return claimNext(deps, run, next, null);
}

async function claimNext(deps: Deps, run: DeliveryRun, next: NextClaim, outcomes: Outcomes | null): Promise<Claimed> {
  const { claim, ids } = next;
  const claiming = recordAndClaim(deps.db, outcomes, next, deps.now());
  const recorded = await claimOrRelease(deps, claiming, { kind: "release", claim, messageIds: ids });
  if (outcomes)
    await followUpInRun(deps, run, outcomes, recorded).catch((error) => queueRecords(deps, outcomes, error));
  else await queueFullJobs(deps, run, recorded.due);
  return { claim, claimed: recorded.claimed, breakers: new Breakers(recorded.breakers) };
}
