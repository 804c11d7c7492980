import type { Deps } from "../../deps.ts";
import { RequestFailure } from "../../domain/failure.ts";
import { withoutWords } from "../../domain/messages/carrier-words.ts";
import { type Job, tryJob } from "../../domain/messages/job.ts";
import { maskNumbers, toMaskedJson } from "../../domain/operations/mask.ts";
import { describeError } from "../../platform/describe-error.ts";
import { withinTime } from "../../platform/time-limit.ts";
import { parseJsonColumn } from "../../store/database.ts";
import { type DeadJob, insertDeadJobs, listWaitingDeadJobs, markRequeued } from "../../store/operations/dead-jobs.ts";
import { inFirst } from "../databases/places.ts";
import { inParallel } from "../in-parallel.ts";
import { CONNECTIONS } from "../messages/connections.ts";
import { QUEUE_MILLISECONDS } from "../messages/queue-jobs.ts";

/** A job as the queue delivers it. */
interface QueuedJob {
  id: string;
  body: unknown;
}

/**
 * Stores dead jobs for the operator. Safe to run again.
 * @param error undefined when it is unknown
 * @throws RequestFailure store-unavailable
 */
export async function keepDeadJobs(deps: Deps, queue: string, jobs: QueuedJob[], error?: unknown): Promise<void> {
  const diedAt = deps.now();
  const reason = error === undefined ? null : maskNumbers(describeError(error));
  await insertDeadJobs(
    inFirst(deps).db,
    jobs.map(({ id, body }) => ({ id, queue, body: toKeptBody(body), diedAt, error: reason })),
  );
}

/**
 * In a job, only the words of a carrier may hold a phone number; in a malformed job, any text may. Those of receipts, which were not
 * compared with the text yet, are left out.
 */
function toKeptBody(body: unknown): string {
  const job = tryJob(body).data;
  const toMasked = job?.kind === "receipts" ? withoutWords : maskNumbers;
  return toMaskedJson(body, (key) => job === undefined || key === "reason", toMasked);
}

/** Limit of one call; the caller repeats it while jobs are left. */
const REQUEUED_AT_ONCE = 100;

/**
 * The oldest waiting dead jobs.
 * @param expected null: however many
 * @throws RequestFailure count-changed
 */
export async function findWaitingJobs(deps: Deps, expected: number | null): Promise<DeadJob[]> {
  const jobs = await listWaitingDeadJobs(deps.db, REQUEUED_AT_ONCE);
  if (expected !== null && jobs.length !== expected) {
    throw new RequestFailure({ kind: "count-changed", count: jobs.length });
  }
  return jobs;
}

/**
 * Requeues dead jobs, even those that were requeued before. A job is queued first and marked after: if the call is cut off in between, the
 * job is requeued twice, which claims make harmless. A job that the queue refuses stays, and the others are requeued. A job that this
 * version cannot read is only marked, because it would die again.
 * @returns how many it has requeued, how many it cannot read, and how many are left (1,000 at most)
 * @throws RequestFailure store-unavailable: some may have been queued
 */
export async function requeue(
  deps: Deps,
  jobs: DeadJob[],
): Promise<{ requeued: number; unreadable: number; left: number }> {
  const failures: unknown[] = [];
  const queued: string[] = [];
  const unreadable: string[] = [];
  await inParallel(jobs, CONNECTIONS, async ({ id, body }) => {
    const job = parseJsonColumn<unknown>(body, body);
    if (!tryJob(job).data) return unreadable.push(id);
    try {
      await withinTime(QUEUE_MILLISECONDS, deps.messages.send(job as Job, { contentType: "json" }));
      queued.push(id);
    } catch (error) {
      failures.push(error);
    }
  });
  for (const id of queued) deps.log("info", "dead-job.put-back", { jobId: id });
  const left = await markRequeued(deps.db, [...queued, ...unreadable], deps.now());
  if (failures.length > 0) throw new RequestFailure({ kind: "store-unavailable" }, { cause: failures[0] });
  return { requeued: queued.length, unreadable: unreadable.length, left };
}
