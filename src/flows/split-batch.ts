// The jobs of a batch by database: those of one that is away or slow hold up no others.
import type { Deps } from "../deps.ts";
import { isStoreRefused, isStoreUnavailable } from "../domain/failure.ts";
import { homeOf } from "../domain/home.ts";
import { recoverySeconds } from "../domain/retry-policy.ts";
import { describeError } from "../platform/describe-error.ts";
import { probeDatabase } from "../platform/store/database.ts";
import { unguarded } from "../platform/store/guarded-database.ts";
import { withinTime } from "../platform/time-limit.ts";
import { OUTBOUND_CONNECTIONS } from "./connections.ts";
import { inParallel } from "./in-parallel.ts";
import { findPlacesOf, inDatabase } from "./places.ts";

type Part = Pick<MessageBatch, "queue" | "messages">;

/**
 * After a failure, an isolate leaves a database alone for so long, and then asks it with one batch at a time: each try may hold a
 * consumer for 20 seconds.
 */
const REST_MILLISECONDS = 15_000;

/** What takes longer asks whether its database is there, which has so long to answer. */
const LATE_MILLISECONDS = 2000;
const ANSWER_MILLISECONDS = 5000;

/** Works on the parts of a batch by themselves. @param work that never rejects */
export async function inParts(
  deps: Deps,
  batch: Part,
  work: (own: Deps, part: Part) => Promise<void>,
  isAgain = false,
): Promise<void> {
  const parts = await splitBatch(deps, batch);
  const again: Message[] = [];
  await inParallel(parts, OUTBOUND_CONNECTIONS, ([own, part, homes]) => {
    const isShared = homes > 1 && !isAgain;
    return watch(own, work(isShared ? { ...own, again } : own, part));
  });
  // A website among those of a part has moved, and now it is known where it is. What fails once more is retried later.
  if (again.length > 0) await inParts(deps, { queue: batch.queue, messages: again }, work, true);
}

/** A job whose websites are in several databases is split: it is done when each of its parts is. */
async function splitBatch(deps: Deps, batch: Part): Promise<[own: Deps, part: Part, homes: number][]> {
  if (deps.others.size === 0) return [[deps, batch, 1]];
  const { queue } = batch;
  const placeOf = await findPlacesOf(
    deps,
    batch.messages.flatMap(({ body }) => idsOf(body)),
  );
  const split = batch.messages.flatMap((message) => splitJob(message, placeOf));
  const parts: [Deps, Part, number][] = [];
  for (const [place, some] of Map.groupBy(split, (part) => part.place)) {
    const messages = some.map(({ message }) => message);
    try {
      const homes = new Set(messages.flatMap(({ body }) => idsOf(body)).map(homeOf));
      const own = inDatabase(deps, place, [...homes]);
      if (deps.now() < own.rest.until) retryAll(deps, messages, place);
      else {
        if (own.rest.until > 0) rest(own);
        parts.push([own, { queue, messages }, homes.size]);
      }
    } catch (error) {
      retryAll(deps, messages, place, error);
    }
  }
  const outbound = Math.max(1, Math.floor(OUTBOUND_CONNECTIONS / parts.length));
  return parts.map(([own, part, homes]) => [{ ...own, outbound }, part, homes]);
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
async function watch(deps: Deps, work: Promise<void>): Promise<void> {
  if (deps.others.size > 0) {
    const isThere = withinTime(LATE_MILLISECONDS, work).catch(() =>
      withinTime(ANSWER_MILLISECONDS, probeDatabase(unguarded(deps.db))),
    );
    await isThere.catch(() => rest(deps));
  }
  await work;
}

/** The lists of a job, of ids or of what has one. */
const LISTS = ["messageIds", "eventIds", "records", "receipts", "rehearsals"] as const;

type Body = Partial<Record<string, unknown>>;

const idOf = (item: unknown) =>
  String(typeof item === "object" ? (item as { messageId?: unknown } | null)?.messageId : item);

const listIn = (body: unknown, name: string): unknown[] => {
  const list = (body as Body | null | undefined)?.[name];
  return Array.isArray(list) ? list : [];
};

/** '' of a job that names no message, or is malformed. */
function idsOf(body: unknown): string[] {
  if (typeof body === "string") return [body];
  const items = Array.isArray(body) ? body : LISTS.flatMap((name) => listIn(body, name));
  return items.length === 0 ? [""] : items.map(idOf);
}

function splitJob(message: Message, placeOf: (id: string) => string): { place: string; message: Message }[] {
  const { body } = message;
  const places = [...new Set(idsOf(body).map(placeOf))];
  if (places.length < 2) return [{ place: places[0] as string, message }];
  let left = places.length;
  let isRetried = false;
  const ack = () => {
    left -= 1;
    if (left === 0 && !isRetried) message.ack();
  };
  const retry = (options?: QueueRetryOptions) => {
    isRetried = true;
    message.retry(options);
  };
  const { id, timestamp, attempts } = message;
  const only = (items: unknown[], place: string) => items.filter((item) => placeOf(idOf(item)) === place);
  const bodyIn = (place: string) =>
    Array.isArray(body)
      ? only(body, place)
      : Object.fromEntries(
          Object.entries(body as Body).map(([name, value]) => [
            name,
            (LISTS as readonly string[]).includes(name) ? only(listIn(body, name), place) : value,
          ]),
        );
  return places.map((place) => ({
    place,
    message: { id, timestamp, attempts, body: bodyIn(place), ack, retry } as Message,
  }));
}
