import type { Carrier, OutboundMessage, Submission } from "../../carriers/carrier.ts";
import type { Deps } from "../../deps.ts";
import { DAY_MILLISECONDS } from "../../domain/day.ts";
import { stripWords } from "../../domain/messages/carrier-words.ts";
import { type Ruling, ruleOn } from "../../domain/messages/closed-hours.ts";
import type { EndBefore } from "../../domain/messages/end-before.ts";
import type { SubmissionEntry, SubmissionRecord } from "../../domain/messages/job.ts";
import type { Reason } from "../../domain/messages/reason.ts";
import { backoffSeconds, CAP_PAUSE_SECONDS, MOST_ATTEMPTS } from "../../domain/messages/retry-policy.ts";
import { MAX_EXPIRY_DAYS } from "../../domain/messages/send-times.ts";
import { describeError } from "../../platform/describe-error.ts";
import { whyPaused } from "../../store/messages/carrier-pauses.ts";
import type { ClaimedMessage } from "../../store/messages/claims.ts";
import { notSetUp } from "../../store/messages/messages.ts";
import { type CarrierRun, CLAIM_WAIT_MILLISECONDS, type DeliveryRun, isOver } from "./delivery-run.ts";
import { queueRehearsal } from "./rehearse.ts";

/**
 * `before`: its claim has found why it may not be submitted. `closed`: its sending hours are, since it was claimed. `skipped`: the message
 * was claimed, and not submitted.
 */
type Ending =
  | Submission
  | Closed
  | { kind: "before"; before: EndBefore }
  | { kind: "skipped"; reason: string; seconds: number };

interface Closed {
  kind: "closed";
  ruling: Exclude<Ruling, { kind: "goes" }>;
}

/** How the submission of a claimed message ended. */
export interface Ended {
  message: ClaimedMessage;
  /** When it began: milliseconds since 1970. */
  at: number;
  milliseconds: number;
  ending: Ending;
}

/** Submits once, unless the carrier's breaker has opened or the run is over since the claim. Never throws. */
export async function submit(deps: Deps, part: CarrierRun, message: ClaimedMessage): Promise<Ended> {
  const { run, breaker, carrier } = part;
  const started = deps.now();
  const until = breaker.openUntil(started);
  if (until !== undefined || isOver(deps, run)) {
    const reason = until === undefined ? "its run was over" : whyPaused(carrier, breaker.cause);
    const seconds = Math.ceil(((until ?? started) - started) / 1000);
    return skip(message, started, reason, seconds);
  }
  const submission = await run.connections.use(() => trySubmit(deps, message));
  if (submission.kind === "closed") return { message, at: started, milliseconds: 0, ending: submission };
  if (submission.kind === "later") applyLimits(run, submission);
  if (submission.kind === "accepted" && submission.rehearses) {
    await queueRehearsal(deps, { messageId: message.messageId, act: submission.rehearses });
  }
  const milliseconds = deps.now() - started;
  updateBreaker(deps, part, submission, milliseconds > CLAIM_WAIT_MILLISECONDS);
  const outcome = outcomeOf(submission);
  run.tally.add({ kind: "submission", carrier, outcome });
  if (submission.kind !== "accepted") {
    deps.log("warn", "message.submitted", {
      messageId: message.messageId,
      websiteId: message.websiteId,
      carrier,
      outcome,
      attempt: message.attempts,
      milliseconds,
      error: submission.reason,
    });
  }
  return { message, at: started, milliseconds, ending: submission };
}

/** @param seconds before it may be tried again */
export const skip = (message: ClaimedMessage, at: number, reason: string, seconds: number): Ended => ({
  message,
  at,
  milliseconds: 0,
  ending: { kind: "skipped", reason, seconds },
});

/** @returns null: the message may be submitted */
export function endedBefore(deps: Deps, message: ClaimedMessage): Ended | null {
  const { before } = message;
  return before && { message, at: deps.now(), milliseconds: 0, ending: { kind: "before", before } };
}

/** One line for those of a claim: each line of the log is billed. */
export function logAccepted(deps: Deps, carrier: string, ended: Ended[]): void {
  const accepted = ended.filter(({ ending }) => ending.kind === "accepted");
  if (accepted.length === 0) return;
  deps.log("info", "messages.accepted", {
    carrier,
    count: accepted.length,
    messageIds: accepted.map(({ message }) => message.messageId).join(" "),
    websiteIds: [...new Set(accepted.map(({ message }) => message.websiteId))].join(" "),
    milliseconds: Math.max(...accepted.map(({ milliseconds }) => milliseconds)),
  });
}

const outcomeOf = (ending: Ending) => (ending.kind === "later" && ending.unauthorized ? "unauthorized" : ending.kind);

/**
 * Applies what a submission says about this invocation: no request is left (`exhausted`), or a connection is still in use (`lingers`).
 */
function applyLimits(run: DeliveryRun, { exhausted, lingers }: Submission & { kind: "later" }): void {
  if (exhausted) run.until = 0;
  if (lingers) void run.connections.use(() => lingers);
}

