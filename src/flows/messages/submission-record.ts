import type { Deps } from "../../deps.ts";
import { BY, hasNoOther, isByFallback, onlyTheOther, untried } from "../../domain/messages/by-fallback.ts";
import { endsAs, type Paused } from "../../domain/messages/circuit-breaker.ts";
import type { SubmissionEntry, SubmissionRecord } from "../../domain/messages/job.ts";
import type { Reason } from "../../domain/messages/reason.ts";
import { backoffSeconds, CAP_PAUSE_SECONDS, MOST_ATTEMPTS } from "../../domain/messages/retry-policy.ts";
import type { ClaimedMessage } from "../../store/messages/claimed-message.ts";
import { type Ended, isSubmission, outcomeOf } from "./submit-message.ts";

const nameOf = ({ carrier, sender }: { carrier: string; sender: string | null }) => `${sender ?? ""} at ${carrier}`;

/** Why a text went by the fallback. */
function becauseOf({ attempts, other, ...fallback }: ClaimedMessage): string {
  const because = attempts === 1 ? "pauses" : "has not taken it";
  return `by the fallback, ${nameOf(fallback)}${other ? `: ${nameOf(other)} ${because}` : ""}`;
}

/** The entry in the history of the message. null: the columns of the message show that its first submission was accepted, or that it had none. */
function entryOf({ message, at, ending }: Ended): SubmissionEntry | null {
  const { attempts } = message;
  if (ending.kind === "before") return null;
  const isAccepted = ending.kind === "accepted";
  if (isAccepted && isByFallback(message.by))
    return { at, attempt: attempts, outcome: "accepted", reason: becauseOf(message) };
  if (isAccepted && attempts === 1) return null;
  if (ending.kind === "closed") return { at, attempt: null, outcome: "skipped", reason: ending.ruling.because };
  const attempt = ending.kind === "skipped" ? null : attempts;
  return { at, attempt, outcome: outcomeOf(ending), reason: isAccepted ? null : ending.reason };
}

/**
 * When a text goes that surely was not taken, and by which of the two of its website: by the other one, if the fault is that of the sender,
 * the account or the carrier. It goes by the fallback at once.
 */
function toNext(deps: Deps, message: ClaimedMessage, seconds: number, fault: Paused | undefined) {
  const { by, other } = message;
  if (hasNoOther(by)) return { retryAt: deps.now() + seconds * 1000, by };
  const isNextByFallback = fault !== undefined && other !== null && !isByFallback(by);
  return {
    retryAt: deps.now() + (isNextByFallback ? 0 : seconds * 1000),
    by: isNextByFallback ? BY.fallback : BY.own,
  };
}

/** What the store is told of a submission that has ended. */
export function toRecord(deps: Deps, ended: Ended): SubmissionRecord & { code: Reason | null } {
  const { message, ending } = ended;
  const { messageId, attempts, by } = message;
  const nothing = { reason: null, code: null, carrierMessageId: null, retryAt: null, receipt: null, optedOut: false };
  const record = { ...nothing, messageId, attempted: isSubmission(ending), entry: entryOf(ended) };
  switch (ending.kind) {
    case "before": {
      const { before } = ending;
      if (before.kind === "ends")
        return { ...record, status: before.status, reason: before.because, code: before.code };
      return {
        ...record,
        status: null,
        reason: before.because,
        retryAt: deps.now() + CAP_PAUSE_SECONDS * 1000,
        by: untried(by),
      };
    }
    case "closed": {
      const { ruling } = ending;
      if (ruling.kind === "ends")
        return { ...record, status: "FAILED_TO_SEND", reason: ruling.because, code: ruling.code };
      const { sendAt, opensAt } = ruling;
      return { ...record, status: null, retryAt: sendAt, sendAt, opensAt, by: untried(by) };
    }
    case "skipped": {
      const { reason, seconds, failing, code = endsAs(failing) } = ending;
      return { ...record, status: null, reason, code, ...toNext(deps, message, seconds, failing) };
    }
    case "accepted": {
      const receipt = ending.receipt ? { ...ending.receipt, messageId } : null;
      return { ...record, status: "SENDING", carrierMessageId: ending.carrierMessageId, receipt };
    }
    case "refused": {
      const { reason, optedOut = false, numberFault, about } = ending;
      const code = ending.code ?? (optedOut ? "OPTED_OUT" : "CARRIER_REFUSED");
      if (about && message.other && !hasNoOther(by) && attempts < MOST_ATTEMPTS) {
        const { retryAt } = toNext(deps, message, backoffSeconds(attempts, deps.random()), about);
        return { ...record, status: null, reason, code, retryAt, by: onlyTheOther(by) };
      }
      return { ...record, status: "FAILED_TO_SEND", reason, code, optedOut, numberFault };
    }
    case "later": {
      // While the carrier itself fails, the last attempt is never used up: the message is retried until its deadline.
      const isLast = attempts >= MOST_ATTEMPTS;
      if (isLast && !ending.failing) {
        const reason = `not taken in ${attempts} attempts: ${ending.reason}`;
        return { ...record, status: "FAILED_TO_SEND", reason, code: "CARRIER_UNAVAILABLE" };
      }
      const seconds = ending.retryAfterSeconds ?? backoffSeconds(attempts, deps.random());
      const { reason, failing } = ending;
      const next = toNext(deps, message, seconds, failing);
      return { ...record, attempted: !isLast, status: null, reason, code: endsAs(failing), ...next };
    }
    case "unknown": {
      const reason = `outcome unknown, not sent again: ${ending.reason}`;
      return { ...record, status: "SENDING", reason, code: "OUTCOME_UNKNOWN" };
    }
  }
}
