// In which of several databases a website is: it stays there for life. This is asked where a request, a job or an id comes in. What follows
// has deps with that database. With one database, these functions ask the store for nothing.
import type { Deps } from "../../deps.ts";
import { RequestFailure } from "../../domain/failure.ts";
import { describeError } from "../../platform/describe-error.ts";
import { FIRST, findDatabaseOf, findPlaces, readPlace } from "../../store/databases/directory.ts";
import { inParallel } from "../in-parallel.ts";
import { CONNECTIONS } from "../messages/connections.ts";

export const inFirst = (deps: Deps): Deps => deps.first ?? deps;

/** @throws RequestFailure store-unavailable: no such database is bound */
export function inDatabase(deps: Deps, database: string): Deps {
  const first = inFirst(deps);
  if (database === first.database) return first;
  const own = first.others.get(database);
  if (!own) {
    const cause = new Error(database ? `no database is bound as ${database}` : "the directory does not answer");
    throw new RequestFailure({ kind: "store-unavailable", isRefused: true }, { cause });
  }
  const log: Deps["log"] = (level, event, fields) => first.log(level, event, { ...fields, database });
  return { ...first, ...own, first, log };
}

/** One after the other, the first in front. */
export function inEach(deps: Deps): Deps[] {
  const first = inFirst(deps);
  return [first, ...Array.from(first.others.keys(), (database) => inDatabase(first, database))];
}

/** The database of the website with this home. @throws RequestFailure store-unavailable */
export async function inDatabaseOfHome(deps: Deps, home: number): Promise<Deps> {
  return inDatabase(deps, (await findDatabases(deps, [home]))(home));
}

/** The database of a website, or of a client's website. For an unknown id it is the first database, where the caller finds nothing. */
export async function inDatabaseOf(deps: Deps, of: { websiteId: string } | { clientId: string }): Promise<Deps> {
  const first = inFirst(deps);
  if (first.others.size === 0) return first;
  return inDatabase(first, (await findDatabaseOf(first.db, of)) ?? FIRST);
}

/** Stands for the database of a home that no look-up could find. No database has this name. */
const UNKNOWN = "";

/**
 * Finds the database of each home: in the memory of this isolate, then in KV, then in the directory. KV comes before the directory, so
 * that the websites of other databases go on while the first database is away. KV may not have a new home yet.
 * @returns the database of each home, which is the first of a home that no website has. Never throws
 */
export async function findDatabases(deps: Deps, homes: number[]): Promise<(home: number) => string> {
  const { others, places, db, kv, log } = inFirst(deps);
  const missing = () => [...new Set(homes)].filter((home) => home > 0 && !places.has(home));
  const found = (home: number) => (home > 0 ? places.get(home) : FIRST);
  const orFirst = (home: number) => found(home) ?? FIRST;
  if (others.size === 0 || missing().length === 0) return orFirst;
  await inParallel(missing(), CONNECTIONS, async (home) => {
    const database = await readPlace(kv, home).catch(() => null);
    if (database) places.set(home, database);
  });
  try {
    if (missing().length > 0)
      for (const { home, database } of await findPlaces(db, missing())) places.set(home, database);
    return orFirst;
  } catch (error) {
    log("error", "places.unknown", { count: missing().length, error: describeError(error) });
    return (home) => found(home) ?? UNKNOWN;
  }
}
