import type { Deps } from "../../deps.ts";
import { type Click, recordClick } from "../../store/messages/links.ts";
import { queueCallbacks } from "./queue-jobs.ts";

/** Counts a click, and queues the callback of a person's first few. */
export async function countClick(deps: Deps, click: Click): Promise<void> {
  await queueCallbacks(deps, await recordClick(deps.db, click));
}
