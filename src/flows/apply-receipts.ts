import type { Deps } from "../deps.ts";
import type { Receipt } from "../domain/receipt.ts";
import { changeStatus } from "../platform/store/messages.ts";
import { optOutRecipient } from "../platform/store/subscriptions.ts";
import { inTurn } from "./in-turn.ts";
import { queueCallbacks } from "./queue-jobs.ts";

/**
 * Applies receipts to the statuses of their messages, and queues the callbacks. Receipts may come early, late, twice or out of
 * order: a final status stays. Safe to run again.
 * @param carrier the sender of the receipts: it can change only its own messages
 */
export async function applyReceipts(deps: Deps, receipts: Receipt[], carrier?: string): Promise<void> {
  const equal = Map.groupBy(receipts, ({ status, reason }) => JSON.stringify([status, reason]));
  const optedOut = receipts.filter((receipt) => receipt.optedOut);
  await inTurn(
    [
      ...[...equal.values()].map((group) => () => applyGroup(deps, group, carrier)),
      () => optOutAtCarrier(deps, optedOut, carrier),
    ],
    (apply) => apply(),
  );
}

/** Applies equal receipts in one statement. */
async function applyGroup(deps: Deps, group: Receipt[], carrier: string | undefined): Promise<void> {
  const [{ status, reason }] = group as [Receipt];
  const ids = group.map(({ messageId }) => messageId);
  await queueCallbacks(deps, await changeStatus(deps.db, { ids, status, reason, now: deps.now(), carrier }));
}

/** Opts out the recipients of messages who have opted out at the carrier. The ledger gets one entry per message. */
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
