// Splits a batch of jobs by database, so that the jobs of a database that is away or slow hold up no others. A job is of one website, and
// so of one database: see queue-jobs.ts.
import type { Deps } from "../../deps.ts";
import { homeOf } from "../../domain/databases/home.ts";
import { isStoreRefused, isStoreUnavailable } from "../../domain/failure.ts";
import { backoffSeconds, recoverySeconds } from "../../domain/messages/retry-policy.ts";
import { describeError } from "../../platform/describe-error.ts";
import { withinTime } from "../../platform/time-limit.ts";
import { probeDatabase } from "../../store/database.ts";
import { inParallel } from "../in-parallel.ts";
import { OUTBOUND_CONNECTIONS } from "../messages/connections.ts";
import { findDatabases, inDatabase } from "./places.ts";

type Part = Pick<MessageBatch, "queue" | "messages">;

/** Never rejects. */
type Work = (own: Deps, part: Part) => Promise<void>;

/**
 * How long an isolate does not use a database after a failure. After that, it tries the database with one batch at a time, because each
 * try may hold a consumer for 20 seconds.
 */
export const DATABASE_PAUSE_MILLISECONDS = 15_000;

/** If work on a database takes longer than this, the run probes the database. */
export const SLOW_MILLISECONDS = 2000;

/** If the probe takes longer than this, the run pauses the database. */
export const PROBE_MILLISECONDS = 5000;

/** Works on the jobs of each database by themselves. */
export async function inParts(deps: Deps, batch: Part, work: Work): Promise<void> {
  if (deps.others.size === 0) return work(deps, batch);
  const databaseOf = await findDatabases(deps, batch.messages.map(homeOfJob));
  const parts = [...Map.groupBy(batch.messages, (message) => databaseOf(homeOfJob(message)))];
  const outbound = Math.max(1, Math.floor(OUTBOUND_CONNECTIONS / parts.length));
  await inParallel(parts, OUTBOUND_CONNECTIONS, async ([database, messages]) => {
    const part = { queue: batch.queue, messages };
    try {
      const own = { ...inDatabase(deps, database), outbound };
      if (deps.now() < own.pause.until) return retryAll(deps, messages, database);
      // The pause is over. This batch tries the database, which stays paused for the others until the work has succeeded.
      if (own.pause.until > 0) pauseDatabase(own);
      await pauseIfSilent(own, work(own, part));
    } catch (error) {
      retryAll(deps, messages, database, error);
    }
  });
}

/** Callbacks have no retries: the sweep finds them. */
function retryAll(deps: Deps, messages: readonly Message[], database: string, error?: unknown): void {
  for (const message of messages) {
    const isDelivery = (message.body as { kind?: unknown } | null)?.kind === "deliver";
    const { attempts } = message;
    message.retry({ delaySeconds: isDelivery ? backoffSeconds(attempts, deps.random()) : recoverySeconds(attempts) });
  }
  const about = error === undefined ? {} : { error: describeError(error) };
  deps.log("warn", "jobs.wait", { database, count: messages.length, ...about });
}

function pauseDatabase(deps: Deps): void {
  deps.pause.until = deps.now() + DATABASE_PAUSE_MILLISECONDS;
}

export function pauseAfter(deps: Deps, error: unknown): void {
  if (isStoreUnavailable(error) && !isStoreRefused(error)) pauseDatabase(deps);
}

/** Waits for work on a database. If the database does not answer meanwhile, it pauses at once, so that later batches do not wait for it. */
async function pauseIfSilent(deps: Deps, work: Promise<void>): Promise<void> {
  try {
    await withinTime(SLOW_MILLISECONDS, work).catch(() => withinTime(PROBE_MILLISECONDS, probeDatabase(deps.db)));
  } catch {
    pauseDatabase(deps);
  }
  await work;
}

/** The fields of a job that hold ids, or objects with a messageId. */
const LISTS = ["messageIds", "eventIds", "records", "receipts", "rehearsals"] as const;

/**
 * The home of the website that a job is for, from the first id in it. 0: the job has no id or is malformed, so the first database has
 * it.
 */
function homeOfJob({ body }: Pick<Message, "body">): number {
  const job = (typeof body === "object" && body !== null ? body : {}) as Partial<Record<string, unknown>>;
  const items = Array.isArray(body) ? body : [job, ...LISTS.flatMap((name) => job[name] ?? [])];
  const ids = items.map((item) =>
    typeof item === "object" ? (item as { messageId?: unknown } | null)?.messageId : item,
  );
  return homeOf(String(ids.find((id) => id !== undefined) ?? ""));
}
