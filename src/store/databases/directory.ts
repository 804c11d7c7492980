// The directory, in the first database, says which database has which website. For websites outside the first database, it also lists
// their clients and senders. A row is written before what it points to is stored, so a look-up never misses. A row that is left over
// points to nothing, and does no harm.
import { withinTime } from "../../platform/time-limit.ts";
import { KV_MILLISECONDS } from "../clients/credentials.ts";
import { runBatch, runNamed, runQuery } from "../database.ts";
import { prepare, sql } from "../sql.ts";

/** The binding of the first database. The others are DB_2, DB_3, … */
export const FIRST = "DB";

/** Where a website lives. */
export interface Place {
  home: number;
  database: string;
}

/** The place of each of these homes. A home without a website is left out. */
export async function findPlaces(directory: D1Database, homes: number[]): Promise<Place[]> {
  return runQuery<Place>(
    prepare(
      directory,
      sql`SELECT h.home, h.database FROM json_each(${JSON.stringify(homes)}) j CROSS JOIN homes h ON h.home = j.value`,
    ),
  );
}

/** @returns undefined: there is no such website or client; or a client of the first database */
export async function findDatabaseOf(
  directory: D1Database,
  of: { websiteId: string } | { clientId: string },
): Promise<string | undefined> {
  const query =
    "websiteId" in of
      ? sql`SELECT database FROM homes WHERE website_id = ${of.websiteId}`
      : sql`SELECT h.database FROM client_homes c CROSS JOIN homes h ON h.home = c.home
          WHERE c.client_id = ${of.clientId}`;
  return (await runQuery<Pick<Place, "database">>(prepare(directory, query)))[0]?.database;
}

/** The databases besides the first in which a website has, or has had, one of these senders. */
export async function findDatabasesOfSenders(
  directory: D1Database,
  carrier: string,
  senders: string[],
): Promise<string[]> {
  const rows = await runQuery<Pick<Place, "database">>(
    prepare(
      directory,
      sql`SELECT DISTINCT h.database FROM json_each(${JSON.stringify(senders)}) j
        CROSS JOIN sender_homes s ON s.carrier = ${carrier} AND s.sender = j.value
        CROSS JOIN homes h ON h.home = s.home`,
    ),
  );
  return rows.map(({ database }) => database).filter((database) => database !== FIRST);
}

/** Gives a website its home, in this database unless it has one already. Safe to repeat. */
export async function claimHome(directory: D1Database, websiteId: string, database: string): Promise<Place> {
  const { place } = await runNamed(directory, {
    claim: prepare(
      directory,
      sql`INSERT INTO homes (website_id, database) VALUES (${websiteId}, ${database}) ON CONFLICT DO NOTHING`,
    ),
    place: prepare(directory, sql`SELECT home, database FROM homes WHERE website_id = ${websiteId}`),
  });
  return place[0] as Place;
}

/** The databases that websites are in: goes from each to the next by the index. */
export function selectUsedDatabases(directory: D1Database): D1PreparedStatement {
  return prepare(
    directory,
    sql`WITH RECURSIVE used (database) AS (SELECT min(database) FROM homes
        UNION ALL SELECT (SELECT min(h.database) FROM homes h WHERE h.database > used.database) FROM used
          WHERE used.database IS NOT NULL)
      SELECT database FROM used WHERE database IS NOT NULL`,
  );
}

/** The number of websites by database. */
export async function countHomes(directory: D1Database): Promise<Map<string, number>> {
  const rows = await runQuery<{ database: string; count: number }>(
    prepare(directory, sql`SELECT database, count(*) AS count FROM homes GROUP BY database`),
  );
  return new Map(rows.map(({ database, count }) => [database, count]));
}

export async function keepClientHome(directory: D1Database, clientId: string, home: number): Promise<void> {
  await runBatch(directory, [
    prepare(
      directory,
      sql`INSERT INTO client_homes (client_id, home) VALUES (${clientId}, ${home}) ON CONFLICT DO NOTHING`,
    ),
  ]);
}

export async function keepSenderHome(
  directory: D1Database,
  { carrier, sender, home }: { carrier: string; sender: string; home: number },
): Promise<void> {
  await runBatch(directory, [
    prepare(
      directory,
      sql`INSERT INTO sender_homes (carrier, sender, home) VALUES (${carrier}, ${sender}, ${home}) ON CONFLICT DO NOTHING`,
    ),
  ]);
}

const keyOf = (home: number) => `home:${home}`;

/** The copy of a place in KV. Only places outside the first database have one. */
export function readPlace(kv: KVNamespace, home: number): Promise<string | null> {
  return withinTime(KV_MILLISECONDS, kv.get(keyOf(home)));
}

export async function copyPlace(kv: KVNamespace, { home, database }: Place): Promise<void> {
  await withinTime(KV_MILLISECONDS, kv.put(keyOf(home), database));
}
