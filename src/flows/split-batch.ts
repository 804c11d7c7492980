// The jobs of a batch by database: those of one that is away or slow hold up no others.
import type { Database, Deps } from "../deps.ts";
import { isStoreRefused, isStoreUnavailable } from "../domain/failure.ts";
import { recoverySeconds } from "../domain/retry-policy.ts";
import { describeError } from "../platform/describe-error.ts";
import { groupByDatabase, inDatabase } from "./places.ts";

type Part = Pick<MessageBatch, "queue" | "messages">;

/** After a failure, an isolate leaves a database alone for so long: each try may hold a consumer for 20 seconds. */
const REST_MILLISECONDS = 15_000;

/** All ids in a job are of one database: the flow that made it had one. */
export async function splitBatch(deps: Deps, batch: Part): Promise<[Deps, Part][]> {
  if (deps.others.size === 0) return [[deps, batch]];
  const { queue } = batch;
  const parts: [Deps, Part][] = [];
  for (const [database, messages] of await groupByDatabase(deps, batch.messages, ({ body }) => firstId(body))) {
    try {
      const own = inDatabase(deps, database);
      if (deps.now() >= own.rest.until) parts.push([own, { queue, messages }]);
      else retryAll(deps, messages, database);
    } catch (error) {
      retryAll(deps, messages, database, error);
    }
  }
  return parts;
}

/** Callbacks have no retries: the sweep finds them. */
function retryAll(deps: Deps, messages: readonly Message[], database: string, error?: unknown): void {
  for (const message of messages) message.retry({ delaySeconds: recoverySeconds(message.attempts) });
  const about = error === undefined ? {} : { error: describeError(error) };
  deps.log("warn", "jobs.wait", { database, count: messages.length, ...about });
}

export function restAfter({ rest }: Database, error: unknown, now: number): void {
  if (isStoreUnavailable(error) && !isStoreRefused(error)) rest.until = now + REST_MILLISECONDS;
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
