import type { Deps } from "../deps.ts";
import type { Author } from "../domain/audit.ts";
import type { MessageFilter } from "../domain/hold.ts";
import { addHold, countWatched, findWaitingIds, removeHolds, takeReleased } from "../platform/store/holds.ts";
import { changeStatus } from "../platform/store/messages.ts";
import { watch } from "../platform/store/watched.ts";
import { audited } from "./audit.ts";
import { inSteps } from "./in-steps.ts";
import { queueCallbacks, queueOverdue } from "./queue-jobs.ts";

/** Of 1,000 messages each: as many as are looked through. */
const MOST_STEPS = 100;

export async function countWaiting({ db }: Deps, websiteId: string, filter: MessageFilter): Promise<number> {
  await watch(db);
  return countWatched(db, websiteId, filter);
}

/** From now on, no run claims such a message. What a run has claimed goes. @returns how many wait */
export async function holdMessages(
  deps: Deps,
  author: Author,
  websiteId: string,
  filter: MessageFilter,
): Promise<number> {
  await addHold(deps.db, author, websiteId, filter, deps.now());
  return countWaiting(deps, websiteId, filter);
}

/** @returns how many are due now */
export function releaseMessages(deps: Deps, author: Author, websiteId: string, filter: MessageFilter): Promise<number> {
  const entry = { action: "release", websiteId, after: { ...filter } } as const;
  return audited(
    deps,
    author,
    entry,
    () => release(deps, websiteId, filter),
    (released) => ({ released }),
  );
}

async function release(deps: Deps, websiteId: string, filter: MessageFilter): Promise<number> {
  await removeHolds(deps.db, websiteId, filter);
  await watch(deps.db);
  const now = deps.now();
  const take = () => takeReleased(deps.db, websiteId, filter, now - 1);
  return inSteps(
    take,
    (released) =>
      queueOverdue(
        deps,
        released.map((message) => ({ ...message, at: now })),
        now,
      ),
    MOST_STEPS,
  );
}

/** Ends what waits or is held, with its events and callbacks. @returns how many */
export function cancelWaiting(deps: Deps, author: Author, websiteId: string, filter: MessageFilter): Promise<number> {
  const { sendPurpose, clientId } = filter;
  const entry = { action: "cancel", websiteId, after: { sendPurpose, clientId } } as const;
  return audited(
    deps,
    author,
    entry,
    () => cancel(deps, websiteId, filter),
    (cancelled) => ({ cancelled }),
  );
}

async function cancel(deps: Deps, websiteId: string, filter: MessageFilter): Promise<number> {
  await watch(deps.db);
  const change = { status: "FAILED_TO_SEND", code: "CANCELLED", reason: "cancelled by an operator" } as const;
  const end = async (ids: string[]) =>
    queueCallbacks(deps, await changeStatus(deps.db, { ids, ...change, onlyUnclaimed: true, now: deps.now() }));
  return inSteps(() => findWaitingIds(deps.db, websiteId, filter), end, MOST_STEPS);
}
