import type { Deps } from "../deps.ts";
import { recordAndRelease } from "../platform/store/callback-records.ts";
import type { DueEvent } from "../platform/store/events.ts";
import { despiteFence, togetherOrWhereTheyAre } from "./places.ts";
import { queueCallbacks } from "./queue-jobs.ts";

/**
 * Releases callbacks that were surely not posted: unclaimed ones, and those under one of these claims.
 * @param queuedAt from then on the sweep counts how long they wait
 * @throws RequestFailure store-unavailable
 */
export async function releaseUnposted(
  deps: Deps,
  claims: string[],
  eventIds: DueEvent[],
  queuedAt = deps.now(),
): Promise<void> {
  const release = ({ db, now }: Deps, some: DueEvent[]) =>
    recordAndRelease(db, { released: [{ eventIds: some, queuedAt }], claims, now: now() });
  await despiteFence(() => togetherOrWhereTheyAre(deps, eventIds, String, release));
}

/** As releaseUnposted, for the job that does it after a failure of the store. */
export async function releaseAndQueue(deps: Deps, claims: string[], eventIds: DueEvent[]): Promise<void> {
  await releaseUnposted(deps, claims, eventIds);
  await queueCallbacks(deps, eventIds);
}
