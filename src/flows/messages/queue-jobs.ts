import type { Deps } from "../../deps.ts";
import type { DueEvent } from "../../domain/callbacks/callback.ts";
import { chunk } from "../../domain/chunk.ts";
import { homeOf } from "../../domain/databases/home.ts";
import { RequestFailure } from "../../domain/failure.ts";
import { type Job, type Lane, MESSAGES_A_JOB } from "../../domain/messages/job.ts";
import type { NewMessage } from "../../domain/messages/new-message.ts";
import { cutReceipt, type Receipt } from "../../domain/messages/receipt.ts";
import { describeError } from "../../platform/describe-error.ts";
import { withinTime } from "../../platform/time-limit.ts";
import type { OverdueMessage } from "../../store/messages/overdue.ts";

/** Timeout of the queue. A job without a confirmation counts as not queued, and may arrive twice. */
export const QUEUE_MILLISECONDS = 5000;

/** Cloudflare allows a call of sendBatch 100 messages and 256 KB; a job of 25 ids has 1 KB. */
const BATCH = 50;

/**
 * A job is of one website, whose database its consumer finds by the first id.
 * @param idOf an id that carries the home of its website
 */
export function byWebsite<T>(items: readonly T[], idOf: (item: T) => string): T[][] {
  return [...Map.groupBy(items, (item) => homeOf(idOf(item))).values()];
}

/**
 * The ids of each job of deliveries or of callbacks. With one database, websites share a job, because each job costs the database a claim
 * and a record.
 */
export function inJobs<T extends string>({ others }: Pick<Deps, "others">, ids: readonly T[], most: number): T[][] {
  const parts = others.size === 0 ? [[...ids]] : byWebsite(ids, String);
  return parts.flatMap((some) => chunk(some, most));
}

/** See queueJobs. */
export async function queueDeliveries(
  deps: Deps,
  lane: Lane,
  messageIds: string[],
  delaySeconds = 0,
): Promise<boolean> {
  const parts = inJobs(deps, messageIds, MESSAGES_A_JOB);
  const jobs = parts.map((some): Job => ({ kind: "deliver", messageIds: some }));
  return sendAll(deps, deps[lane], jobs, delaySeconds);
}

/** The longest that a queue keeps a job back: https://developers.cloudflare.com/queues/platform/limits/ */
const LONGEST_DELAY_SECONDS = 86_400;

/**
 * Queues messages for delivery at their times, rounded up to steps: equal delays share a job. The sweep queues what is due later than a
 * queue can wait.
 * @param waiting `at` in milliseconds since 1970
 */
export async function queueDeliveriesAt(
  deps: Deps,
  lane: Lane,
  waiting: { messageId: string; at: number }[],
  now: number,
  stepSeconds = 1,
): Promise<void> {
  const seconds = ({ at }: { at: number }) => Math.max(0, Math.ceil((at - now) / 1000 / stepSeconds) * stepSeconds);
  for (const [delaySeconds, group] of Map.groupBy(waiting, seconds)) {
    if (delaySeconds > LONGEST_DELAY_SECONDS) continue;
    await queueDeliveries(
      deps,
      lane,
      group.map(({ messageId }) => messageId),
      delaySeconds,
    );
  }
}

/** Overdue deliveries with nearly the same delay share a job. */
const OVERDUE_STEP_SECONDS = 5;

/** Queues overdue messages. If a website has many, they go to the bulk queue: most of them wait there already. */
export async function queueOverdue(deps: Deps, found: OverdueMessage[], now: number): Promise<void> {
  const overdue = found.flatMap(({ at, ...message }) => (at === null ? [] : { ...message, at }));
  const websites = Map.groupBy(overdue, ({ websiteId }) => websiteId);
  const isMany = ({ websiteId }: Pick<OverdueMessage, "websiteId">) =>
    (websites.get(websiteId) ?? []).length > MESSAGES_A_JOB;
  for (const [lane, some] of Map.groupBy(overdue, (message): Lane => (isMany(message) ? "bulk" : "messages"))) {
    await queueDeliveriesAt(deps, lane, some, now, OVERDUE_STEP_SECONDS);
  }
}

/**
 * Never throws: a failure is logged, and the sweep requeues the messages that wait in the store.
 * @returns whether all jobs are queued
 */
export async function queueJobs(
  deps: Deps,
  jobs: Job[],
  delaySeconds = 0,
  queue: Lane | "receipts" = "messages",
): Promise<boolean> {
  return sendAll(deps, deps[queue], jobs, delaySeconds);
}

/**
 * Queues the receipts of a request, each as a job of its own: their consumer applies a hundred together.
 * @throws RequestFailure store-unavailable unless all are queued: the carrier sends them again
 */
export async function queueReceipts(deps: Deps, carrier: string, receipts: Receipt[]): Promise<void> {
  const jobs = receipts.map((receipt): Job => ({ kind: "receipts", carrier, receipts: [cutReceipt(receipt)] }));
  if (!(await sendAll(deps, deps.receipts, jobs, 0))) throw new RequestFailure({ kind: "store-unavailable" });
}

/** Few, because nobody can say which of the claimed callbacks were posted if a run is interrupted. */
export const CALLBACKS_A_JOB = 24;

/** See queueJobs. */
export async function queueCallbacks(deps: Deps, due: DueEvent[], delaySeconds = 0): Promise<void> {
  const parts = inJobs(deps, due, CALLBACKS_A_JOB);
  await sendAll(deps, deps.callbacks, parts, delaySeconds);
}

/** What follows from accepted messages. */
export interface Accepted {
  /** The messages to deliver. */
  pending: Pick<NewMessage, "messageId" | "sendAt">[];
  due: DueEvent[];
}

/** Queues what follows from accepted messages, after the response. */
export function queueAccepted(deps: Deps, lane: Lane, { pending, due }: Accepted): void {
  const waiting = pending.map(({ messageId, sendAt = 0 }) => ({ messageId, at: sendAt }));
  if (waiting.length > 0) deps.waitUntil(queueDeliveriesAt(deps, lane, waiting, deps.now()));
  if (due.length > 0) deps.waitUntil(queueCallbacks(deps, due));
}

async function sendAll<T>(deps: Deps, queue: Queue<T>, bodies: T[], delaySeconds: number): Promise<boolean> {
  for (const [index, some] of chunk(bodies, BATCH).entries()) {
    const batch = some.map((body) => ({ body, contentType: "json" as const, delaySeconds }));
    try {
      await withinTime(QUEUE_MILLISECONDS, queue.sendBatch(batch));
    } catch (error) {
      deps.log("error", "queue.failed", { count: bodies.length - index * BATCH, error: describeError(error) });
      return false;
    }
  }
  return true;
}