function updateBreaker(deps: Deps, { breaker }: CarrierRun, submission: Submission, isSlow: boolean) {
  if (submission.kind === "accepted" || submission.kind === "refused") breaker.recordSuccess(isSlow);
  else if (submission.failing) {
    const seconds = submission.kind === "later" ? submission.retryAfterSeconds : undefined;
    breaker.recordFailure(deps.now(), deps.random(), submission.reason, seconds);
  }
}

/** Submits, unless the sending hours have closed. They are checked last, because the submission may have waited for its connection. */
async function trySubmit(deps: Deps, message: ClaimedMessage): Promise<Submission | Closed> {
  const carrier = deps.carriers.ready[message.carrier];
  // The message waits until its deadline. Once the carrier is set up, nobody has to send it again.
  if (!carrier) return { kind: "later", failing: true, reason: notSetUp(message.carrier) };
  const { messageId, phone, sender, text, encoding, mediaUrl, attempts, hours, expiresAt } = message;
  const now = deps.now();
  const ruling = hours && ruleOn(hours, { ...message, expiresAt: latestOf(message) }, now);
  if (ruling && ruling.kind !== "goes") return { kind: "closed", ruling };
  const validity = validityUntil(Math.min(ruling?.until ?? NEVER, expiresAt ?? NEVER), now);
  const outbound = { messageId, to: phone, from: sender, text, encoding, mediaUrl, attempt: attempts };
  return withoutTheirWords(await submitThrough(carrier, { ...outbound, ...validity }), message);
}

async function submitThrough(carrier: Carrier, outbound: OutboundMessage): Promise<Submission> {
  try {
    return await carrier.submit(outbound);
  } catch (error) {
    return { kind: "unknown", reason: describeError(error) };
  }
}

/** What a carrier says is stored, logged and shown: from here on, it tells neither whom the text is for nor what is in it. */
function withoutTheirWords(submission: Submission, message: ClaimedMessage): Submission {
  if (submission.kind !== "accepted") return { ...submission, reason: stripWords(submission.reason, message) };
  const { receipt } = submission;
  if (!receipt?.reason) return submission;
  return { ...submission, receipt: { ...receipt, reason: stripWords(receipt.reason, message) } };
}

const NEVER = Number.POSITIVE_INFINITY;

/**
 * How long after its acceptance sending hours may delay a message. Without an end, one that no carrier accepts would wait forever. A window of
 * one day a week opens once more by then.
 */
export const PUT_BACK_DAYS = 8;

const latestOf = ({ acceptedAt, expiresAt }: ClaimedMessage) =>
  Math.min(acceptedAt + PUT_BACK_DAYS * DAY_MILLISECONDS, expiresAt ?? NEVER);

/** Left out: the end is so far that the carrier's own limit comes first. */
function validityUntil(time: number, now: number): Pick<OutboundMessage, "validSeconds"> {
  const validSeconds = Math.max(1, Math.floor((time - now) / 1000));
  return validSeconds > MAX_EXPIRY_DAYS * 86_400 ? {} : { validSeconds };
}

/** The entry in the history of the message. null: the columns of the message show that its first submission was accepted, or that it had none. */
function entryOf({ message: { attempts }, at, ending }: Ended): SubmissionEntry | null {
  if (ending.kind === "before") return null;
  const isAccepted = ending.kind === "accepted";
  if (isAccepted && attempts === 1) return null;
  if (ending.kind === "closed") return { at, attempt: null, outcome: "skipped", reason: ending.ruling.because };
  const attempt = ending.kind === "skipped" ? null : attempts;
  return { at, attempt, outcome: outcomeOf(ending), reason: isAccepted ? null : ending.reason };
}

export function toRecord(deps: Deps, ended: Ended): SubmissionRecord & { code: Reason | null } {
  const { message, ending } = ended;
  const { messageId, attempts } = message;
  const nothing = { reason: null, code: null, carrierMessageId: null, retryAt: null, receipt: null, optedOut: false };
  const attempted = ending.kind !== "skipped" && ending.kind !== "closed" && ending.kind !== "before";
  const record = { ...nothing, messageId, attempted, entry: entryOf(ended) };
  switch (ending.kind) {
    case "before": {
      const { before } = ending;
      if (before.kind === "ends")
        return { ...record, status: before.status, reason: before.because, code: before.code };
      return { ...record, status: null, reason: before.because, retryAt: deps.now() + CAP_PAUSE_SECONDS * 1000 };
    }
    case "closed": {
      const { ruling } = ending;
      if (ruling.kind === "ends")
        return { ...record, status: "FAILED_TO_SEND", reason: ruling.because, code: ruling.code };
      const { sendAt, opensAt } = ruling;
      return { ...record, status: null, retryAt: sendAt, sendAt, opensAt };
    }
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
      // While the carrier itself fails, the last attempt is never used up: the message is retried until its deadline.
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
