import type { Deps } from "../deps.ts";
import { recordAndRelease } from "../platform/store/callback-records.ts";
import type { DueEvent } from "../platform/store/events.ts";
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
  if (eventIds.length === 0) return;
  await recordAndRelease(deps.db, { released: [{ eventIds, queuedAt }], claims, now: deps.now() });
}

/** As releaseUnposted, for the job that does it after a failure of the store. */
export async function releaseAndQueue(deps: Deps, claims: string[], eventIds: DueEvent[]): Promise<void> {
  await releaseUnposted(deps, claims, eventIds);
  await queueCallbacks(deps, eventIds);
}
