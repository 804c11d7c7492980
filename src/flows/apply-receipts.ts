import type { Deps } from "../deps.ts";
import type { Receipt } from "../domain/job.ts";
import { changeStatus } from "../platform/store/messages.ts";
import { optOutRecipient } from "../platform/store/subscriptions.ts";
import { queueCallbacks } from "./queue-jobs.ts";

/**
 * Makes statuses of receipts, and queues the callbacks. Receipts that come early, late, twice or out of order change
 * nothing that is final. Safe to run again.
 * @param carrier who reports: it changes none but its own messages
 */
export async function applyReceipts(deps: Deps, receipts: Receipt[], carrier?: string): Promise<void> {
  const same = Map.groupBy(receipts, ({ status, reason }) => JSON.stringify([status, reason]));
  for (const group of same.values()) {
    const [{ status, reason }] = group as [Receipt];
    const ids = group.map(({ messageId }) => messageId);
    await queueCallbacks(deps, await changeStatus(deps.db, { ids, status, reason, now: deps.now(), carrier }));
  }
  await optOutAtCarrier(
    deps,
    receipts.filter(({ optedOut }) => optedOut),
    carrier,
  );
}

/** The carrier says that the recipients of these messages have opted out there: so they have here, once a message. */
export async function optOutAtCarrier(
  deps: Deps,
  messages: { messageId: string; reason: string | null }[],
  carrier?: string,
): Promise<void> {
  for (const { messageId, reason } of messages) {
    const origin = { source: "carrier", proof: reason ?? messageId, now: deps.now() } as const;
    await optOutRecipient(deps.db, messageId, origin, carrier);
  }
}
