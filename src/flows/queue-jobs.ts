import type { Deps } from "../deps.ts";
import { type Job, MESSAGES_A_JOB } from "../domain/job.ts";
import { describeError } from "../platform/describe-error.ts";
import type { DueEvent } from "../platform/store/events.ts";
import { withinTime } from "../platform/time-limit.ts";

/** How long the queue may take; what it has not confirmed counts as not queued, and may come twice. */
export const QUEUE_MILLISECONDS = 5000;

/** One call of sendBatch takes 100 messages and 256 KB: a job of 100 ids has 4 KB. */
const BATCH = 50;

/** Queues messages for delivery; see queueJobs. */
export async function queueDeliveries(deps: Deps, messageIds: string[], delaySeconds = 0): Promise<void> {
  const jobs: Job[] = [];
  for (let start = 0; start < messageIds.length; start += MESSAGES_A_JOB) {
    jobs.push({ kind: "deliver", messageIds: messageIds.slice(start, start + MESSAGES_A_JOB) });
  }
  await queueJobs(deps, jobs, delaySeconds);
}

/** Queues messages for delivery at their times (milliseconds since 1970), in steps of so many whole seconds. */
export async function queueDeliveriesAt(
  deps: Deps,
  waiting: { messageId: string; at: number }[],
  now: number,
  stepSeconds = 1,
): Promise<void> {
  const seconds = ({ at }: { at: number }) => Math.max(0, Math.ceil((at - now) / 1000 / stepSeconds) * stepSeconds);
  for (const [delaySeconds, group] of Map.groupBy(waiting, seconds)) {
    await queueDeliveries(
      deps,
      group.map(({ messageId }) => messageId),
      delaySeconds,
    );
  }
}

/** How long an accepted message waits for others to travel with: fewer and larger jobs cost less all the way. */
const GROUPING_MILLISECONDS = 10;

/** Queues messages for delivery together with those that other requests to this isolate bring at the same time. */
export async function queueBatched(deps: Deps, messageIds: string[]): Promise<void> {
  if (!deps.deliveryBatch.add(messageIds, deps.now())) return;
  await scheduler.wait(GROUPING_MILLISECONDS);
  await queueDeliveries(deps, deps.deliveryBatch.drain());
}

/**
 * Queues jobs. What cannot be queued is logged and left to the sweep, which finds the rows that wait.
 * @returns whether all are queued
 */
export async function queueJobs(deps: Deps, jobs: Job[], delaySeconds = 0): Promise<boolean> {
  return sendAll(deps, deps.messages, jobs, delaySeconds);
}

/** How soon a job that makes up for a failed store is run. */
export const RECOVERY_DELAY_SECONDS = 5;

/** As long as D1 lets a call run that nobody waits for any more: a claim that came after its release would stand for ever. */
const RELEASE_DELAY_SECONDS = 30;

/** What a claim gives; what the store may have claimed as it failed is given back by a job. @throws what the claim throws */
export async function claimOrRelease<T>(deps: Deps, claim: string, claiming: Promise<T>): Promise<T> {
  try {
    return await claiming;
  } catch (error) {
    await queueJobs(deps, [{ kind: "release", claim }], RELEASE_DELAY_SECONDS);
    throw error;
  }
}

/** Queues callbacks; see queueJobs. */
export async function queueCallbacks(deps: Deps, due: DueEvent[], delaySeconds = 0): Promise<void> {
  await sendAll(deps, deps.callbacks, due, delaySeconds);
}

async function sendAll<T>(deps: Deps, queue: Queue<T>, bodies: T[], delaySeconds: number): Promise<boolean> {
  for (let start = 0; start < bodies.length; start += BATCH) {
    const batch = bodies
      .slice(start, start + BATCH)
      .map((body) => ({ body, contentType: "json" as const, delaySeconds }));
    try {
      await withinTime(QUEUE_MILLISECONDS, queue.sendBatch(batch));
    } catch (error) {
      deps.log("error", "queue.failed", { count: bodies.length - start, error: describeError(error) });
      return false;
    }
  }
  return true;
}
