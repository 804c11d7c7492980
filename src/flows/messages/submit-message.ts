import type { Carrier, OutboundMessage, Submission } from "../../carriers/carrier.ts";
import type { Deps } from "../../deps.ts";
import { DAY_MILLISECONDS } from "../../domain/day.ts";
import { stripWords } from "../../domain/messages/carrier-words.ts";
import type { Paused } from "../../domain/messages/circuit-breaker.ts";
import { type Ruling, ruleOn } from "../../domain/messages/closed-hours.ts";
import type { EndBefore } from "../../domain/messages/end-before.ts";
import type { Reason } from "../../domain/messages/reason.ts";
import { MAX_EXPIRY_DAYS } from "../../domain/messages/send-times.ts";
import { PACED } from "../../domain/messages/sender-pace.ts";
import { describeError } from "../../platform/describe-error.ts";
import { whyPaused } from "../../store/messages/carrier-pauses.ts";
import type { ClaimedMessage } from "../../store/messages/claimed-message.ts";
import { notSetUp } from "../../store/messages/messages.ts";
import { findCarrier } from "../clients/carrier-accounts.ts";
import { nextTime } from "../operations/count-outcomes.ts";
import { type CarrierRun, CLAIM_WAIT_MILLISECONDS, type DeliveryRun, isOver } from "./delivery-run.ts";
import { queueRehearsal } from "./rehearse.ts";
import { takeTurn } from "./take-turn.ts";

/**
 * `before`: its claim has found why it may not be submitted. `closed`: its sending hours are, since it was claimed. `skipped`: the message
 * was claimed, and not submitted.
 */
type Ending =
  | Submission
  | Closed
  | { kind: "before"; before: EndBefore }
  | { kind: "skipped"; reason: string; seconds: number; failing?: Paused; code?: Reason };

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
  /** When it ended, in the order of all outcomes: see nextTime. */
  endedAt: number;
  ending: Ending;
}

/** Submits once, unless since the claim a circuit breaker of it has opened, the run is over, or the sending hours have closed. Never throws. */
export async function submit(deps: Deps, part: CarrierRun, message: ClaimedMessage): Promise<Ended> {
  const { run, carrier } = part;
  // Before its turn, after which nothing may take long.
  const ready = await findCarrier(deps, carrier).catch(() => null);
  if (ready === null)
    return skip(message, deps.now(), `the account ${carrier} cannot be read now`, ACCOUNT_RETRY_SECONDS);
  const waits = message.pace && (skipIfLate(deps, part, message, deps.now()) ?? (await waitForTurn(deps, message)));
  if (waits) return waits;
  const at = deps.now();
  const skipped = skipIfLate(deps, part, message, at);
  if (skipped) return skipped;
  const ruling = ready ? ruleOnHours(message, at) : null;
  if (ruling && ruling.kind !== "goes") return withoutSubmission(message, at, { kind: "closed", ruling });
  const outbound = toOutbound(message, at, ruling?.until);
  const submission = withoutTheirWords(
    await run.connections.use(() => submitThrough(ready, carrier, outbound)),
    message,
  );
  if (submission.kind === "later") applyLimits(run, submission);
  if (submission.kind === "accepted" && submission.rehearses) {
    await queueRehearsal(deps, { messageId: message.messageId, act: submission.rehearses });
  }
  const ended = { message, at, milliseconds: deps.now() - at, endedAt: nextTime(deps), ending: submission };
  updateBreakers(deps, part, ended, submission);
  if (submission.kind !== "accepted") logFailure(deps, ended, submission);
  return ended;
}

const ACCOUNT_RETRY_SECONDS = 10;

/** null: the submission may begin. */
function skipIfLate(deps: Deps, { run, breakers }: CarrierRun, message: ClaimedMessage, at: number): Ended | null {
  const pause = breakers.of(message).flatMap((breaker) => breaker.pause(at) ?? [])[0];
  if (pause) return skip(message, at, whyPaused(pause), Math.ceil((pause.openUntil - at) / 1000), pause.about);
  return isOver(deps, run) ? skip(message, at, "its run was over", 0) : null;
}

