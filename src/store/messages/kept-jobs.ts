// Recovery jobs that the queue has not taken. KV keeps them until the sweep has queued them.
import type { Recovery } from "../../domain/messages/job.ts";
import { askStore } from "../../platform/ask-store.ts";
import { KV_MILLISECONDS } from "../clients/credentials.ts";

/** The names of entries begin with the time at which they were kept, so that a list has the oldest first. */
const PREFIX = "job:";

/** A store that is away for longer is a case for Time Travel. */
export const ENTRY_SECONDS = 2 * 24 * 3600;

/** An invocation makes a thousand calls of KV at most: here two for each. */
export const KEPT_JOBS_A_SWEEP = 200;

export interface KeptJob {
  job: Recovery;
  /** When it may run: milliseconds since 1970. */
  dueAt: number;
}

const askKv = <T>(call: () => Promise<T>) => askStore(KV_MILLISECONDS, call);

/** @param name unique, and in the order of time @throws RequestFailure store-unavailable */
export async function keepJob(kv: KVNamespace, name: string, kept: KeptJob): Promise<void> {
  await askKv(() => kv.put(PREFIX + name, JSON.stringify(kept), { expirationTtl: ENTRY_SECONDS }));
}

/** @returns the names of the oldest entries. @throws RequestFailure store-unavailable, as each function here */
export async function listKeptJobs(kv: KVNamespace): Promise<string[]> {
  const { keys } = await askKv(() => kv.list({ prefix: PREFIX, limit: KEPT_JOBS_A_SWEEP }));
  return keys.map(({ name }) => name.slice(PREFIX.length));
}

/** @returns null: it is gone, though the list still has it */
export async function readKeptJob(kv: KVNamespace, name: string): Promise<KeptJob | null> {
  return askKv(() => kv.get<KeptJob>(PREFIX + name, "json"));
}

export async function forgetKeptJob(kv: KVNamespace, name: string): Promise<void> {
  await askKv(() => kv.delete(PREFIX + name));
}
