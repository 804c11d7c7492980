import type { Deps } from "../../deps.ts";
import { RECOVERY_MILLISECONDS, SCHEDULED_LEAD_MILLISECONDS } from "../../domain/messages/retry-policy.ts";
import { findScheduled, giveJobs } from "../../store/messages/scheduled.ts";
import { inSteps } from "../in-steps.ts";
import { queueDeliveriesAt } from "./queue-jobs.ts";

/**
 * Queues the messages whose time comes soon for that time, or for later where a job may have to cancel them first: after an outage. They go
 * to the bulk queue, because very many may have the same time. The sweep queues a lost job again. @returns how many there were
 */
export async function queueScheduled(deps: Deps, now: number): Promise<number> {
  const find = () => findScheduled(deps.db, now + SCHEDULED_LEAD_MILLISECONDS);
  return inSteps(find, async (found) => {
    const jobs = found.map(({ messageId, sendAt }) => ({
      messageId,
      at: Math.max(sendAt, now + RECOVERY_MILLISECONDS),
    }));
    await giveJobs(deps.db, jobs);
    await queueDeliveriesAt(deps, "bulk", jobs, deps.now());
  });
}
