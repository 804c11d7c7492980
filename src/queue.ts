import type { Deps } from "./deps.ts";
import type { DueEvent } from "./domain/callbacks/callback.ts";
import { isStoreRefused, isStoreUnavailable } from "./domain/failure.ts";
import { isRecovery, type Lane, type Recovery, tryJob } from "./domain/messages/job.ts";
import {
  backoffSeconds,
  JOB_TRIES,
  LONGEST_DEAD_PAUSE_SECONDS,
  recoverySeconds,
  refusedSeconds,
} from "./domain/messages/retry-policy.ts";
import { postCallbacks } from "./flows/callbacks/post-callbacks.ts";
import { releaseAndQueue } from "./flows/callbacks/release-callbacks.ts";
import { inParts, pauseAfter } from "./flows/databases/split-batch.ts";
import { inTurn } from "./flows/in-turn.ts";
import { applyReports } from "./flows/messages/apply-receipts.ts";
import { deliverMessages } from "./flows/messages/deliver-messages.ts";
import { beginRun, type DeliveryRun } from "./flows/messages/delivery-run.ts";
import { queueDeliveries } from "./flows/messages/queue-jobs.ts";
import { storeQueuedRecords } from "./flows/messages/store-outcomes.ts";
import { keepDeadJobs } from "./flows/operations/dead-jobs.ts";
import { type Entry, logJobs } from "./flows/operations/log-jobs.ts";
import { describeError } from "./platform/describe-error.ts";
import { cancelUnconfirmed } from "./store/messages/cancelled-messages.ts";
import { releaseClaim } from "./store/messages/messages.ts";

/** The consumer of all queues. It never throws: the platform would redeliver the whole batch, finished jobs included. */
export async function consume(batch: MessageBatch, deps: Deps): Promise<void> {
  await inParts(deps, batch, consumePart);
}

type Batch = Pick<MessageBatch, "queue" | "messages">;

/** The jobs of one database. */
async function consumePart(deps: Deps, batch: Batch): Promise<void> {
  if (batch.queue.endsWith("callbacks")) await consumeCallbacks(batch, deps);
  else if (batch.queue.endsWith("-dead")) await consumeDead(batch, deps);
  else await consumeMessages(batch, deps);
}

/**
 * Never retried by the queue: the sweep queues callbacks again that no run has claimed. Each job has a line of the log, and so has each
 * post that fails.
 */
async function consumeCallbacks(batch: Batch, deps: Deps): Promise<void> {
  // There is one message, because wrangler.toml gives each job of callbacks an invocation for itself.
  for (const { body } of batch.messages) {
    const eventIds = (Array.isArray(body) ? body : []).filter((id): id is DueEvent => typeof id === "string");
    await postCallbacks(deps, [...new Set(eventIds)]);
  }
}

/** Jobs that end or fail together. */
interface Task {
  entries: Entry[];
  work: () => Promise<void>;
  /** A job that has failed so often while the store works is stored for the operator. Left out: JOB_TRIES. */
  mostTries?: number;
  /** The jobs come from the dead-letter queue, and the work stores them for the operator, however often it is tried. */
  areDead?: boolean;
  /** One line in the log for all of its jobs, because each of very many receipts has a job of its own. */
  logsOnce?: boolean;
  /** The same work, job by job. It runs when the whole fails, so that one faulty job does not fail the others. */
  oneByOne?: Task[];
}

/**
 * Recovery jobs run first; then receipts are applied together, and new deliveries run together. A delivery that has failed
 * before runs alone, after the others, so that one that always fails fails alone.
 */
async function consumeMessages(batch: Batch, deps: Deps): Promise<void> {
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
  tasks.push(...inGroups(deliveries).map((entries) => ({ entries, work: () => deliver(deps, entries, run) })));
  await settleAll(deps, batch.queue, tasks);
}

async function failMalformed(field = "body"): Promise<never> {
  throw new Error(`malformed: ${field} is wrong`);
}

/** After several failures of the store in a row, inTurn stops: the remaining jobs are retried later, untried now. */
async function settleAll(deps: Deps, queue: string, tasks: Task[]): Promise<void> {
  const left = new Set(tasks);
  try {
    await inTurn(tasks, (task) => {
      left.delete(task);
      return settle(deps, queue, task);
    });
  } catch (error) {
    for (const task of left) for (const entry of task.entries) retry(deps, task, entry, error, deps.now());
  }
}

