import type { Deps } from "../deps.ts";
import type { SubmissionRecord } from "../domain/job.ts";
import type { Reason } from "../domain/reason.ts";
import { backoffSeconds, MOST_ATTEMPTS } from "../domain/retry-policy.ts";
import type { Submission } from "../platform/carriers/carrier.ts";
import { describeError } from "../platform/describe-error.ts";
import type { ClaimedMessage } from "../platform/store/claims.ts";
import { noteAnswer, notePause } from "./carrier-pauses.ts";
import { type CarrierRun, CLAIM_WAIT_MILLISECONDS, type DeliveryRun, isOver } from "./delivery-run.ts";
import { queueRehearsal } from "./rehearse.ts";

/** `skipped`: the message was claimed, and not submitted. */
type Ending = Submission | { kind: "skipped"; reason: string; seconds: number };

/** How the submission of a claimed message ended. */
export interface Ended {
  message: ClaimedMessage;
  ending: Ending;
}

/** Submits once, unless the carrier's breaker has opened or the run is over since the claim. Never throws. */
export async function submit(deps: Deps, part: CarrierRun, message: ClaimedMessage): Promise<Ended> {
  const { run, breaker, carrier } = part;
  const started = deps.now();
  const until = breaker.openUntil(started);
  if (until !== undefined || isOver(deps, run)) {
    const reason = until === undefined ? "its run was over" : `${carrier} keeps failing: its circuit breaker is open`;
    return { message, ending: { kind: "skipped", reason, seconds: Math.ceil(((until ?? started) - started) / 1000) } };
  }
  const submission = await run.connections.use(() => trySubmit(deps, message));
  if (submission.kind === "later") noteLimits(run, submission);
  if (submission.kind === "accepted" && submission.rehearses) {
    await queueRehearsal(deps, { messageId: message.messageId, act: submission.rehearses });
  }
  updateBreaker(deps, part, submission, {
    isSlow: deps.now() - started > CLAIM_WAIT_MILLISECONDS,
    wasPutOff: message.wasPutOff,
  });
  const outcome = submission.kind === "later" && submission.unauthorized ? "unauthorized" : submission.kind;
  run.tally.add({ kind: "submission", carrier, outcome });
  deps.log(submission.kind === "accepted" ? "info" : "warn", "message.submitted", {
    messageId: message.messageId,
    websiteId: message.websiteId,
    carrier,
    outcome,
    attempt: message.attempts,
    milliseconds: deps.now() - started,
  });
  return { message, ending: submission };
}

/** What the submission has told of the invocation: it may make no more requests, or a connection of it is still taken. */
function noteLimits(run: DeliveryRun, { exhausted, lingers }: Submission & { kind: "later" }): void {
  if (exhausted) run.until = 0;
  if (lingers) void run.connections.use(() => lingers);
}

function updateBreaker(
  deps: Deps,
  { breaker, carrier }: CarrierRun,
  submission: Submission,
  answer: { isSlow: boolean; wasPutOff: boolean },
): void {
  if (submission.kind === "accepted" || submission.kind === "refused") {
    if (breaker.recordSuccess(deps.now(), answer)) noteAnswer(deps, carrier, answer);
  } else if (submission.failing) {
    const seconds = submission.kind === "later" ? submission.retryAfterSeconds : undefined;
    const hasOpened = breaker.recordFailure(deps.now(), deps.random(), seconds);
    if (hasOpened) notePause(deps, carrier, breaker, submission.reason);
  }
}

async function trySubmit(deps: Deps, message: ClaimedMessage): Promise<Submission> {
  const carrier = deps.carriers.ready[message.carrier];
  if (!carrier) {
    return { kind: "refused", code: "CARRIER_NOT_SET_UP", reason: `carrier ${message.carrier} is not set up` };
  }
  const { messageId, phone, sender, text, encoding, mediaUrl, attempts } = message;
  try {
    return await carrier.submit({ messageId, to: phone, from: sender, text, encoding, mediaUrl, attempt: attempts });
  } catch (error) {
    return { kind: "unknown", reason: describeError(error) };
  }
}

export function toRecord(deps: Deps, { message, ending }: Ended): SubmissionRecord & { code: Reason | null } {
  const { messageId, attempts } = message;
  const nothing = { reason: null, code: null, carrierMessageId: null, retryAt: null, receipt: null, optedOut: false };
  const record = { ...nothing, messageId, attempted: ending.kind !== "skipped" };
  switch (ending.kind) {
    case "skipped":
      return { ...record, status: null, reason: ending.reason, retryAt: deps.now() + ending.seconds * 1000 };
    case "accepted": {
      const receipt = ending.receipt ? { ...ending.receipt, messageId } : null;
      return { ...record, status: "SENDING", carrierMessageId: ending.carrierMessageId, receipt };
    }
    case "refused": {
      const { reason, optedOut = false } = ending;
      const code = ending.code ?? (optedOut ? "OPTED_OUT" : "CARRIER_REFUSED");
      return { ...record, status: "FAILED_TO_SEND", reason, code, optedOut };
    }
    case "later": {
      // A carrier that fails uses up nobody's attempts: its deadline ends the message.
      const isLast = attempts >= MOST_ATTEMPTS;
      if (isLast && !ending.failing) {
        const reason = `not taken in ${attempts} attempts: ${ending.reason}`;
        return { ...record, status: "FAILED_TO_SEND", reason, code: "CARRIER_UNAVAILABLE" };
      }
      const seconds = ending.retryAfterSeconds ?? backoffSeconds(attempts, deps.random());
      const retryAt = deps.now() + seconds * 1000;
      return { ...record, attempted: !isLast, status: null, reason: ending.reason, retryAt };
    }
    case "unknown": {
      const reason = `outcome unknown, not sent again: ${ending.reason}`;
      return { ...record, status: "SENDING", reason, code: "OUTCOME_UNKNOWN" };
    }
  }
}
