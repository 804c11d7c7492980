import type { Deps } from "../deps.ts";
import { backoffSeconds } from "../domain/backoff.ts";
import { MESSAGES_A_JOB, type SubmissionRecord } from "../domain/job.ts";
import type { Submission } from "../platform/carriers/carrier.ts";
import { describeError } from "../platform/describe-error.ts";
import { type ClaimedMessage, claimMessages, recordSubmissions } from "../platform/store/messages.ts";
import { applyReceipts, optOutAtCarrier } from "./apply-receipts.ts";
import { CONNECTIONS, inParallel } from "./in-parallel.ts";
import { queueCallbacks, queueDeliveries, queueJobs } from "./queue-jobs.ts";

/**
 * Submits those of the messages that wait, each once: only what this run has claimed in the store is submitted, and what
 * may have been submitted is never claimed again.
 * @throws RequestFailure store-unavailable, before anything was submitted: safe to run again
 */
export async function deliverMessages(deps: Deps, ids: string[]): Promise<void> {
  for (let start = 0; start < ids.length; start += MESSAGES_A_JOB) {
    await deliverSome(deps, ids.slice(start, start + MESSAGES_A_JOB));
  }
}

async function deliverSome(deps: Deps, ids: string[]): Promise<void> {
  const claim = deps.newId();
  const claimed = await claimOrRelease(deps, ids, claim);
  if (claimed.length === 0) return;
  const submissions = await inParallel(claimed, CONNECTIONS, (message) => submit(deps, message));
  await recordOutcomes(
    deps,
    claim,
    submissions.map(({ message, submission }) => toRecord(deps, message, submission)),
  );
}

async function claimOrRelease(deps: Deps, ids: string[], claim: string): Promise<ClaimedMessage[]> {
  const now = deps.now();
  try {
    const acceptedAfter = now - deps.config.submitWithinMilliseconds;
    const { claimed, due } = await claimMessages(deps.db, { ids, claim, now, acceptedAfter });
    await queueCallbacks(deps, due);
    return claimed;
  } catch (error) {
    await queueJobs(deps, [{ kind: "release", claim }], RECOVERY_DELAY_SECONDS);
    throw error;
  }
}

interface Submitted {
  message: ClaimedMessage;
  submission: Submission;
}

async function submit(deps: Deps, message: ClaimedMessage): Promise<Submitted> {
  const started = deps.now();
  const submission = await trySubmit(deps, message);
  deps.log(submission.kind === "accepted" ? "info" : "warn", "message.submitted", {
    messageId: message.messageId,
    websiteId: message.websiteId,
    carrier: message.carrier,
    outcome: submission.kind,
    attempt: message.attempts,
    milliseconds: deps.now() - started,
  });
  return { message, submission };
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

function toRecord(deps: Deps, message: ClaimedMessage, submission: Submission): SubmissionRecord {
  const { messageId, attempts } = message;
  const record = { messageId, reason: null, carrierMessageId: null, retryAt: null, receipt: null, optedOut: false };
  switch (submission.kind) {
    case "accepted": {
      const receipt = submission.receipt ? { ...submission.receipt, messageId } : null;
      return { ...record, status: "SENDING", carrierMessageId: submission.carrierMessageId, receipt };
    }
    case "refused":
      return { ...record, status: "FAILED_TO_SEND", reason: submission.reason, optedOut: submission.optedOut ?? false };
    case "later": {
      const seconds = submission.retryAfterSeconds ?? backoffSeconds(attempts, deps.random());
      return { ...record, status: null, reason: submission.reason, retryAt: deps.now() + seconds * 1000 };
    }
    case "unknown":
      return { ...record, status: "SENDING", reason: `outcome unknown, not sent again: ${submission.reason}` };
  }
}

/** How soon a job that makes up for a failed store is run. */
const RECOVERY_DELAY_SECONDS = 5;

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
  await optOutAtCarrier(
    deps,
    records.filter(({ optedOut }) => optedOut),
  );
  await applyReceipts(
    deps,
    records.flatMap(({ receipt }) => receipt ?? []),
  );
  const waiting = records.filter((record) => record.retryAt !== null);
  const bySeconds = Map.groupBy(waiting, ({ retryAt }) => Math.max(0, Math.ceil(((retryAt ?? now) - now) / 1000)));
  for (const [seconds, group] of bySeconds) {
    await queueDeliveries(
      deps,
      group.map(({ messageId }) => messageId),
      seconds,
    );
  }
}
