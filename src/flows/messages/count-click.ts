import type { Deps } from "../../deps.ts";
import { homeOf } from "../../domain/databases/home.ts";
import { type Click, recordClick } from "../../store/messages/links.ts";
import { inDatabaseOfHome } from "../databases/places.ts";
import { queueCallbacks } from "./queue-jobs.ts";

/** Counts a click, and queues the callback of a person's first few. */
export async function countClick(deps: Deps, click: Click): Promise<void> {
  const own = await inDatabaseOfHome(deps, homeOf(click.messageId));
  await queueCallbacks(own, await recordClick(own.db, click));
}
