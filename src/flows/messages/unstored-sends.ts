// Decides the answer to a client about messages that no route to the store has confirmed.

import type { Deps } from "../../deps.ts";
import {
  isStoreFull,
  isStoreRefused,
  isStoreUnavailable,
  RequestFailure,
  type Unconfirmed,
} from "../../domain/failure.ts";
import type { FailedSend } from "../../domain/messages/send.ts";
import { describeError } from "../../platform/describe-error.ts";
import { queueRecovery } from "./recovery-jobs.ts";

/** The failure of a route, in a form that an object can answer. */
export function toFailed(error: unknown): FailedSend {
  return {
    kind: "failed",
    isUnavailable: isStoreUnavailable(error),
    isRefused: isStoreRefused(error),
    isFull: isStoreFull(error),
    error: describeError(error),
  };
}

/**
 * Decides the answer to a client about messages that no route has confirmed. If every route refused them, they are not stored, and the
 * client may send them again. Otherwise they may be stored, whatever the last route says: a job to cancel them is queued first, because
 * the answer asks the client to send them again. If the queue does not take it, the client is told to ask what became of them. With an
 * Idempotency-Key nothing is cancelled, because the repetition finds them.
 * @param last what the last route says
 * @param isLost a route before it has not answered
 * @returns what to throw: RequestFailure store-unavailable or store-full, after which a repetition is safe,
 * outcome-unknown, after which it is not, or a fault of our own
 */
export async function settleUnstored(
  deps: Deps,
  unconfirmed: Unconfirmed[],
  last: FailedSend,
  { isKeyed, isLost }: { isKeyed: boolean; isLost: boolean },
): Promise<Error> {
  const isCertain = last.isRefused && !isLost;
  const cause = new Error(last.error);
  if (!isCertain && !isKeyed) {
    const messageIds = unconfirmed.map(({ messageId }) => messageId);
    const isCancelled = await queueRecovery(deps, { kind: "cancel", messageIds });
    if (!isCancelled) return new RequestFailure({ kind: "outcome-unknown", unconfirmed }, { cause });
  }
  if (last.isFull && isCertain) return new RequestFailure({ kind: "store-full" }, { cause });
  if (!last.isUnavailable) return cause;
  return new RequestFailure({ kind: "store-unavailable", isKeyed, isRefused: isCertain }, { cause });
}
