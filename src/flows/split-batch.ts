// The jobs of a batch by database: those of one that is away or slow hold up no others.
import type { Deps } from "../deps.ts";
import { isStoreRefused, isStoreUnavailable } from "../domain/failure.ts";
import { recoverySeconds } from "../domain/retry-policy.ts";
import { describeError } from "../platform/describe-error.ts";
import { probeDatabase } from "../platform/store/database.ts";
import { withinTime } from "../platform/time-limit.ts";
import { OUTBOUND_CONNECTIONS } from "./connections.ts";
import { groupByDatabase, inDatabase } from "./places.ts";

type Part = Pick<MessageBatch, "queue" | "messages">;

/**
 * After a failure, an isolate leaves a database alone for so long, and then asks it with one batch at a time: each try may hold a
 * consumer for 20 seconds.
 */
const REST_MILLISECONDS = 15_000;

/** What takes longer asks whether its database is there, which has so long to answer. */
const LATE_MILLISECONDS = 2000;
const ANSWER_MILLISECONDS = 5000;

/** All ids in a job are of one database: the flow that made it had one. */
export async function splitBatch(deps: Deps, batch: Part): Promise<[Deps, Part][]> {
  if (deps.others.size === 0) return [[deps, batch]];
  const { queue } = batch;
  const parts: [Deps, Part][] = [];
  for (const [database, messages] of await groupByDatabase(deps, batch.messages, ({ body }) => firstId(body))) {
    try {
      const own = inDatabase(deps, database);
      if (deps.now() < own.rest.until) retryAll(deps, messages, database);
      else {
        if (own.rest.until > 0) rest(own);
        parts.push([own, { queue, messages }]);
      }
    } catch (error) {
      retryAll(deps, messages, database, error);
    }
  }
  const outbound = Math.max(1, Math.floor(OUTBOUND_CONNECTIONS / parts.length));
  return parts.map(([own, part]) => [{ ...own, outbound }, part]);
}

/** Callbacks have no retries: the sweep finds them. */
function retryAll(deps: Deps, messages: readonly Message[], database: string, error?: unknown): void {
  for (const message of messages) message.retry({ delaySeconds: recoverySeconds(message.attempts) });
  const about = error === undefined ? {} : { error: describeError(error) };
  deps.log("warn", "jobs.wait", { database, count: messages.length, ...about });
}

function rest(deps: Deps): void {
  deps.rest.until = deps.now() + REST_MILLISECONDS;
}

export function restAfter(deps: Deps, error: unknown): void {
  if (isStoreUnavailable(error) && !isStoreRefused(error)) rest(deps);
}

/** Finds out early that a database is silent, so that later batches do not wait for it, too. @param work that never rejects */
export async function watch(deps: Deps, work: Promise<void>): Promise<void> {
  if (deps.others.size > 0) {
    const isThere = withinTime(LATE_MILLISECONDS, work).catch(() =>
      withinTime(ANSWER_MILLISECONDS, probeDatabase(deps.db)),
    );
    await isThere.catch(() => rest(deps));
  }
  await work;
}

interface Body {
  messageIds?: unknown[];
  records?: { messageId?: unknown }[];
  receipts?: { messageId?: unknown }[];
  rehearsals?: { messageId?: unknown }[];
}

/** '' of a job that names no message, or is malformed. */
function firstId(body: unknown): string {
  if (typeof body === "string") return body;
  if (Array.isArray(body)) return String(body[0]);
  const { messageIds, records, receipts, rehearsals } = (body ?? {}) as Body;
  const [first] = [messageIds, records, receipts, rehearsals].flatMap((list) => (Array.isArray(list) ? list : []));
  return String(typeof first === "object" ? (first as { messageId?: unknown } | null)?.messageId : first);
}