/** One group of all first tries. Each retry is a group of its own. */
function inGroups(entries: Entry[]): Entry[][] {
  const isFirst = ({ message }: Entry) => message.attempts === 1;
  const first = entries.filter(isFirst);
  return [...(first.length > 0 ? [first] : []), ...entries.filter((entry) => !isFirst(entry)).map((entry) => [entry])];
}

/**
 * Messages whose store is overloaded get new jobs, which run together again: alone, each would ask as much of the store as
 * hundreds do together.
 */
async function deliver(deps: Deps, entries: Entry[], run: DeliveryRun): Promise<void> {
  const ids = [...new Set(entries.flatMap(({ job }) => (job?.kind === "deliver" ? job.messageIds : [])))];
  try {
    await deliverMessages(deps, ids, run);
  } catch (error) {
    const isQueued =
      isStoreRefused(error) && (await queueDeliveries(deps, run.lane, ids, refusedSeconds(deps.random())));
    if (!isQueued) throw error;
    deps.log("warn", "deliveries.refused", { count: ids.length, error: describeError(error) });
  }
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

async function runJob(deps: Deps, job: Recovery, lane: Lane = "messages"): Promise<void> {
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
 * Works on a task, and then acknowledges, retries, requeues or keeps as dead each of its jobs.
 * @throws after that, the failure of the work, or of the store that should keep a dead job: settleAll stops after several
 */
async function settle(deps: Deps, queue: string, task: Task): Promise<void> {
  const { entries, mostTries = JOB_TRIES, areDead = false, logsOnce = false } = task;
  const started = deps.now();
  const messages = entries.map(({ message }) => message);
  try {
    await task.work();
    deps.pause.until = 0;
    for (const message of messages) message.ack();
    const lines = logsOnce ? [entries] : entries.map((entry) => [entry]);
    for (const line of lines) logJobs(deps, line, areDead ? "dead" : "done", started);
  } catch (error) {
    if (task.oneByOne && !isStoreUnavailable(error)) return settleAll(deps, queue, task.oneByOne);
    pauseAfter(deps, error);
    for (const entry of entries) {
      const isOver = !areDead && entry.message.attempts >= mostTries;
      if (isOver && !isStoreUnavailable(error)) await keepDead(deps, queue, task, entry, error);
      else retry(deps, task, entry, error, started);
    }
    throw error;
  }
}

/** Stores a dead job for the operator: no retry can help it. @throws the failure of the store, after which the job is retried */
async function keepDead(deps: Deps, queue: string, task: Task, entry: Entry, fault: unknown): Promise<void> {
  const started = deps.now();
  if (!entry.job) deps.log("error", "job.malformed", { queueMessageId: entry.message.id });
  try {
    await keepDeadJobs(deps, queue, [entry.message], fault);
    entry.message.ack();
    logJobs(deps, [entry], "dead", started, fault);
  } catch (error) {
    retry(deps, task, entry, error, started);
    throw error;
  }
}

/**
 * Jobs that have used up the retries of their queue. Recovery jobs and receipts are retried here, because nothing else does
 * their work. The others are stored for the operator; until the store works, they are retried for days.
 */
async function consumeDead(batch: Batch, deps: Deps): Promise<void> {
  const queue = batch.queue.replace(/-dead$/, "");
  const kept: Entry[] = [];
  const receipts: Entry[] = [];
  const tasks: Task[] = [];
  for (const message of batch.messages) {
    const { data: job } = tryJob(message.body);
    if (isRecovery(job)) tasks.push({ entries: [{ message, job }], work: () => runJob(deps, job) });
    else (job?.kind === "receipts" ? receipts : kept).push({ message, job });
  }
  tasks.push(...receiptTasks(deps, receipts));
  for (const entries of inGroups(kept)) {
    const jobs = entries.map(({ message }) => message);
    tasks.push({ entries, work: () => keepDeadJobs(deps, queue, jobs), areDead: true });
  }
  await settleAll(deps, queue, tasks);
}

function retry(deps: Deps, { areDead }: Task, entry: Entry, error: unknown, started: number): void {
  const { message, job } = entry;
  const longestSeconds = areDead ? LONGEST_DEAD_PAUSE_SECONDS : undefined;
  const delaySeconds =
    isRecovery(job) || job?.kind === "receipts"
      ? recoverySeconds(message.attempts)
      : backoffSeconds(message.attempts, deps.random(), longestSeconds);
  message.retry({ delaySeconds });
  logJobs(deps, [entry], "retried", started, error);
}
