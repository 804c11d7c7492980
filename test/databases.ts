// Worlds with several databases.
import { env } from "cloudflare:workers";
import { makeDatabase } from "../src/deps.ts";
import { makeSchema } from "./stores.ts";
import { strictDatabase } from "./strict/database.ts";
import type { World } from "./world.ts";

/** What is bound for a database in the tests. */
export function boundDatabase(database: string): D1Database {
  if (database === "DB") return env.DB;
  return (env as unknown as Record<string, D1Database>)[database.replace("DB", "OTHER")] as D1Database;
}

/** Binds DB_2 and so on, empty and with the schema. @param count with the first, at most 8 */
export async function bindDatabases(world: World, count: number): Promise<void> {
  const names = Array.from({ length: count - 1 }, (_, index) => `DB_${index + 2}`);
  for (const name of names) {
    const db = boundDatabase(name);
    const tables = await db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'")
      .all<{ name: string }>();
    const empty = tables.results.map(({ name }) => db.prepare(`DELETE FROM "${name}"`));
    // What emptyStores has not reached: see there.
    if (empty.length > 0) await db.batch([db.prepare("PRAGMA defer_foreign_keys = true"), ...empty]);
    else await makeSchema(db);
  }
  useDatabases(world, (name) => strictDatabase(boundDatabase(name)), names);
}

/** Replaces what is bound. */
export function useDatabases(world: World, bind: (database: string) => D1Database, names = otherNames(world)): void {
  world.deps = { ...world.deps, others: new Map(names.map((name) => [name, makeDatabase(name, bind(name))])) };
}

export const otherNames = (world: World): string[] => [...world.deps.others.keys()];

export async function rowsOf(database: string, sql: string): Promise<Record<string, unknown>[]> {
  return (await boundDatabase(database).prepare(sql).all()).results;
}
