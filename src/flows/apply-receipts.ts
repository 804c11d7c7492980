import type { Deps } from "../deps.ts";
import type { Receipt } from "../domain/receipt.ts";
import { changeStatus } from "../platform/store/messages.ts";
import { optOutRecipient } from "../platform/store/subscriptions.ts";
import { inTurn } from "./in-turn.ts";
import { queueCallbacks } from "./queue-jobs.ts";

/**
 * Makes statuses of receipts, and queues the callbacks. Receipts that come early, late, twice or out of order change
 * nothing that is final. Safe to run again.
 * @param carrier who reports: it changes none but its own messages
 */
export async function applyReceipts(deps: Deps, receipts: Receipt[], carrier?: string): Promise<void> {
  const same = Map.groupBy(receipts, ({ status, reason }) => JSON.stringify([status, reason]));
  const optedOut = receipts.filter((receipt) => receipt.optedOut);
  await inTurn(
    [
      ...[...same.values()].map((group) => () => applyGroup(deps, group, carrier)),
      () => optOutAtCarrier(deps, optedOut, carrier),
    ],
    (apply) => apply(),
  );
}

/** Receipts that say the same, in one statement. */
async function applyGroup(deps: Deps, group: Receipt[], carrier: string | undefined): Promise<void> {
  const [{ status, reason }] = group as [Receipt];
  const ids = group.map(({ messageId }) => messageId);
  await queueCallbacks(deps, await changeStatus(deps.db, { ids, status, reason, now: deps.now(), carrier }));
}

/** The carrier says that the recipients of these messages have opted out there: so they have here, once a message. */
export async function optOutAtCarrier(
  deps: Deps,
  messages: { messageId: string; reason: string | null }[],
  carrier?: string,
): Promise<void> {
  await inTurn(messages, ({ messageId, reason }) => {
    const origin = { source: "carrier", proof: reason ?? messageId, now: deps.now() } as const;
    return optOutRecipient(deps.db, messageId, origin, carrier);
  });
}
