import type { Deps } from "../deps.ts";
import { CircuitBreaker } from "../domain/circuit-breaker.ts";
import type { SubmissionRecord } from "../domain/job.ts";
import { backoffSeconds } from "../domain/retry-policy.ts";
import type { Submission } from "../platform/carriers/carrier.ts";
import { describeError } from "../platform/describe-error.ts";
import {
  type ClaimedMessage,
  claimMessages,
  postpone,
  recordSubmissions,
  waitingByCarrier,
} from "../platform/store/messages.ts";
import { applyReceipts, optOutAtCarrier } from "./apply-receipts.ts";
import { CONNECTIONS, inParallel } from "./in-parallel.ts";
import { inTurn } from "./in-turn.ts";
import {
  claimOrRelease,
  queueCallbacks,
  queueDeliveries,
  queueDeliveriesAt,
  queueJobs,
  RECOVERY_DELAY_SECONDS,
} from "./queue-jobs.ts";

/** How many messages each connection submits of one claim: what is claimed when a run is cut off has an unknown outcome. */
const SUBMISSIONS_A_CONNECTION = 2;

/**
 * How long a run waits for what it has submitted of one claim. What a carrier then still lets hang ends in the background,
 * and holds up neither the next batch nor what else is in this one.
 */
const PATIENCE_MILLISECONDS = 2000;

/** A run claims nothing after this: with what it has claimed it ends before an invocation may be cut off (15 minutes). */
const RUN_MILLISECONDS = 5 * 60_000;

/** After so many submissions that the carrier did not take, a message has failed, whatever time is left to it. */
export const MOST_ATTEMPTS = 40;

/**
 * Submits those of the messages that wait, each once: only what this run has claimed in the store is submitted, and what
 * may have been submitted is never claimed again. Carriers do not wait for one another.
 * @throws RequestFailure store-unavailable: safe to run again
 */
export async function deliverMessages(deps: Deps, ids: string[]): Promise<void> {
  const waiting = [...(await waitingByCarrier(deps.db, ids))];
  const connections = Math.max(1, Math.floor(CONNECTIONS / waiting.length));
  const ends = await Promise.allSettled(
    waiting.map(([carrier, own]) => deliverThrough(deps, carrier, own, connections)),
  );
  const failed = ends.find((end) => end.status === "rejected");
  if (failed) throw failed.reason;
}

async function deliverThrough(deps: Deps, carrier: string, ids: string[], connections: number): Promise<void> {
  const started = deps.now();
  const breaker = breakerOf(deps, carrier);
  const step = connections * SUBMISSIONS_A_CONNECTION;
  for (let start = 0; start < ids.length; start += step) {
    const now = deps.now();
    const until = breaker.openUntil(now);
    if (until !== undefined) return waitForBreaker(deps, carrier, ids.slice(start), until);
    if (now - started > RUN_MILLISECONDS) return queueDeliveries(deps, ids.slice(start));
    const isDone = await deliverSome(deps, ids.slice(start, start + step), breaker, connections);
    if (!isDone) return queueDeliveries(deps, ids.slice(start + step));
  }
}

function breakerOf({ breakers }: Deps, carrier: string): CircuitBreaker {
  const breaker = breakers.get(carrier) ?? new CircuitBreaker();
  breakers.set(carrier, breaker);
  return breaker;
}

/** Messages for a carrier whose breaker is open wait in the store and in the queue. That is no attempt. */
async function waitForBreaker(deps: Deps, carrier: string, ids: string[], until: number): Promise<void> {
  const seconds = Math.ceil((until - deps.now()) / 1000);
  deps.log("warn", "carrier.rests", { carrier, count: ids.length, seconds });
  await postpone(deps.db, ids, until, `${carrier} keeps failing: its circuit breaker is open`);
  await queueDeliveries(deps, ids, seconds);
}

/** Submissions of one claim. */
interface Turn {
  breaker: CircuitBreaker;
  ended: number;
  /** No other submission may begin. */
  isOver: boolean;
}

/**
 * @returns whether every submission has ended. Those that have not go on in the background, and messages whose submission had
 * not begun wait again.
 */
async function deliverSome(deps: Deps, ids: string[], breaker: CircuitBreaker, connections: number): Promise<boolean> {
  const claim = deps.newId();
  const claimed = await claimSome(deps, ids, claim);
  if (claimed.length === 0) return true;
  const turn: Turn = { breaker, ended: 0, isOver: false };
  const work = inParallel(claimed, connections, (message) => submit(deps, message, turn)).then((endings) =>
    recordOutcomes(
      deps,
      claim,
      endings.map(({ message, ending }) => toRecord(deps, message, ending)),
    ),
  );
  const isDone = await Promise.race([work.then(() => true), scheduler.wait(PATIENCE_MILLISECONDS).then(() => false)]);
  if (isDone) return true;
  turn.isOver = true;
  if (turn.ended === 0) breaker.recordHang(deps.now());
  deps.waitUntil(work);
  return false;
}

