import type { Deps } from "./deps.ts";
import { backoffSeconds } from "./domain/backoff.ts";
import { type Job, jobSchema } from "./domain/job.ts";
import { deliverMessages, storeOutcomes } from "./flows/deliver-messages.ts";
import { postCallbacks } from "./flows/post-callbacks.ts";
import { describeError } from "./platform/describe-error.ts";
import type { DueEvent } from "./platform/store/events.ts";
import { releaseClaim } from "./platform/store/messages.ts";
import { removeUnconfirmed } from "./platform/store/store-messages.ts";

/** How long a batch of callbacks holds up the next: a slow endpoint's posts go on in the background. */
const PATIENCE_MILLISECONDS = 1000;

/** The consumer of both queues. It never throws: that would bring back jobs that are done. */
export async function consume(batch: MessageBatch, deps: Deps): Promise<void> {
  if (batch.queue.endsWith("callbacks")) await consumeCallbacks(batch, deps);
  else await consumeMessages(batch, deps);
}

/** Delivered once, whatever happens: the sweep finds callbacks that nobody has claimed. */
async function consumeCallbacks(batch: MessageBatch, deps: Deps): Promise<void> {
  const eventIds = batch.messages.map(({ body }) => body).filter((body): body is DueEvent => typeof body === "string");
  const posting = postCallbacks(deps, eventIds).catch((error: unknown) =>
    deps.log("error", "callbacks.failed", { count: eventIds.length, error: describeError(error) }),
  );
  deps.waitUntil(posting);
  await Promise.race([posting, scheduler.wait(PATIENCE_MILLISECONDS)]);
}

async function consumeMessages(batch: MessageBatch, deps: Deps): Promise<void> {
  const deliveries: Message[] = [];
  const messageIds = new Set<string>();
  for (const message of batch.messages) {
    const job = jobSchema.safeParse(message.body);
    if (!job.success) {
      deps.log("error", "job.malformed", { queueMessageId: message.id });
      message.ack();
    } else if (job.data.kind === "deliver") {
      deliveries.push(message);
      for (const messageId of job.data.messageIds) messageIds.add(messageId);
    } else {
      await settle(deps, [message], runJob(deps, job.data));
    }
  }
  if (deliveries.length > 0) await settle(deps, deliveries, deliverMessages(deps, [...messageIds]));
}

async function runJob(deps: Deps, job: Exclude<Job, { kind: "deliver" }>): Promise<void> {
  switch (job.kind) {
    case "cancel":
      return removeUnconfirmed(deps.db, job.messageIds);
    case "release":
      return releaseClaim(deps.db, job.claim);
    case "record":
      return storeOutcomes(deps, job.claim, job.records);
  }
}

async function settle(deps: Deps, messages: Message[], work: Promise<void>): Promise<void> {
  try {
    await work;
    for (const message of messages) message.ack();
  } catch (error) {
    deps.log("error", "job.failed", { count: messages.length, error: describeError(error) });
    for (const message of messages) {
      message.retry({ delaySeconds: backoffSeconds(message.attempts, deps.random()) });
    }
  }
}
