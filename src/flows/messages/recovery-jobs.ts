// Recovery jobs repair what a failed store has left open. One that is lost would leave a text that goes out twice, or never.
import type { Deps } from "../../deps.ts";
import { hasNoEffect } from "../../domain/failure.ts";
import type { Recovery } from "../../domain/messages/job.ts";
import { TRY_LIFE_SECONDS } from "../../domain/messages/retry-policy.ts";
import { describeError } from "../../platform/describe-error.ts";
import {
  forgetKeptJob,
  KEPT_JOBS_A_SWEEP,
  keepJob,
  listKeptJobs,
  readKeptJob,
} from "../../store/messages/kept-jobs.ts";
import { inParallel } from "../in-parallel.ts";
import { CONNECTIONS } from "./connections.ts";
import { byWebsite, queueJobs } from "./queue-jobs.ts";

/**
 * Queues a recovery job. While the queue fails, KV keeps the job, and the sweep queues it.
 * @throws Error when KV fails, too: the job is lost
 */
export async function queueRecovery(deps: Deps, job: Recovery, delaySeconds = 0): Promise<void> {
  const jobs = jobsOfEach(job);
  if (await queueJobs(deps, jobs, delaySeconds)) return;
  const now = deps.now();
  try {
    for (const own of jobs)
      await keepJob(deps.kv, `${now}:${deps.newId()}`, { job: own, dueAt: now + delaySeconds * 1000 });
  } catch (error) {
    throw new Error(`neither the queue nor KV takes a job that is to ${job.kind}`, { cause: error });
  }
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

/** As queueRecovery, for callers that can tell nobody: a job that is lost is logged. */
export async function queueRecoveryOrLog(deps: Deps, job: Recovery, delaySeconds = 0): Promise<void> {
  try {
    await queueRecovery(deps, job, delaySeconds);
  } catch (error) {
    deps.log("error", "recovery.lost", { kind: job.kind, error: describeError(error) });
  }
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

/**
 * Queues the jobs that KV keeps and that are due, the oldest first.
 * @returns how many
 * @throws the failure of KV or of the queue; Error when there may be more: the next sweep goes on
 */
export async function requeueKeptJobs(deps: Deps): Promise<number> {
  const names = await listKeptJobs(deps.kv);
  const counts = await inParallel(names, CONNECTIONS, (name) => requeueKeptJob(deps, name));
  if (names.length === KEPT_JOBS_A_SWEEP) throw new Error(`KV keeps ${KEPT_JOBS_A_SWEEP} jobs or more`);
  return counts.reduce((sum, count) => sum + count, 0);
}

async function requeueKeptJob(deps: Deps, name: string): Promise<number> {
  const kept = await readKeptJob(deps.kv, name);
  if (kept && kept.dueAt > deps.now()) return 0;
  if (kept && !(await queueJobs(deps, [kept.job]))) throw new Error("the queue takes no jobs");
  await forgetKeptJob(deps.kv, name);
  return 1;
}
