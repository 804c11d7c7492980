import type { Deps } from "../deps.ts";
import type { MessageFilter } from "../domain/hold.ts";
import { addHold, countWaiting, findWaitingIds, removeHolds, takeReleased } from "../platform/store/holds.ts";
import { changeStatus } from "../platform/store/messages.ts";
import { queueCallbacks, queueOverdue } from "./queue-jobs.ts";

/** Of 1,000 messages each: as many as are looked through. */
const MOST_STEPS = 100;

/** From now on, no run claims such a message. What a run has claimed goes. @returns how many wait */
export async function holdMessages(deps: Deps, websiteId: string, filter: MessageFilter): Promise<number> {
  await addHold(deps.db, websiteId, filter, deps.now());
  return countWaiting(deps.db, websiteId, filter);
}

/** @returns how many are due now */
export async function releaseMessages(deps: Deps, websiteId: string, filter: MessageFilter): Promise<number> {
  await removeHolds(deps.db, websiteId, filter);
  const now = deps.now();
  return inSteps(async () => {
    const released = await takeReleased(deps.db, websiteId, filter, now - 1);
    await queueOverdue(
      deps,
      released.map((message) => ({ ...message, at: now })),
      now,
    );
    return released.length;
  });
}

/** Ends what waits or is held, with its events and callbacks. @returns how many */
export async function cancelWaiting(deps: Deps, websiteId: string, filter: MessageFilter): Promise<number> {
  return inSteps(async () => {
    const ids = await findWaitingIds(deps.db, websiteId, filter);
    if (ids.length === 0) return 0;
    const change = { status: "FAILED_TO_SEND", code: "CANCELLED", reason: "cancelled by an operator" } as const;
    await queueCallbacks(deps, await changeStatus(deps.db, { ids, ...change, onlyUnclaimed: true, now: deps.now() }));
    return ids.length;
  });
}

async function inSteps(step: () => Promise<number>): Promise<number> {
  let count = 0;
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    const done = await step();
    if (done === 0) break;
    count += done;
  }
  return count;
}
