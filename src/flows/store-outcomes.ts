import type { Deps } from "../deps.ts";
import type { Lane, SubmissionRecord } from "../domain/job.ts";
import { longestWaitMilliseconds, RECOVERY_DELAY_SECONDS } from "../domain/retry-policy.ts";
import { describeError } from "../platform/describe-error.ts";
import { recordSubmissions } from "../platform/store/messages.ts";
import { applyReceipts, optOutAtCarrier } from "./apply-receipts.ts";
import { inTurn } from "./in-turn.ts";
import { queueCallbacks, queueDeliveriesAt, queueJobs } from "./queue-jobs.ts";
import { type Ended, toRecord } from "./submit-message.ts";

/** Stores how submissions of a claim ended. Never throws: while the store fails, a job keeps the outcomes. */
export async function recordEndings(deps: Deps, lane: Lane, claim: string, endings: Ended[]): Promise<void> {
  if (endings.length === 0) return;
  const records = endings.map((ended) => toRecord(deps, ended));
  try {
    await storeOutcomes(deps, lane, claim, records);
  } catch (error) {
    deps.log("error", "submissions.not-recorded", { count: records.length, error: describeError(error) });
    await queueJobs(deps, [{ kind: "record", claim, records }], RECOVERY_DELAY_SECONDS);
  }
}

/**
 * Stores how submissions ended, applies what the carriers said with them, and queues callbacks and retries.
 * @param lane where retries are queued
 */
export async function storeOutcomes(deps: Deps, lane: Lane, claim: string, records: SubmissionRecord[]): Promise<void> {
  const now = deps.now();
  const longestWait = longestWaitMilliseconds(deps.config);
  await queueCallbacks(deps, await recordSubmissions(deps.db, records, claim, { now, longestWait }));
  const optedOut = records.filter((record) => record.optedOut);
  const receipts = records.flatMap(({ receipt }) => receipt ?? []);
  const waiting = records.flatMap(({ messageId, retryAt }) => (retryAt === null ? [] : { messageId, at: retryAt }));
  const follow = [
    () => optOutAtCarrier(deps, optedOut),
    () => applyReceipts(deps, receipts),
    () => queueDeliveriesAt(deps, lane, waiting, now),
  ];
  await inTurn(follow, (next) => next());
}