/** null: it is its turn, or its sending hours have closed. */
async function waitForTurn(deps: Deps, message: ClaimedMessage): Promise<Ended | null> {
  const ruling = ruleOnHours(message, deps.now());
  if (ruling && ruling.kind !== "goes") return null;
  const seconds = await takeTurn(deps, message);
  const waits = { kind: "skipped", reason: PACED, seconds: seconds ?? 0, code: "SENDER_LIMIT" } as const;
  return seconds === null ? null : withoutSubmission(message, deps.now(), waits);
}

const withoutSubmission = (message: ClaimedMessage, at: number, ending: Ending): Ended => ({
  message,
  at,
  milliseconds: 0,
  endedAt: at,
  ending,
});

/** @param seconds before it may be tried again @param failing what pauses */
export const skip = (message: ClaimedMessage, at: number, reason: string, seconds: number, failing?: Paused): Ended =>
  withoutSubmission(message, at, { kind: "skipped", reason, seconds, ...(failing ? { failing } : {}) });

/** @returns null: the message may be submitted */
export function endedBefore(deps: Deps, message: ClaimedMessage): Ended | null {
  const { before } = message;
  return before && withoutSubmission(message, deps.now(), { kind: "before", before });
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

function logFailure(
  deps: Deps,
  { message, milliseconds }: Ended,
  submission: Exclude<Submission, { kind: "accepted" }>,
): void {
  deps.log("warn", "message.submitted", {
    messageId: message.messageId,
    websiteId: message.websiteId,
    carrier: message.carrier,
    outcome: outcomeOf(submission),
    attempt: message.attempts,
    milliseconds,
    error: submission.reason,
  });
}

/** Whether the carrier was asked. */
export const isSubmission = ({ kind }: Ending): boolean => kind !== "skipped" && kind !== "closed" && kind !== "before";

export function outcomeOf(ending: Ending) {
  if (ending.kind !== "later") return ending.kind;
  if (ending.unauthorized) return "unauthorized";
  return ending.failing === "sender" ? "limited" : "later";
}

/**
 * Applies what a submission says about this invocation: no request is left (`exhausted`), or a connection is still in use (`lingers`).
 */
function applyLimits(run: DeliveryRun, { exhausted, lingers }: Submission & { kind: "later" }): void {
  if (exhausted) run.until = 0;
  if (lingers) void run.connections.use(() => lingers);
}

function updateBreakers(
  deps: Deps,
  { breakers }: CarrierRun,
  { message, milliseconds }: Ended,
  submission: Submission,
) {
  const { kind } = submission;
  const isTaken = kind === "accepted" || kind === "refused";
  const answer = {
    ...{ isTaken, isSlow: milliseconds > CLAIM_WAIT_MILLISECONDS },
    ...{ failing: isTaken ? undefined : submission.failing, reason: kind === "accepted" ? "" : submission.reason },
    retryAfterSeconds: kind === "later" ? submission.retryAfterSeconds : undefined,
  };
  breakers.record(message, answer, deps.now(), deps.random());
}

const ruleOnHours = (message: ClaimedMessage, at: number): Ruling | null =>
  message.hours && ruleOn(message.hours, { ...message, expiresAt: latestOf(message) }, at);

/** @param closesAt when its sending hours close; undefined: it has none */
function toOutbound(message: ClaimedMessage, at: number, closesAt = NEVER): OutboundMessage {
  const { messageId, phone, sender, text, encoding, mediaUrl, attempts, expiresAt } = message;
  const validity = validityUntil(Math.min(closesAt, expiresAt ?? NEVER), at);
  return { messageId, to: phone, from: sender, text, encoding, mediaUrl, attempt: attempts, ...validity };
}

async function submitThrough(ready: Carrier | undefined, name: string, outbound: OutboundMessage): Promise<Submission> {
  // The message waits until its deadline. Once the carrier is set up, nobody has to send it again.
  if (!ready) return { kind: "later", failing: "carrier", reason: notSetUp(name) };
  try {
    return await ready.submit(outbound);
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
