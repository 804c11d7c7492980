import type { Deps } from "../../deps.ts";
import type { DueEvent } from "../../domain/callbacks/callback.ts";
import { releaseCallbacks } from "../../store/callbacks/callbacks.ts";
import { queueCallbacks } from "../messages/queue-jobs.ts";

/**
 * Releases callbacks of a claim that were not posted, and queues them: for the job that does it after a failure of the store.
 * @throws RequestFailure store-unavailable
 */
export async function releaseAndQueue(deps: Deps, claim: string, eventIds: DueEvent[]): Promise<void> {
  await releaseCallbacks(deps.db, claim, { eventIds, dueAt: deps.now() });
  await queueCallbacks(deps, eventIds);
}
