// Questions to several databases.
import type { Deps } from "../../deps.ts";
import { isStoreUnavailable } from "../../domain/failure.ts";
import { inParallel } from "../in-parallel.ts";
import { CONNECTIONS } from "../messages/connections.ts";
import { inDatabase, inEach } from "./places.ts";

/** What an answer says of databases that did not answer: their part is missing. Left out where all did. */
export interface Missing {
  unavailableDatabases?: string[];
}

/**
 * @param databases all, if not given
 * @returns the answers in the order of the databases
 * @throws a fault of any; the failure of the store where none has answered
 */
export async function askEach<T>(
  deps: Deps,
  ask: (own: Deps) => Promise<T>,
  databases = inEach(deps),
): Promise<{ answers: T[]; missing: Missing }> {
  const failures = new Map<string, unknown>();
  const answers = await inParallel(databases, CONNECTIONS, async (own) => {
    try {
      return [await ask(own)];
    } catch (error) {
      if (!isStoreUnavailable(error)) throw error;
      failures.set(own.database, error);
      return [];
    }
  });
  if (failures.size === answers.length) throw failures.values().next().value;
  return {
    answers: answers.flat(1) as T[],
    missing: failures.size > 0 ? { unavailableDatabases: [...failures.keys()] } : {},
  };
}

/** Asks the database of each of these websites about those that are in it. @throws the first failure */
export async function askTheirs<T extends { database: string }, R>(
  deps: Deps,
  websites: T[],
  ask: (own: Deps, some: T[]) => Promise<R[]>,
): Promise<R[]> {
  const databases = [...Map.groupBy(websites, ({ database }) => database)];
  const answers = await inParallel(databases, CONNECTIONS, ([database, some]) => ask(inDatabase(deps, database), some));
  return answers.flat();
}

/** Where a list continues in its database, and the time of that place. */
interface Place {
  /** Milliseconds since 1970. */
  at: number;
  cursor: string;
}

/** Newest first, in the order of its cursors. An item may be a little newer than the one before it: clocks differ. */
interface Part<T> {
  /** Each with the place after it. */
  items: (Place & { item: T })[];
  /** What follows the items; null: nothing. */
  next: Place | null;
}

const END = ".";

/**
 * One page of what each database has, newest first. With several, its cursor has one of each.
 * @param read what follows a cursor in one database; '' is the beginning
 * @param databases all, if not given
 * @returns `reachedAt`: the time up to which everything was looked through; null: there is nothing else
 */
export async function mergePages<T>(
  deps: Deps,
  cursor: string,
  limit: number,
  read: (own: Deps, cursor: string) => Promise<Part<T>>,
  databases = inEach(deps),
): Promise<{ items: T[]; next: string | null; reachedAt: number | null; missing: Missing }> {
  const begun = readCursors(databases, cursor);
  const isOver = (database: string) => begun.get(database) === END;
  const { answers, missing } = await askEach(
    deps,
    async (own) => {
      const from = begun.get(own.database) ?? "";
      const part: Part<T> = isOver(own.database) ? { items: [], next: null } : await read(own, from);
      return { database: own.database, from, ...inOrder(part) };
    },
    databases,
  );
  // What is older than where another database has stopped is left for a later page: that database may have newer items.
  const stoppedAt = Math.max(...answers.map(({ next }) => next?.at ?? Number.NEGATIVE_INFINITY));
  const page = answers
    .flatMap(({ database, items }) => items.map((placed) => ({ database, ...placed })))
    .filter(({ at }) => at >= stoppedAt)
    .sort((a, b) => b.at - a.at)
    .slice(0, limit);
  const next = new Map(begun);
  for (const { database, from, items, next: after } of answers) {
    const taken = page.filter((placed) => placed.database === database);
    next.set(database, taken.length === items.length ? (after?.cursor ?? END) : (taken.at(-1)?.cursor ?? from));
  }
  const after = writeCursors(next);
  const reached = page.length === limit ? (page.at(-1)?.at ?? stoppedAt) : stoppedAt;
  const reachedAt = after === null || !Number.isFinite(reached) ? null : reached;
  return { items: page.map(({ item }) => item), next: after, reachedAt, missing };
}

/** No item is newer than the one before it, so a page takes the first of each database, and a cursor after them loses none. */
function inOrder<T>({ items, next }: Part<T>): Part<T> {
  let oldest = Number.POSITIVE_INFINITY;
  const notNewer = <P extends Place>(place: P): P => {
    oldest = Math.min(oldest, place.at);
    return { ...place, at: oldest };
  };
  return { items: items.map(notNewer), next: next && notNewer(next) };
}

const SEPARATOR = "~";

/** A cursor from before a database was bound has none of it: that is read from its beginning. */
function readCursors(databases: Deps[], cursor: string): Map<string, string> {
  const parts = cursor.split(SEPARATOR);
  return new Map(databases.map(({ database }, index) => [database, parts[index] ?? ""]));
}

/** null: nothing is left in any. */
function writeCursors(cursors: Map<string, string>): string | null {
  const all = [...cursors.values()];
  if (all.every((cursor) => cursor === END)) return null;
  return all.join(SEPARATOR);
}
