// The jobs of a batch by database: those of one that is away or slow hold up no others.
import type { Database, Deps } from "../deps.ts";
import { isStoreRefused, isStoreUnavailable } from "../domain/failure.ts";
import { homeOf } from "../domain/home.ts";
import { recoverySeconds } from "../domain/retry-policy.ts";
import { describeError } from "../platform/describe-error.ts";
import { findPlacesOf, inDatabase } from "./places.ts";

type Part = Pick<MessageBatch, "queue" | "messages">;

/** After a failure, an isolate leaves a database alone for so long: each try may hold a consumer for 20 seconds. */
const REST_MILLISECONDS = 15_000;

/** A job whose websites are in several databases is split: it is done when each of its parts is. */
export async function splitBatch(deps: Deps, batch: Part): Promise<[Deps, Part][]> {
  if (deps.others.size === 0) return [[deps, batch]];
  const { queue } = batch;
  const placeOf = await findPlacesOf(
    deps,
    batch.messages.flatMap(({ body }) => idsOf(body)),
  );
  const split = batch.messages.flatMap((message) => splitJob(message, placeOf));
  const parts: [Deps, Part][] = [];
  for (const [place, some] of Map.groupBy(split, (part) => part.place)) {
    const messages = some.map(({ message }) => message);
    try {
      const homes = new Set(messages.flatMap(({ body }) => idsOf(body)).map(homeOf));
      const own = inDatabase(deps, place, [...homes]);
      const isAlone = homes.size < 2;
      if (deps.now() >= own.rest.until) parts.push([isAlone ? own : { ...own, again: [] }, { queue, messages }]);
      else retryAll(deps, messages, place);
    } catch (error) {
      retryAll(deps, messages, place, error);
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

/** The lists of a job, of ids or of what has one. */
const LISTS = ["messageIds", "records", "receipts", "rehearsals"] as const;

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
