import type { Deps } from "../deps.ts";
import type { Receipt } from "../domain/job.ts";
import { changeStatus } from "../platform/store/messages.ts";
import { queueCallbacks } from "./queue-jobs.ts";

/** Makes statuses of receipts, and queues the callbacks. Receipts that come late, twice or out of order change nothing. */
export async function applyReceipts(deps: Deps, receipts: Receipt[]): Promise<void> {
  const same = Map.groupBy(receipts, ({ status, reason }) => JSON.stringify([status, reason]));
  for (const group of same.values()) {
    const [{ status, reason }] = group as [Receipt];
    const ids = group.map(({ messageId }) => messageId);
    await queueCallbacks(deps, await changeStatus(deps.db, { ids, status, reason, now: deps.now() }));
  }
}
