// Which database a website is in. With one database, nothing here asks for anything. What an isolate knows may be outdated: the
// database that a website has left says so, and then the directory is asked.
import type { Deps } from "../deps.ts";
import { isMoved, RequestFailure } from "../domain/failure.ts";
import { homeOf } from "../domain/home.ts";
import { describeError } from "../platform/describe-error.ts";
import { databaseOf, FIRST, findPlaceOf, findPlaces, readPlace } from "../platform/store/directory.ts";
import { guardDatabase } from "../platform/store/guarded-database.ts";
import { takeUpFence } from "../platform/store/moves.ts";
import { CONNECTIONS } from "./connections.ts";
import { inParallel } from "./in-parallel.ts";
import { inTurn } from "./in-turn.ts";
import { queueJobs } from "./queue-jobs.ts";

export const inFirst = (deps: Deps): Deps => deps.first ?? deps;

/**
 * @param place see findPlaces
 * @param homes of the websites that it is about; left out: of all of them
 * @throws RequestFailure store-unavailable: no such database is bound
 */
export function inDatabase(deps: Deps, place = FIRST, homes: (number | undefined)[] = []): Deps {
  const first = inFirst(deps);
  const database = databaseOf(place);
  const own = database === first.database ? first : first.others.get(database);
  if (!own) {
    const cause = new Error(database ? `no database is bound as ${database}` : "the directory does not answer");
    throw new RequestFailure({ kind: "store-unavailable", isRefused: true }, { cause });
  }
  const guarded = first.others.size === 0 ? [] : (homes.filter((home) => home !== undefined && home > 0) as number[]);
  const db =
    guarded.length === 0 ? own.db : guardDatabase(own.db, guarded, (isStuck) => findAgain(first, guarded, isStuck));
  if (own === first) return guarded.length === 0 ? first : { ...first, db, first };
  const log: Deps["log"] = (level, event, fields) => first.log(level, event, { ...fields, database });
  return { ...first, ...own, db, first, log };
}

/** One of the websites has moved. @returns where the only one is */
async function findAgain(first: Deps, homes: number[], isStuck: boolean): Promise<D1Database | null> {
  const { db, places, others } = first;
  for (const { home, database } of await findPlaces(db, homes)) places.set(home, database);
  const [only] = homes as [number];
  // The job that has put up the fence was cut off.
  const websiteId = isStuck ? await takeUpFence(db, only, first.now()) : undefined;
  if (websiteId !== undefined) await queueJobs(first, [{ kind: "move", websiteId }]);
  const database = databaseOf(places.get(only) ?? FIRST);
  return homes.length > 1 ? null : database === FIRST ? db : (others.get(database)?.db ?? null);
}

/** A fence may stand for longer than a call waits. */
const MOST_CALLS = 5;

/** For a write that no job repeats: calls it again while its website is behind a fence. */
export async function despiteFence<T>(write: () => Promise<T>): Promise<T> {
  for (let calls = 1; ; calls++) {
    try {
      return await write();
    } catch (error) {
      if (!isMoved(error) || calls === MOST_CALLS) throw error;
    }
  }
}

/** One after the other, the first in front. */
export function inEach(deps: Deps): Deps[] {
  const first = inFirst(deps);
  return [first, ...Array.from(first.others.keys(), (database) => inDatabase(first, database))];
}

/** Where the website is, or the website of the client. An unknown one would be in the first. */
export async function inDatabaseOf(deps: Deps, of: { websiteId: string } | { clientId: string }): Promise<Deps> {
  const first = inFirst(deps);
  if (first.others.size === 0) return first;
  const place = await findPlaceOf(first.db, of);
  return inDatabase(first, place?.database, [place?.home]);
}

/** Where the website with this home is. */
export async function inDatabaseOfHome(deps: Deps, home: number): Promise<Deps> {
  return inDatabase(deps, (await findDatabases(deps, [home]))(home), [home]);
}

/** What nothing can be said of now: no database has this name. */
const UNKNOWN = "";

/**
 * KV is asked first: where the first database is away, the websites of the others go on. It may not have a new home yet.
 * @returns the database of each home, which is the first of a home that no website has. Never throws
 */
async function findDatabases(deps: Deps, homes: number[]): Promise<(home: number) => string> {
  const { others, places, db, kv, log } = inFirst(deps);
  const missing = () => [...new Set(homes)].filter((home) => home > 0 && !places.has(home));
  const otherwise = (database: string) => (home: number) => (home > 0 && places.get(home)) || database;
  if (others.size === 0 || missing().length === 0) return otherwise(FIRST);
  await inParallel(missing(), CONNECTIONS, async (home) => {
    const database = await readPlace(kv, home).catch(() => null);
    if (database) places.set(home, database);
  });
  try {
    if (missing().length > 0)
      for (const { home, database } of await findPlaces(db, missing())) places.set(home, database);
    return otherwise(FIRST);
  } catch (error) {
    log("error", "places.unknown", { count: missing().length, error: describeError(error) });
    return (home) => (home > 0 ? otherwise(UNKNOWN)(home) : FIRST);
  }
}

/** The place of each id. */
export async function findPlacesOf(deps: Deps, ids: string[]): Promise<(id: string) => string> {
  const databaseOf = await findDatabases(deps, ids.map(homeOf));
  return (id) => databaseOf(homeOf(id));
}

/**
 * Works on what belongs to several websites of a database together; where one of them has moved, on that of each by itself, where
 * it is now.
 */
export async function togetherOrWhereTheyAre<T>(
  deps: Deps,
  things: T[],
  idOf: (thing: T) => string,
  work: (own: Deps, some: T[], isSplit: boolean) => Promise<unknown>,
): Promise<void> {
  if (things.length === 0) return;
  const homes = Map.groupBy(things, (thing) => homeOf(idOf(thing)));
  try {
    await work(deps, things, homes.size < 2);
  } catch (error) {
    if (!isMoved(error) || homes.size < 2) throw error;
    await inTurn(homes, async ([home, some]) => work(await inDatabaseOfHome(deps, home), some, true));
  }
}
