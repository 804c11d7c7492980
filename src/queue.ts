import type { Deps } from "./deps.ts";
import { isStoreUnavailable } from "./domain/failure.ts";
import { type Job, jobSchema } from "./domain/job.ts";
import { backoffSeconds, JOB_TRIES, LONGEST_DEAD_PAUSE_SECONDS, recoverySeconds } from "./domain/retry-policy.ts";
import { countOutcomes, type OutcomeTally } from "./flows/count-outcomes.ts";
import { keepDeadJobs } from "./flows/dead-jobs.ts";
import { deliverMessages, storeOutcomes } from "./flows/deliver-messages.ts";
import { postCallbacks } from "./flows/post-callbacks.ts";
import { describeError } from "./platform/describe-error.ts";
import { cancelUnconfirmed } from "./platform/store/cancelled-messages.ts";
import type { DueEvent } from "./platform/store/events.ts";
import { releaseClaim } from "./platform/store/messages.ts";

/** How long the next batch of callbacks waits for this one: slower posts go on in the background. */
const CALLBACK_WAIT_MILLISECONDS = 1000;

/** The consumer of all queues. It never throws: the platform would redeliver the whole batch, finished jobs included. */
export async function consume(batch: MessageBatch, deps: Deps): Promise<void> {
  if (batch.queue.endsWith("callbacks")) await consumeCallbacks(batch, deps);
  else if (batch.queue.endsWith("-dead")) await consumeDead(batch, deps);
  else await countOutcomes(deps, (tally) => consumeMessages(batch, deps, tally));
}

/** Never retried by the queue: the sweep requeues unclaimed callbacks. Logs one line per batch; each post has its own. */
async function consumeCallbacks(batch: MessageBatch, deps: Deps): Promise<void> {
  const started = deps.now();
  const eventIds = batch.messages.map(({ body }) => body).filter((body): body is DueEvent => typeof body === "string");
  const about = () => ({ kind: "callback", count: eventIds.length, milliseconds: deps.now() - started });
  const posting = countOutcomes(deps, (tally) => postCallbacks(deps, eventIds, tally)).then(
    () => deps.log("info", "job", { ...about(), outcome: "done" }),
    (error: unknown) => deps.log("error", "callbacks.failed", { ...about(), error: describeError(error) }),
  );
  deps.waitUntil(posting);
  await Promise.race([posting, scheduler.wait(CALLBACK_WAIT_MILLISECONDS)]);
}

/** A recovery job repairs what a failed store left undone. */
type Recovery = Exclude<Job, { kind: "deliver" }>;

function isRecovery(job: Job | undefined): job is Recovery {
  return job !== undefined && job.kind !== "deliver";
}

interface Entry {
  message: Message;
  /** undefined when it is malformed. */
  job: Job | undefined;
}

/**
 * Recovery jobs run first; then new deliveries run together. A delivery that has failed before runs alone, after the others, so
 * that a job that always fails fails alone.
 */
async function consumeMessages(batch: MessageBatch, deps: Deps, tally: OutcomeTally): Promise<void> {
  const deliveries: Entry[] = [];
  for (const message of batch.messages) {
    const { data: job, error } = jobSchema.safeParse(message.body);
    if (job?.kind === "deliver") deliveries.push({ message, job });
    else if (isRecovery(job)) await settle(deps, batch.queue, [{ message, job }], () => runJob(deps, job));
    else await bury(deps, batch.queue, { message, job }, new Error(`malformed: ${error?.issues[0]?.message}`));
  }
  for (const group of inGroups(deliveries)) await settle(deps, batch.queue, group, () => deliver(deps, group, tally));
}

/** First tries together, and each retry alone. */
function inGroups(entries: Entry[]): Entry[][] {
  const isFirst = ({ message }: Entry) => message.attempts === 1;
  const first = entries.filter(isFirst);
  return [...(first.length > 0 ? [first] : []), ...entries.filter((entry) => !isFirst(entry)).map((entry) => [entry])];
}

