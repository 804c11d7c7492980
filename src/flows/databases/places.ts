// Which database a website is in, and whether it is open there: a website is paused while it moves to another database. Each work on a
// website asks here first, and goes by the answer for ten seconds. With one database, these functions ask the store for nothing.
import type { Database, Deps } from "../../deps.ts";
import { TIMES } from "../../domain/databases/move.ts";
import { RequestFailure } from "../../domain/failure.ts";
import { describeError } from "../../platform/describe-error.ts";
import { FIRST, findPlaceOf, findPlaces, readPlace } from "../../store/databases/directory.ts";
import { type Closed, readClosed, STATE } from "../../store/databases/moving.ts";
import { inParallel } from "../in-parallel.ts";
import { CONNECTIONS } from "../messages/connections.ts";

export const inFirst = (deps: Deps): Deps => deps.first ?? deps;

/** @throws RequestFailure store-unavailable: no such database is bound */
export function inDatabase(deps: Deps, database = FIRST): Deps {
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

/** The websites that are not open in this database: read from it at most ten seconds ago. */
export async function closedWebsites(deps: Deps): Promise<Closed> {
  const { closed } = deps;
  const now = deps.now();
  if (now - closed.askedAt >= TIMES.leaseMilliseconds)
    Object.assign(closed, { websites: await readClosed(deps.db), askedAt: now });
  return closed.websites;
}

/** This isolate's list of the websites of a database may be out of date, so the next call reads it again. */
export function forgetClosed(deps: Deps, database: string): void {
  inDatabase(deps, database).closed.askedAt = Number.NEGATIVE_INFINITY;
}

/** Deps for the last step of a move: they ask nothing, and every website counts as open. */
export function withAllOpen(deps: Deps, home: number, database: string): Deps {
  const first = inFirst(deps);
  const open = <T extends Database>(own: T): T => ({
    ...own,
    closed: { websites: new Map(), askedAt: Number.POSITIVE_INFINITY },
  });
  const others = new Map(Array.from(first.others, ([name, own]) => [name, open(own)]));
  return { ...open(first), others, places: new Map([[home, database]]) };
}

/** Checks that the websites are still open here: long work does so before each of its parts. @throws RequestFailure website-paused */
export async function requireOpen(deps: Deps, homes = deps.home === undefined ? [] : [deps.home]): Promise<void> {
  if (inFirst(deps).others.size === 0) return;
  // `deps.db` may be a read replica, which may lag behind: the check asks the database itself.
  const closed = await closedWebsites(inDatabase(deps, deps.database));
  if (homes.some((home) => closed.has(home))) throw new RequestFailure({ kind: "website-paused" });
}

interface Found {
  own: Deps;
  isOpen: boolean;
}

/** @param guess the database that the client's credentials name. The website may have left it */
async function locate(deps: Deps, home: number, guess?: string): Promise<Found> {
  const first = inFirst(deps);
  if (first.others.size === 0) return { own: inDatabase(first, guess), isOpen: true };
  const database = first.places.get(home) ?? guess ?? (await findDatabases(first, [home]))(home);
  const found = await lookIn(first, database, home);
  if (!found.hasLeft) return found;
  await followMoved(first, home);
  return lookIn(first, first.places.get(home), home);
}

async function lookIn(first: Deps, database: string | undefined, home: number): Promise<Found & { hasLeft: boolean }> {
  const own = inDatabase(first, database);
  const state = (await closedWebsites(own)).get(home);
  return {
    own: { ...own, first, home },
    isOpen: state === undefined,
    hasLeft: state !== undefined && state > STATE.paused,
  };
}

/** Finds where a website went after it left a database: in the directory or, while the directory is away, in KV. */
export async function followMoved(deps: Deps, home: number): Promise<void> {
  const { db, kv, places } = inFirst(deps);
  try {
    const [place] = await findPlaces(db, [home]);
    if (place) places.set(home, place.database);
  } catch (error) {
    const database = await readPlace(kv, home).catch(() => null);
    if (database === null || database === places.get(home)) throw error;
    places.set(home, database);
  }
}

/** Where the website with this home is, for work on it. @param guess see locate. @throws RequestFailure website-paused */
export async function inDatabaseOfHome(deps: Deps, home: number, guess?: string): Promise<Deps> {
  const { own, isOpen } = await locate(deps, home, guess);
  if (!isOpen) throw new RequestFailure({ kind: "website-paused" });
  return own;
}

/** The database of a website, to read from it: a paused website can be read. */
export async function whereToLook(deps: Deps, home: number, guess?: string): Promise<Deps> {
  return (await locate(deps, home, guess)).own;
}

/** Whose database is looked for. */
type Whose = { websiteId: string } | { clientId: string };

/**
 * The database of a website, or of a client's website. For an unknown id it is the first database, where the caller finds nothing.
 * @throws RequestFailure website-paused, unless it is for a look
 */
export async function inDatabaseOf(deps: Deps, of: Whose, isLook = false): Promise<Deps> {
  const first = inFirst(deps);
  if (first.others.size === 0) return first;
  const place = await findPlaceOf(first.db, of);
  if (!place) return first;
  return (isLook ? whereToLook : inDatabaseOfHome)(first, place.home, place.database);
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
