import type { Deps } from "./deps.ts";
import type { DueEvent } from "./domain/callbacks/callback.ts";
import { isStoreUnavailable, RequestFailure } from "./domain/failure.ts";
import { isOnlyQueued, isRecovery, type Job, type Lane, type Recovery, tryJob } from "./domain/messages/job.ts";
import {
  backoffSeconds,
  JOB_TRIES,
  LONGEST_DEAD_PAUSE_SECONDS,
  recoverySeconds,
} from "./domain/messages/retry-policy.ts";
import { postCallbacks } from "./flows/callbacks/post-callbacks.ts";
import { releaseAndQueue } from "./flows/callbacks/release-callbacks.ts";
import { inParts, pauseAfter } from "./flows/databases/split-batch.ts";
import { MOST_STORE_FAILURES } from "./flows/in-turn.ts";
import { applyReports } from "./flows/messages/apply-receipts.ts";
import { deliverMessages } from "./flows/messages/deliver-messages.ts";
import { beginRun } from "./flows/messages/delivery-run.ts";
import { queueJobs } from "./flows/messages/queue-jobs.ts";
import { storeQueuedRecords } from "./flows/messages/store-outcomes.ts";
import { keepDeadJobs } from "./flows/operations/dead-jobs.ts";
import { type Entry, logJobs } from "./flows/operations/log-jobs.ts";
import { cancelUnconfirmed } from "./store/messages/cancelled-messages.ts";
import { releaseClaim } from "./store/messages/messages.ts";

type Batch = Pick<MessageBatch, "queue" | "messages">;

/**
 * The consumer of all queues. It never throws: the local runtime, on which faults are tried, would redeliver the whole batch, finished jobs
 * included. The platform keeps what was acknowledged.
 */
export async function consume(batch: MessageBatch, deps: Deps): Promise<void> {
  // Its jobs are put back, or stored in the first database, whichever database they are for.
  if (batch.queue.endsWith("-dead")) return consumeDead(deps, batch);
  await inParts(deps, batch, async (own, part) => {
    if (part.queue.endsWith("callbacks")) await consumeCallbacks(own, part);
    else await consumeMessages(own, part);
  });
}

/**
 * The jobs of a batch run together. Never retried by the queue: the sweep queues callbacks again that no run has claimed. Each
 * batch has a line of the log, and so has each post that fails.
 */
async function consumeCallbacks(deps: Deps, batch: Batch): Promise<void> {
  const isEvent = (id: unknown): id is DueEvent => typeof id === "string";
  const jobs = batch.messages.map(({ body }) => (Array.isArray(body) ? body : []).filter(isEvent));
  await postCallbacks(deps, jobs);
}

/** Jobs that end or fail together. */
interface Task {
  entries: Entry[];
  work: () => Promise<void>;
  /** A job that has failed so often while the store works is stored for the operator. Left out: JOB_TRIES. */
  mostTries?: number;
  /** Left out: the work is done. `dead`: it stores the jobs for the operator, however often it is tried. `retried`: it puts them back. */
  outcome?: "dead" | "retried";
  /** One line in the log for all of its jobs, because each of very many receipts has a job of its own. */
  logsOnce?: boolean;
  /** The same work, job by job. It runs when the whole fails, so that one faulty job does not fail the others. */
  oneByOne?: Task[];
}

/**
 * Recovery jobs run first; then receipts are applied together, and new deliveries run together. A delivery that has failed
 * before runs alone, after the others, so that one that always fails fails alone.
 */
async function consumeMessages(deps: Deps, batch: Batch): Promise<void> {
  const lane: Lane = batch.queue.endsWith("bulk") ? "bulk" : "messages";
  const run = beginRun(deps, lane);
  const deliveries: Entry[] = [];
  const receipts: Entry[] = [];
  const tasks: Task[] = [];
  for (const message of batch.messages) {
    const { data: job, details } = tryJob(message.body);
    const entries = [{ message, job }];
    if (job?.kind === "deliver") deliveries.push(...entries);
    else if (job?.kind === "receipts") receipts.push(...entries);
    else if (isRecovery(job)) tasks.push({ entries, work: () => runJob(deps, job, lane) });
    else tasks.push({ entries, work: () => failMalformed(details?.[0]?.field), mostTries: 1 });
  }
  tasks.push(...receiptTasks(deps, receipts));
  for (const entries of inGroups(deliveries)) {
    const ids = new Set(entries.flatMap(({ job }) => (job?.kind === "deliver" ? job.messageIds : [])));
    tasks.push({ entries, work: () => deliverMessages(deps, [...ids], run) });
  }
  await settle(deps, batch.queue, tasks);
}

async function failMalformed(field = "body"): Promise<never> {
  throw new Error(`malformed: ${field} is wrong`);
}

/** One group of all first tries. Each retry is a group of its own. */
function inGroups(entries: Entry[]): Entry[][] {
  const isFirst = ({ message }: Entry) => message.attempts === 1;
  const first = entries.filter(isFirst);
  return [...(first.length > 0 ? [first] : []), ...entries.filter((entry) => !isFirst(entry)).map((entry) => [entry])];
}

