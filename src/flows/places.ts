// Which database a website is in. With one database, nothing here asks for anything.
import type { Deps } from "../deps.ts";
import { RequestFailure } from "../domain/failure.ts";
import { homeOf } from "../domain/home.ts";
import { describeError } from "../platform/describe-error.ts";
import { FIRST, findPlaceOf, findPlaces, readPlace } from "../platform/store/directory.ts";
import { CONNECTIONS } from "./connections.ts";
import { inParallel } from "./in-parallel.ts";

export const inFirst = (deps: Deps): Deps => deps.first ?? deps;

/** @throws RequestFailure store-unavailable: no such database is bound */
export function inDatabase(deps: Deps, database = FIRST): Deps {
  const first = inFirst(deps);
  if (database === first.database) return first;
  const other = first.others.get(database);
  if (other) {
    const log: Deps["log"] = (level, event, fields) => first.log(level, event, { ...fields, database });
    return { ...first, ...other, first, log };
  }
  const cause = new Error(database ? `no database is bound as ${database}` : "the directory does not answer");
  throw new RequestFailure({ kind: "store-unavailable", isRefused: true }, { cause });
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
  return inDatabase(first, (await findPlaceOf(first.db, of))?.database);
}

/** Where the website with this home is. */
export async function inDatabaseOfHome(deps: Deps, home: number): Promise<Deps> {
  return inDatabase(deps, (await findDatabases(deps, [home]))(home));
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

/** Groups things by the databases of the ids that name them. */
export async function groupByDatabase<T>(
  deps: Deps,
  things: readonly T[],
  idOf: (thing: T) => string,
): Promise<Map<string, T[]>> {
  const databaseOf = await findDatabases(
    deps,
    things.map((thing) => homeOf(idOf(thing))),
  );
  return Map.groupBy(things, (thing) => databaseOf(homeOf(idOf(thing))));
}
