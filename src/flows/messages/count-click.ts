import type { Deps } from "../../deps.ts";
import { homeOf } from "../../domain/databases/home.ts";
import { PAUSED_SECONDS } from "../../domain/databases/move.ts";
import { isWebsitePaused, RequestFailure } from "../../domain/failure.ts";
import { type Click, recordClick } from "../../store/messages/links.ts";
import { inDatabaseOfHome } from "../databases/places.ts";
import { queueCallbacks, queueJobs } from "./queue-jobs.ts";

/** Counts a click, and queues the callback of a person's first few. While its website is on the move, the click waits in the queue. */
export async function countClick(deps: Deps, { messageId, clickId, clickedAt, isPerson }: Click): Promise<void> {
  const click = { messageId, clickId, clickedAt, isPerson };
  try {
    const own = await inDatabaseOfHome(deps, homeOf(messageId));
    await queueCallbacks(own, await recordClick(own.db, click));
  } catch (error) {
    if (!isWebsitePaused(error)) throw error;
    const isQueued = await queueJobs(deps, [{ kind: "click", ...click }], PAUSED_SECONDS);
    if (!isQueued) throw new RequestFailure({ kind: "store-unavailable" }, { cause: error });
  }
}