/** One task for all receipts, first tries and retries, because there are very many after an outage. */
function receiptTasks(deps: Deps, entries: Entry[]): Task[] {
  const reportsOf = ({ job }: Entry) => (job?.kind === "receipts" ? [job] : []);
  const apply = (some: Entry[]): Task => ({
    entries: some,
    logsOnce: true,
    work: () => applyReports(deps, some.flatMap(reportsOf)),
  });
  if (entries.length < 2) return entries.map((entry) => apply([entry]));
  return [{ ...apply(entries), oneByOne: entries.map((entry) => apply([entry])) }];
}

async function runJob(deps: Deps, job: Recovery, lane: Lane): Promise<void> {
  switch (job.kind) {
    case "cancel":
      return cancelUnconfirmed(deps.db, job.messageIds, deps.now());
    case "release":
      return releaseClaim(deps.db, job.claim, job.messageIds);
    case "release-callbacks":
      return releaseAndQueue(deps, job.claim, job.eventIds);
    case "record":
      return storeQueuedRecords(deps, lane, job.claim, job.records);
  }
}

/**
 * Works on tasks one after the other, and acknowledges, retries or keeps as dead each of their jobs. After several failures of the store in a
 * row, the remaining jobs are retried later, untried now.
 */
async function settle(deps: Deps, queue: string, tasks: Task[]): Promise<void> {
  let [failures, failure]: [count: number, latest: unknown] = [0, null];
  for (const task of tasks) {
    const started = deps.now();
    try {
      if (failures >= MOST_STORE_FAILURES) throw failure;
      await task.work();
      acknowledge(deps, task, started);
      failures = 0;
    } catch (error) {
      if (task.oneByOne && !isStoreUnavailable(error)) {
        await settle(deps, queue, task.oneByOne);
        failures = 0;
      } else {
        failure = await retryOrKeep(deps, queue, task, error, started);
        failures = isStoreUnavailable(failure) ? failures + 1 : 0;
      }
    }
  }
}

function acknowledge(deps: Deps, { entries, outcome, logsOnce = false }: Task, started: number): void {
  if (outcome !== "retried") deps.pause.until = 0;
  for (const { message } of entries) message.ack();
  const lines = logsOnce ? [entries] : entries.map((entry) => [entry]);
  for (const line of lines) logJobs(deps, line, outcome ?? "done", started);
}

/** @returns the failure; that of the store, if it could not keep a dead job */
async function retryOrKeep(deps: Deps, queue: string, task: Task, error: unknown, started: number): Promise<unknown> {
  const { entries, mostTries = JOB_TRIES, outcome } = task;
  pauseAfter(deps, error);
  let failure = error;
  for (const entry of entries) {
    const isDying = outcome !== "dead" && entry.message.attempts >= mostTries && !isStoreUnavailable(error);
    if (isDying) failure = (await keepDead(deps, queue, task, entry, error)) ?? failure;
    else retry(deps, task, entry, error, started);
  }
  return failure;
}

/** Stores a dead job for the operator: no retry can help it. @returns the failure of the store, after which the job is retried */
async function keepDead(deps: Deps, queue: string, task: Task, entry: Entry, fault: unknown): Promise<unknown> {
  const started = deps.now();
  if (!entry.job) deps.log("error", "job.malformed", { queueMessageId: entry.message.id });
  try {
    await keepDeadJobs(deps, queue, [entry.message], fault);
    entry.message.ack();
    logJobs(deps, [entry], "dead", started, fault);
    return null;
  } catch (error) {
    retry(deps, task, entry, error, started);
    return error;
  }
}

/**
 * Jobs that have used up the retries of their queue. Recovery jobs and receipts go back to their queue until the store works, because
 * nothing else does their work. The others are stored for the operator; until the store works, they are retried for days.
 */
async function consumeDead(deps: Deps, batch: Batch): Promise<void> {
  const queue = batch.queue.replace(/-dead$/, "");
  const kept: Entry[] = [];
  const tasks: Task[] = [];
  for (const message of batch.messages) {
    const { data: job } = tryJob(message.body);
    if (!isOnlyQueued(job)) kept.push({ message, job });
    else tasks.push({ entries: [{ message, job }], work: () => putBack(deps, job), outcome: "retried" });
  }
  for (const entries of inGroups(kept)) {
    const jobs = entries.map(({ message }) => message);
    tasks.push({ entries, work: () => keepDeadJobs(deps, queue, jobs), outcome: "dead" });
  }
  await settle(deps, queue, tasks);
}

async function putBack(deps: Deps, job: Job): Promise<void> {
  if (await queueJobs(deps, [job], 0, job.kind === "receipts" ? "receipts" : "messages")) return;
  throw new RequestFailure({ kind: "store-unavailable", isRefused: true });
}

function retry(deps: Deps, { outcome }: Task, entry: Entry, error: unknown, started: number): void {
  const { message, job } = entry;
  const longestSeconds = outcome === "dead" ? LONGEST_DEAD_PAUSE_SECONDS : undefined;
  const delaySeconds = isOnlyQueued(job)
    ? recoverySeconds(message.attempts)
    : backoffSeconds(message.attempts, deps.random(), longestSeconds);
  message.retry({ delaySeconds });
  logJobs(deps, [entry], "retried", started, error);
}
