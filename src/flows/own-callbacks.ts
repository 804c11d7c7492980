import type { Deps } from "../deps.ts";
import type { ClaimedCallback } from "../platform/store/callbacks.ts";
import type { DueEvent } from "../platform/store/events.ts";
import { OUTBOUND_CONNECTIONS } from "./connections.ts";
import { type DeliveryRun, isOver } from "./delivery-run.ts";
import { postClaimed } from "./post-callbacks.ts";
import { queueCallbacks } from "./queue-jobs.ts";
import { claimOrRelease } from "./recovery-jobs.ts";

/** Runs of an isolate that post their own callbacks at a time: an endpoint that hangs keeps each of them for a while. */
const MOST_OWN = 8;

/**
 * Stores changes with their events, and posts the first callbacks in the background of this invocation: they need neither a job
 * nor a claim of their own. The others are queued.
 * @param run null: all are queued, as they are while many runs post their own
 * @param messageIds of the events
 * @param store claims the first callbacks, unless the claim is null
 * @throws the failure of the store; what it may have claimed is released
 */
export async function storeAndPost(
  deps: Deps,
  run: DeliveryRun | null,
  messageIds: string[],
  store: (claim: string | null) => Promise<{ due: DueEvent[]; callbacks: ClaimedCallback[] }>,
): Promise<void> {
  const mayPost = run?.connections.free === OUTBOUND_CONNECTIONS && !isOver(deps, run) && deps.ownPosts.size < MOST_OWN;
  if (!run || !mayPost) return queueCallbacks(deps, (await store(null)).due);
  const claim = deps.newId();
  deps.ownPosts.add(claim);
  const storing = claimOrRelease(deps, { claim, messageIds }, store(claim));
  const posting = storing.then(
    ({ callbacks }) => (callbacks.length > 0 ? postClaimed(deps, run, claim, callbacks) : undefined),
    () => undefined,
  );
  deps.waitUntil(posting.finally(() => deps.ownPosts.delete(claim)));
  await queueCallbacks(deps, (await storing).due);
}
