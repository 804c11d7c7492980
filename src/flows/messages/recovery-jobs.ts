// Recovery jobs repair what a failed store has left open. One that is lost would leave a text that goes out twice, or never.
import type { Deps } from "../../deps.ts";
import { hasNoEffect } from "../../domain/failure.ts";
import type { Recovery } from "../../domain/messages/job.ts";
import { TRY_LIFE_SECONDS } from "../../domain/messages/retry-policy.ts";
import { byWebsite, queueJobs } from "./queue-jobs.ts";

/** Queues a recovery job. @returns whether the queue has confirmed it; if not, it may be lost */
export function queueRecovery(deps: Deps, job: Recovery, delaySeconds = 0): Promise<boolean> {
  return queueJobs(deps, jobsOfEach(job), delaySeconds);
}

/** A claim may have messages of several websites, and a job is of one. */
function jobsOfEach(job: Recovery): Recovery[] {
  switch (job.kind) {
    case "cancel":
    case "release":
      return byWebsite(job.messageIds, String).map((messageIds) => ({ ...job, messageIds }));
    case "release-callbacks":
      return byWebsite(job.eventIds, String).map((eventIds) => ({ ...job, eventIds }));
    case "record":
      return byWebsite(job.records, ({ messageId }) => messageId).map((records) => ({ ...job, records }));
  }
}

/** As queueRecovery, for callers that can tell nobody: a job that may be lost is logged. */
export async function queueRecoveryOrLog(deps: Deps, job: Recovery, delaySeconds = 0): Promise<void> {
  if (!(await queueRecovery(deps, job, delaySeconds))) deps.log("error", "recovery.lost", { kind: job.kind });
}

/**
 * Waits for a claim. If the store fails, and may have made the claim, a job releases it. If the failure says that the call had no effect,
 * the run may claim under the same name again.
 * @param release the job
 * @throws the failure of the claim
 */
export async function claimOrRelease<Claimed>(
  deps: Deps,
  claiming: Promise<Claimed>,
  release: Recovery,
): Promise<Claimed> {
  try {
    return await claiming;
  } catch (error) {
    if (!hasNoEffect(error)) await queueRecoveryOrLog(deps, release, TRY_LIFE_SECONDS);
    throw error;
  }
}
