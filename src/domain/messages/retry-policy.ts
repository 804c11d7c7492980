// Pure. The retry policy of messages and of the jobs that carry them: all numbers of tries, pauses and deadlines, with their
// reasons. The circuit breaker of a carrier has a policy of its own, callbacks are posted once, and other timeouts stand with their
// calls.

/** A message fails after so many submissions, unless its carrier itself fails: then only the deadline ends it. */
export const MOST_ATTEMPTS = 40;

/** The deadline for a carrier to accept a message; then FAILED_TO_SEND. Later, most texts have lost their meaning. */
export const SUBMIT_WITHIN_HOURS = { fallback: 4, least: 0.01, most: 72 };

/** How long a message waits for its final receipt; then FAILED_TO_DELIVERY. */
export const RECEIPT_WITHIN_HOURS = { fallback: 24, least: 0.01, most: 168 };

/** How long a message or a callback waits for its queue job; then it is overdue, and the sweep requeues it. */
export const REQUEUE_AFTER_SECONDS = { fallback: 60, least: 1, most: 3600 };

interface Deadlines {
  submitWithinMilliseconds: number;
  requeueAfterMilliseconds: number;
}

/** How long after a missing job the sweep looks at a message. */
export function overdueAfterMilliseconds({ submitWithinMilliseconds, requeueAfterMilliseconds }: Deadlines): number {
  return Math.min(requeueAfterMilliseconds, submitWithinMilliseconds);
}

/**
 * How long after its acceptance the job of a message counts as due at the latest, however late its retry is. So a message
 * is overdue as soon as its deadline has passed, and the sweep finds it among the overdue.
 */
export function longestWaitMilliseconds(deadlines: Deadlines): number {
  return deadlines.submitWithinMilliseconds - overdueAfterMilliseconds(deadlines);
}

const FIRST_PAUSE_SECONDS = 5;
export const LONGEST_PAUSE_SECONDS = 600;

/**
 * The pause before the next submission of a message, or the next run of a job: exponential backoff with jitter over the upper
 * half, so that the retries of many messages spread out.
 * @param attempts tries so far, from 1
 * @param random a number from 0 to 1
 * @returns whole seconds, 3 to 600, or to `longestSeconds`
 */
export function backoffSeconds(attempts: number, random: number, longestSeconds = LONGEST_PAUSE_SECONDS): number {
  const ceiling = Math.min(longestSeconds, FIRST_PAUSE_SECONDS * 2 ** Math.min(attempts - 1, 20));
  return Math.ceil(ceiling / 2 + (ceiling / 2) * random);
}

/** The pause of a message for which the frequency cap has no place while others are being submitted: most submissions end within a second. */
export const CAP_PAUSE_SECONDS = 10;

/**
 * The pause before work that an overloaded store has refused is queued again: it had no effect, and counts as no try.
 * @param random a number from 0 to 1
 */
export function refusedSeconds(random: number): number {
  return Math.ceil(FIRST_PAUSE_SECONDS * (1 + random));
}

/**
 * How often the platform redelivers a job of a queue: `max_retries` in wrangler.toml. While the store fails, a job is retried
 * for up to two and a half hours, and then goes to the dead-letter queue. The consumer of that queue puts recovery jobs and receipts back into
 * their queues, and stores all others for the operator. It retries for four days, after which the platform drops a job.
 */
export const QUEUE_RETRIES = { messages: 20, bulk: 20, receipts: 20, "messages-dead": 100, callbacks: 0 };

/** A job dies after so many tries, about two minutes, when the store works and the job itself fails. */
export const JOB_TRIES = 6;

/** With this pause, the 100 retries of the dead-letter queue outlast the four days for which it keeps a job. */
export const LONGEST_DEAD_PAUSE_SECONDS = 7200;

/** A recovery job repairs the effects of a failed store: it cancels, releases or records. It first runs after this pause. */
export const RECOVERY_DELAY_SECONDS = 5;

/** The longest pause between two tries of a recovery job. It is short, because overdue messages wait for it. */
export const LONGEST_RECOVERY_SECONDS = 60;

/**
 * The pause before the next try of a recovery job. Pauses grow by half, so each is at most half of the time since the failure
 * and 5 seconds: once the store works again, the job runs within that time.
 * @param attempts tries so far, from 1
 */
export function recoverySeconds(attempts: number): number {
  return Math.floor(Math.min(LONGEST_RECOVERY_SECONDS, FIRST_PAUSE_SECONDS * 1.5 ** (attempts - 1)));
}

/**
 * Once the store works again, a recovery job has run after this time: its longest pause, and half a minute for a try that is just failing,
 * for its way through the queue, and for its run. What must not come before the job waits so long: the delivery of a message whose job was
 * lost, because the job may have to cancel the message, and the end of a submission that was cut off.
 */
export const RECOVERY_MILLISECONDS = (LONGEST_RECOVERY_SECONDS + 30) * 1000;

/**
 * A message that waits for its time gets its job so long before: a job may have to cancel it first (see RECOVERY_MILLISECONDS), and the sweep
 * runs every minute, and may be late.
 */
export const SCHEDULED_LEAD_MILLISECONDS = 7 * 60_000;

/** Whether a message that may go at `sendAt` has no job yet at `now`. */
export const isScheduled = (sendAt: number | undefined, now: number): boolean =>
  sendAt !== undefined && sendAt > now + SCHEDULED_LEAD_MILLISECONDS;

/**
 * The platform ends a run of a queue's consumer after 15 minutes. So no run holds a claim that is older than this: its
 * submission was interrupted.
 */
export const LONGEST_RUN_MILLISECONDS = 16 * 60_000;

/**
 * How long the platform lets invocations run on when a new version of the Worker or of the runtime arrives, which happens a few
 * times a week: https://developers.cloudflare.com/workers/platform/limits/#duration
 */
export const GRACE_MILLISECONDS = 30_000;

/**
 * A delivery run begins no submission after this, and requeues what is left. With the 20 seconds of its last submission it
 * ends within the grace period: a new version leaves no outcome unknown that the carrier has told.
 */
export const DELIVERY_RUN_MILLISECONDS = 8000;

/** How often a statement is run while the store fails, with a random pause of at most 200 ms: a request waits for it. */
export const STORE_TRIES = 4;
export const LONGEST_STORE_PAUSE_MILLISECONDS = 200;

/** Timeout of one try. The largest statements of requests and jobs take a second or two. */
export const STORE_TRY_MILLISECONDS = 10_000;

/** By how much the clocks of the Worker and of D1 may differ. */
export const STORE_CLOCKS_MILLISECONDS = 5000;

/** A try that was given up takes effect within this time, or never: a job that releases its claim waits so long. See src/store/fence.ts. */
export const TRY_LIFE_SECONDS = (STORE_TRY_MILLISECONDS + STORE_CLOCKS_MILLISECONDS) / 1000;

/** The limit of D1 itself, for statements that count millions of rows. */
export const LONGEST_STORE_TRY_MILLISECONDS = 30_000;

/** After so many timeouts the store counts as down: a request is answered after 20 seconds. */
export const SILENT_STORE_TRIES = 2;
