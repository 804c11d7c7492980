// In which database a new website is put.
import type { Deps } from "../../deps.ts";
import { FULL_SHARE, percentOf, shareOf } from "../../domain/databases/database-state.ts";
import { failField } from "../../domain/failure.ts";
import { countHomes } from "../../store/databases/directory.ts";
import { inFirst } from "./places.ts";
import { type BoundDatabase, readDatabases } from "./read-databases.ts";

/** An isolate that was started before the deploy that bound a database may run on for some minutes, and does not find the database. */
export const OLDER_ISOLATE_MILLISECONDS = 10 * 60_000;

const FULL = "is full, and takes no new websites: keep messages for fewer days, or bind another one";

/** Databases that were first swept in one run were bound by one deploy. */
const ONE_SWEEP_MILLISECONDS = 30_000;

/** Whether every isolate runs code that has the database. */
export const isKnownEverywhere =
  ([first]: BoundDatabase[], now: number) =>
  ({ sweptSince }: BoundDatabase): boolean => {
    const firstSince = first?.sweptSince ?? null;
    if (sweptSince === null || firstSince === null) return firstSince === null;
    return sweptSince - firstSince < ONE_SWEEP_MILLISECONDS || now - sweptSince >= OLDER_ISOLATE_MILLISECONDS;
  };

const isFull = (database: BoundDatabase) => shareOf(database) >= FULL_SHARE;

/**
 * The named one, or the least full. A full one takes no new websites.
 * @throws RequestFailure fields-wrong
 */
export async function chooseDatabase(deps: Deps, named: string | undefined): Promise<string> {
  const databases = await readDatabases(deps);
  const isOpen = isKnownEverywhere(databases, deps.now());
  if (named !== undefined) {
    const found = databases.find(({ database }) => database === named);
    if (!found) failField("database", `must be one of: ${databases.map(({ database }) => database).join(", ")}`);
    if (found.status !== "ok") failField("database", `is ${found.status}`);
    if (isFull(found)) failField("database", FULL);
    if (!isOpen(found))
      failField("database", "was added just now: it takes websites ten minutes after its first sweep");
    return named;
  }
  const ready = databases.filter((it) => it.status === "ok" && isOpen(it));
  const open = ready.filter((it) => !isFull(it));
  if (ready.length > 0 && open.length === 0) failField("database", FULL);
  const websites = await countHomes(inFirst(deps).db);
  const countOf = ({ database }: BoundDatabase) => websites.get(database) ?? 0;
  const [least] = open.toSorted((a, b) => percentOf(a) - percentOf(b) || countOf(a) - countOf(b));
  return least?.database ?? deps.database;
}
