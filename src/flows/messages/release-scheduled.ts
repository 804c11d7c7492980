import type { Deps } from "../../deps.ts";
import { RECOVERY_MILLISECONDS } from "../../domain/messages/retry-policy.ts";
import { releaseScheduled } from "../../store/messages/release-scheduled.ts";
import { inSteps } from "../in-steps.ts";
import { queueCallbacks, queueDeliveriesAt } from "./queue-jobs.ts";

/**
 * Makes messages of the kept requests whose time comes soon, and queues their jobs for that time, or for later where a job may have to
 * cancel them first: after an outage. They go to the bulk queue, because very many may have the same time. The sweep queues a lost job
 * again. @returns how many there were
 */
export async function releaseDue(deps: Deps, now: number): Promise<number> {
  const release = async () => {
    const { messages, due } = await releaseScheduled(deps.db, now);
    await queueCallbacks(deps, due);
    return messages.map(({ messageId, at }) => ({ messageId, at: Math.max(at, now + RECOVERY_MILLISECONDS) }));
  };
  return inSteps(release, (messages) => queueDeliveriesAt(deps, "bulk", messages, deps.now()));
}