function deliver(deps: Deps, entries: Entry[], tally: OutcomeTally): Promise<void> {
  const ids = entries.flatMap(({ job }) => (job?.kind === "deliver" ? job.messageIds : []));
  return deliverMessages(deps, [...new Set(ids)], tally);
}

async function runJob(deps: Deps, job: Recovery): Promise<void> {
  switch (job.kind) {
    case "cancel":
      return cancelUnconfirmed(deps.db, job.messageIds, deps.now());
    case "release":
      return releaseClaim(deps.db, job.claim);
    case "record":
      return storeOutcomes(deps, job.claim, job.records);
  }
}

async function settle(deps: Deps, queue: string, entries: Entry[], work: () => Promise<void>): Promise<void> {
  const started = deps.now();
  try {
    await work();
    for (const entry of entries) done(deps, entry, "done", started);
  } catch (error) {
    for (const entry of entries) {
      if (!isStoreUnavailable(error) && entry.message.attempts >= JOB_TRIES) await bury(deps, queue, entry, error);
      else retry(deps, entry, error, started);
    }
  }
}

/** Stores a dead job for the operator: no further try can help it. */
async function bury(deps: Deps, queue: string, entry: Entry, fault: unknown): Promise<void> {
  const started = deps.now();
  if (!entry.job) deps.log("error", "job.malformed", { queueMessageId: entry.message.id });
  try {
    await keepDeadJobs(deps, queue, [entry.message], fault);
    done(deps, entry, "dead", started, fault);
  } catch (error) {
    retry(deps, entry, error, started);
  }
}

/**
 * Jobs that have used up the retries of their queue. Recovery jobs are retried here, because nothing else does their work. The
 * others are stored for the operator; until the store works, they are retried for days.
 */
async function consumeDead(batch: MessageBatch, deps: Deps): Promise<void> {
  const queue = batch.queue.replace(/-dead$/, "");
  const kept: Entry[] = [];
  for (const message of batch.messages) {
    const { data: job } = jobSchema.safeParse(message.body);
    if (isRecovery(job)) await settle(deps, queue, [{ message, job }], () => runJob(deps, job));
    else kept.push({ message, job });
  }
  for (const group of inGroups(kept)) {
    const started = deps.now();
    const jobs = group.map(({ message }) => message);
    try {
      await keepDeadJobs(deps, queue, jobs);
      for (const entry of group) done(deps, entry, "dead", started);
    } catch (error) {
      for (const entry of group) retry(deps, entry, error, started, LONGEST_DEAD_PAUSE_SECONDS);
    }
  }
}

function done(deps: Deps, entry: Entry, outcome: "done" | "dead", started: number, fault?: unknown): void {
  entry.message.ack();
  logJob(deps, entry, outcome, started, fault);
}

function retry(deps: Deps, entry: Entry, error: unknown, started: number, longestSeconds?: number): void {
  const { message, job } = entry;
  const delaySeconds = isRecovery(job)
    ? recoverySeconds(message.attempts)
    : backoffSeconds(message.attempts, deps.random(), longestSeconds);
  message.retry({ delaySeconds });
  logJob(deps, entry, "retried", started, error);
}

const LEVELS = { done: "info", retried: "warn", dead: "error" } as const;

function logJob(deps: Deps, { message, job }: Entry, outcome: keyof typeof LEVELS, started: number, error?: unknown) {
  deps.log(LEVELS[outcome], "job", {
    queueMessageId: message.id,
    kind: job?.kind ?? "malformed",
    count: job ? countOf(job) : 1,
    outcome,
    attempts: message.attempts,
    milliseconds: deps.now() - started,
    ...(error === undefined ? {} : { error: describeError(error) }),
  });
}

/** The number of messages in a job; unknown for a claim. */
function countOf(job: Job): number | null {
  if (job.kind === "release") return null;
  return job.kind === "record" ? job.records.length : job.messageIds.length;
}
