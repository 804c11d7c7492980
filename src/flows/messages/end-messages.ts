// How the sweep ends messages that nothing else will end.
import type { Deps } from "../../deps.ts";
import {
  LONGEST_RUN_MILLISECONDS,
  overdueAfterMilliseconds,
  RECOVERY_MILLISECONDS,
} from "../../domain/messages/retry-policy.ts";
import { changeStatus, type StatusChange } from "../../store/messages/messages.ts";
import { findInterrupted, findUnsubmitted, findWithoutReceipt, markInterrupted } from "../../store/messages/overdue.ts";
import { inSteps } from "../in-steps.ts";
import { queueCallbacks } from "./queue-jobs.ts";

/**
 * Ends messages whose run was cut off. If the store was away, a recovery job may still know how a submission ended, or that it
 * never began; that job runs within a known time after the store is back. So a sweep first notes when it has found a message
 * interrupted, which also proves that the store works, and a sweep after that time ends the message.
 */
export async function endInterrupted(deps: Deps, now: number): Promise<number> {
  const claimedBefore = now - LONGEST_RUN_MILLISECONDS;
  await markInterrupted(deps.db, claimedBefore, now);
  return endAll(deps, () => findInterrupted(deps.db, claimedBefore, now - RECOVERY_MILLISECONDS), {
    status: "SENDING",
    claimedBefore,
    code: "OUTCOME_UNKNOWN",
    reason: "outcome unknown, not sent again: the run that submitted it was cut off",
  });
}

/** Ends messages that no carrier has taken in time. */
export async function endUnsubmitted(deps: Deps, now: number): Promise<number> {
  const acceptedBefore = now - deps.config.submitWithinMilliseconds;
  const dueBefore = now - overdueAfterMilliseconds(deps.config);
  return endAll(deps, () => findUnsubmitted(deps.db, { acceptedBefore, dueBefore, now }), {
    status: "FAILED_TO_SEND",
    code: "CARRIER_UNAVAILABLE",
    reason: "the carrier could not take it in time",
    onlyUnclaimed: true,
  });
}

export async function endWithoutReceipt(deps: Deps, now: number): Promise<number> {
  const sendingSince = now - deps.config.receiptWithinMilliseconds;
  return endAll(deps, () => findWithoutReceipt(deps.db, sendingSince), {
    status: "FAILED_TO_DELIVERY",
    code: "NO_RECEIPT",
    reason: "no final receipt came in time",
  });
}

type Ending = Omit<StatusChange, "ids" | "now">;

async function endAll(deps: Deps, find: () => Promise<string[]>, ending: Ending): Promise<number> {
  return inSteps(find, async (ids) => {
    const change = { ids, keepsReason: true, ...ending, now: deps.now() };
    await queueCallbacks(deps, await changeStatus(deps.db, change));
  });
}
