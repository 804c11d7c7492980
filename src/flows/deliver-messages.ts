import type { Deps } from "../deps.ts";
import { CircuitBreaker } from "../domain/circuit-breaker.ts";
import type { SubmissionRecord } from "../domain/job.ts";
import {
  backoffSeconds,
  DELIVERY_RUN_MILLISECONDS,
  longestWaitMilliseconds,
  MOST_ATTEMPTS,
  RECOVERY_DELAY_SECONDS,
} from "../domain/retry-policy.ts";
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
import type { OutcomeTally } from "./count-outcomes.ts";
import { CONNECTIONS, inParallel } from "./in-parallel.ts";
import { inTurn } from "./in-turn.ts";
import { claimOrRelease, queueCallbacks, queueDeliveries, queueDeliveriesAt, queueJobs } from "./queue-jobs.ts";

/** A small claim: when a run is cut off, the outcome of each message that it has claimed is unknown. */
const SUBMISSIONS_A_CONNECTION = 2;

/** How long a run waits for the submissions of one claim. Slower ones end in the background, and hold up no other batch. */
const CLAIM_WAIT_MILLISECONDS = 2000;

/** The part of a run that goes through one carrier. */
interface CarrierRun {
  carrier: string;
  breaker: CircuitBreaker;
  connections: number;
  tally: OutcomeTally;
}

/**
 * Submits each of the messages that still wait, once: a run submits only messages that it has claimed in the store, and a
 * message that may have been submitted is never claimed again. Carriers do not wait for one another.
 * @throws RequestFailure store-unavailable: safe to run again
 */
export async function deliverMessages(deps: Deps, ids: string[], tally: OutcomeTally): Promise<void> {
  const waiting = [...(await waitingByCarrier(deps.db, ids))];
  const connections = Math.max(1, Math.floor(CONNECTIONS / waiting.length));
  const ends = await Promise.allSettled(
    waiting.map(([carrier, own]) =>
      deliverThrough(deps, { carrier, breaker: breakerOf(deps, carrier), connections, tally }, own),
    ),
  );
  const failed = ends.find((end) => end.status === "rejected");
  if (failed) throw failed.reason;
}

async function deliverThrough(deps: Deps, run: CarrierRun, ids: string[]): Promise<void> {
  const { carrier, breaker } = run;
  const started = deps.now();
  const step = run.connections * SUBMISSIONS_A_CONNECTION;
  for (let start = 0; start < ids.length; start += step) {
    const now = deps.now();
    const until = breaker.openUntil(now);
    if (until !== undefined) return waitForBreaker(deps, carrier, ids.slice(start), until);
    if (now - started > DELIVERY_RUN_MILLISECONDS) return queueDeliveries(deps, ids.slice(start));
    const isDone = await deliverSome(deps, run, ids.slice(start, start + step));
    if (!isDone) return queueDeliveries(deps, ids.slice(start + step));
  }
}

function breakerOf({ breakers }: Deps, carrier: string): CircuitBreaker {
  const breaker = breakers.get(carrier) ?? new CircuitBreaker();
  breakers.set(carrier, breaker);
  return breaker;
}

/** Messages for a carrier whose breaker is open wait in the store and in the queue. That does not count as an attempt. */
async function waitForBreaker(deps: Deps, carrier: string, ids: string[], until: number): Promise<void> {
  const seconds = Math.ceil((until - deps.now()) / 1000);
  deps.log("warn", "carrier.rests", { carrier, count: ids.length, seconds });
  const reason = `${carrier} keeps failing: its circuit breaker is open`;
  await postpone(deps.db, ids, { retryAt: until, reason, longestWait: longestWaitMilliseconds(deps.config) });
  await queueDeliveries(deps, ids, seconds);
}

/** The submissions of one claim. */
interface ClaimRun extends CarrierRun {
  ended: number;
  /** The run has stopped waiting: no further submission may begin. */
  isOver: boolean;
}

/**
 * @returns whether every submission has ended. The others go on in the background, and messages whose submission had not begun
 * are requeued.
 */
async function deliverSome(deps: Deps, run: CarrierRun, ids: string[]): Promise<boolean> {
  const claim = deps.newId();
  const claimed = await claimSome(deps, ids, claim);
  if (claimed.length === 0) return true;
  const claimRun: ClaimRun = { ...run, ended: 0, isOver: false };
  const work = inParallel(claimed, run.connections, (message) => submit(deps, message, claimRun)).then((endings) =>
    recordOutcomes(
      deps,
      claim,
      endings.map(({ message, ending }) => toRecord(deps, message, ending)),
    ),
  );
  const isDone = await Promise.race([work.then(() => true), scheduler.wait(CLAIM_WAIT_MILLISECONDS).then(() => false)]);
  if (isDone) return true;
  claimRun.isOver = true;
  if (claimRun.ended === 0) run.breaker.recordHang(deps.now());
  deps.waitUntil(work);
  return false;
}

async function claimSome(deps: Deps, ids: string[], claim: string): Promise<ClaimedMessage[]> {
  const now = deps.now();
  const acceptedAfter = now - deps.config.submitWithinMilliseconds;
  const claiming = claimMessages(deps.db, { ids, claim, now, acceptedAfter });
  const { claimed, due } = await claimOrRelease(deps, { claim, messageIds: ids }, claiming);
  await queueCallbacks(deps, due);
  return claimed;
}

/** `skipped`: the message was claimed, and not submitted. */
type Ending = Submission | { kind: "skipped"; reason: string; seconds: number };

async function submit(
  deps: Deps,
  message: ClaimedMessage,
  run: ClaimRun,
): Promise<{ message: ClaimedMessage; ending: Ending }> {
  const started = deps.now();
  const until = run.breaker.openUntil(started);
  if (until !== undefined || run.isOver) {
    const reason = `${message.carrier} ${until === undefined ? "is slow" : "keeps failing: its circuit breaker is open"}`;
    return { message, ending: { kind: "skipped", reason, seconds: Math.ceil(((until ?? started) - started) / 1000) } };
  }
  const submission = await trySubmit(deps, message);
  run.ended += 1;
  updateBreaker(deps, run.breaker, submission);
  const outcome = submission.kind === "later" && submission.unauthorized ? "unauthorized" : submission.kind;
  run.tally.add({ kind: "submission", carrier: message.carrier, outcome });
  deps.log(submission.kind === "accepted" ? "info" : "warn", "message.submitted", {
    messageId: message.messageId,
    websiteId: message.websiteId,
    carrier: message.carrier,
    outcome,
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

/** Stores the outcomes; while the store fails, a job keeps them. */
async function recordOutcomes(deps: Deps, claim: string, records: SubmissionRecord[]): Promise<void> {
  try {
    await storeOutcomes(deps, claim, records);
  } catch (error) {
    deps.log("error", "submissions.not-recorded", { count: records.length, error: describeError(error) });
    await queueJobs(deps, [{ kind: "record", claim, records }], RECOVERY_DELAY_SECONDS);
  }
}

/** Stores how submissions ended, applies what the carriers said with them, and queues callbacks and retries. */
export async function storeOutcomes(deps: Deps, claim: string, records: SubmissionRecord[]): Promise<void> {
  const now = deps.now();
  const longestWait = longestWaitMilliseconds(deps.config);
  await queueCallbacks(deps, await recordSubmissions(deps.db, records, claim, { now, longestWait }));
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
