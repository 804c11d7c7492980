// How large each database is, and since when.

import { FULL_SHARE } from "../../domain/databases/database-state.ts";
import { DAY_MILLISECONDS, dayNumber } from "../../domain/day.ts";
import { RequestFailure } from "../../domain/failure.ts";
import { runNamed, runQuery, selectLatest, sizeOf } from "../database.ts";
import { prepare, sql } from "../sql.ts";
import { selectUsedDatabases } from "./directory.ts";

/** D1 lets no database grow beyond it: https://developers.cloudflare.com/d1/platform/limits/ */
export const LIMIT_BYTES = 10_000_000_000;

/** An isolate trusts a known size for this long, because only a send that is stored shows the present size. */
const KNOWN_MILLISECONDS = 60_000;

/** @throws RequestFailure store-full: the database takes no more messages */
export function requireRoom(db: D1Database, now: number): void {
  const known = sizeOf(db);
  if (known !== null && known.bytes >= LIMIT_BYTES * FULL_SHARE && now - known.at < KNOWN_MILLISECONDS)
    throw new RequestFailure({ kind: "store-full" });
}

/** Growth is averaged over this many days. */
const DAYS = 7;

export interface StoredState {
  /** The databases that websites are in, from the directory; empty in any other than the first database. */
  used: string[];
  bytes: number | null;
  /** A day on average; null: less than a day is known. */
  bytesPerDay: number | null;
  /** When the last sweep ended: milliseconds since 1970. */
  endedAt: number | null;
  /** When the first sweep ended: milliseconds since 1970. */
  sweptSince: number | null;
}

export async function readStoredState(db: D1Database, now: number): Promise<StoredState> {
  const rows = await runNamed(db, {
    probe: selectLatest(db),
    used: selectUsedDatabases(db),
    swept: prepare(db, sql`SELECT ended_at, first_ended_at FROM last_sweep WHERE only = 1`),
    size: prepare(
      db,
      sql`SELECT day, bytes FROM database_sizes WHERE day >= ${dayNumber(now) - DAYS}
        ORDER BY day LIMIT 1`,
    ),
  });
  const [swept] = rows.swept as { ended_at: number; first_ended_at: number }[];
  const [size] = rows.size as { day: number; bytes: number }[];
  const bytes = sizeOf(db)?.bytes ?? null;
  // The size of a day is that of its first sweep. On the first day of all, that was at any hour.
  const since = Math.max((size?.day ?? 0) * DAY_MILLISECONDS, swept?.first_ended_at ?? 0);
  const days = (now - since) / DAY_MILLISECONDS;
  return {
    bytes,
    bytesPerDay: size && bytes !== null && days >= 1 ? Math.round((bytes - size.bytes) / days) : null,
    endedAt: swept?.ended_at ?? null,
    sweptSince: swept?.first_ended_at ?? null,
    used: (rows.used as { database: string }[]).map(({ database }) => database),
  };
}

/** Stores the size once a day. An isolate knows the size after its first transaction; before that, nothing is stored. */
export function keepSize(db: D1Database, now: number): D1PreparedStatement[] {
  const day = dayNumber(now);
  const bytes = sizeOf(db)?.bytes;
  if (bytes === undefined) return [];
  return [
    prepare(db, sql`INSERT INTO database_sizes (day, bytes) VALUES (${day}, ${bytes}) ON CONFLICT DO NOTHING`),
    prepare(db, sql`DELETE FROM database_sizes WHERE day < ${day - DAYS}`),
  ];
}

/** The latest migration that `wrangler d1 migrations apply` has recorded. */
export async function readSchemaVersion(db: D1Database): Promise<string | null> {
  const query = prepare(db, sql`SELECT max(name) AS name FROM d1_migrations`);
  const [row] = await runQuery<{ name: string | null }>(query).catch(() => []);
  return row?.name ?? null;
}