async function claimSome(deps: Deps, ids: string[], claim: string): Promise<ClaimedMessage[]> {
  const now = deps.now();
  const acceptedAfter = now - deps.config.submitWithinMilliseconds;
  const claiming = claimMessages(deps.db, { ids, claim, now, acceptedAfter });
  const { claimed, due } = await claimOrRelease(deps, claim, claiming);
  await queueCallbacks(deps, due);
  return claimed;
}

/** `skipped`: nothing was submitted. */
type Ending = Submission | { kind: "skipped"; reason: string; seconds: number };

async function submit(
  deps: Deps,
  message: ClaimedMessage,
  turn: Turn,
): Promise<{ message: ClaimedMessage; ending: Ending }> {
  const started = deps.now();
  const until = turn.breaker.openUntil(started);
  if (until !== undefined || turn.isOver) {
    const reason = `${message.carrier} ${until === undefined ? "is slow" : "keeps failing: its circuit breaker is open"}`;
    return { message, ending: { kind: "skipped", reason, seconds: Math.ceil(((until ?? started) - started) / 1000) } };
  }
  const submission = await trySubmit(deps, message);
  turn.ended += 1;
  updateBreaker(deps, turn.breaker, submission);
  deps.log(submission.kind === "accepted" ? "info" : "warn", "message.submitted", {
    messageId: message.messageId,
    websiteId: message.websiteId,
    carrier: message.carrier,
    outcome: submission.kind === "later" && submission.unauthorized ? "unauthorized" : submission.kind,
    attempt: message.attempts,
    milliseconds: deps.now() - started,
  });
  return { message, ending: submission };
}

function updateBreaker(deps: Deps, breaker: CircuitBreaker, submission: Submission): void {
  if (submission.kind === "accepted" || submission.kind === "refused") breaker.recordSuccess();
  else if (submission.failing) {
    const seconds = submission.kind === "later" ? submission.retryAfterSeconds : undefined;
    breaker.recordFailure(deps.now(), deps.random(), seconds);
  }
}

async function trySubmit(deps: Deps, message: ClaimedMessage): Promise<Submission> {
  const carrier = deps.carriers.ready[message.carrier];
  if (!carrier) return { kind: "refused", reason: `carrier ${message.carrier} is not set up` };
  const { messageId, phone, sender, text, encoding, mediaUrl, attempts } = message;
  try {
    return await carrier.submit({ messageId, to: phone, from: sender, text, encoding, mediaUrl, attempt: attempts });
  } catch (error) {
    return { kind: "unknown", reason: describeError(error) };
  }
}

function toRecord(deps: Deps, message: ClaimedMessage, submission: Ending): SubmissionRecord {
  const { messageId, attempts } = message;
  const nothing = { reason: null, carrierMessageId: null, retryAt: null, receipt: null, optedOut: false };
  const record = { ...nothing, messageId, attempted: submission.kind !== "skipped" };
  switch (submission.kind) {
    case "skipped":
      return { ...record, status: null, reason: submission.reason, retryAt: deps.now() + submission.seconds * 1000 };
    case "accepted": {
      const receipt = submission.receipt ? { ...submission.receipt, messageId } : null;
      return { ...record, status: "SENDING", carrierMessageId: submission.carrierMessageId, receipt };
    }
    case "refused":
      return { ...record, status: "FAILED_TO_SEND", reason: submission.reason, optedOut: submission.optedOut ?? false };
    case "later": {
      if (attempts >= MOST_ATTEMPTS) {
        return {
          ...record,
          status: "FAILED_TO_SEND",
          reason: `not taken in ${attempts} attempts: ${submission.reason}`,
        };
      }
      const seconds = submission.retryAfterSeconds ?? backoffSeconds(attempts, deps.random());
      return { ...record, status: null, reason: submission.reason, retryAt: deps.now() + seconds * 1000 };
    }
    case "unknown":
      return { ...record, status: "SENDING", reason: `outcome unknown, not sent again: ${submission.reason}` };
  }
}

/** Stores the outcomes; while the store does not answer, the queue holds them. */
async function recordOutcomes(deps: Deps, claim: string, records: SubmissionRecord[]): Promise<void> {
  try {
    await storeOutcomes(deps, claim, records);
  } catch (error) {
    deps.log("error", "submissions.not-recorded", { count: records.length, error: describeError(error) });
    await queueJobs(deps, [{ kind: "record", claim, records }], RECOVERY_DELAY_SECONDS);
  }
}

/** Stores how submissions ended and queues what follows: callbacks, and another try where the carrier asked for one. */
export async function storeOutcomes(deps: Deps, claim: string, records: SubmissionRecord[]): Promise<void> {
  const now = deps.now();
  await queueCallbacks(deps, await recordSubmissions(deps.db, records, claim, now));
  const optedOut = records.filter((record) => record.optedOut);
  const receipts = records.flatMap(({ receipt }) => receipt ?? []);
  const waiting = records.flatMap(({ messageId, retryAt }) => (retryAt === null ? [] : { messageId, at: retryAt }));
  const follow = [
    () => optOutAtCarrier(deps, optedOut),
    () => applyReceipts(deps, receipts),
    () => queueDeliveriesAt(deps, waiting, now),
  ];
  await inTurn(follow, (next) => next());
}
