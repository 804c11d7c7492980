import { env } from "cloudflare:workers";
import schema from "../migrations/0001_schema.sql?raw";
import { LATEST_MIGRATION } from "../src/store/database.ts";
import { emptyObjects } from "./objects.ts";
import type { World } from "./world.ts";

/** The schema as the first test made it, as SQLite tells it. */
let made: string | null | undefined;

/** Empties the stores, and gives the database its schema. */
export async function makeStores(): Promise<void> {
  const [schema] = await Promise.all([emptyDatabase(), emptyKeys(), emptyObjects()]);
  if (schema === made) return;
  await remakeSchema(env.DB);
  made = await emptyDatabase();
}

/** Takes a third of the time in which the schema is made anew. @returns the schema; null if a table is missing */
async function emptyDatabase(): Promise<string | null> {
  const { results } = await env.DB.prepare(EMPTY)
    .run<{ schema: string }>()
    .catch(() => ({ results: [{ schema: null }] }));
  return results[0]?.schema ?? null;
}

async function emptyKeys(): Promise<void> {
  const { keys } = await env.CREDENTIALS.list();
  await Promise.all(keys.map(({ name }) => env.CREDENTIALS.delete(name)));
}

/**
 * Deletes all that the stores hold, schema included. `reset` of cloudflare:test would end every object of the process, those of
 * D1 and KV among them, and a call that is on its way to one then fails in whatever test runs.
 */
export async function emptyStores(): Promise<void> {
  await Promise.all([dropSchema(env.DB), emptyKeys(), emptyObjects()]);
}

async function dropSchema(db: D1Database): Promise<void> {
  const { results } = await db.prepare(NAMES).all<{ type: string; name: string }>();
  const named = (type: string, sql: string) =>
    results.filter((row) => row.type === type).map(({ name }) => db.prepare(`${sql} "${name}"`));
  await db.batch([
    db.prepare("PRAGMA defer_foreign_keys = true"),
    ...named("trigger", "DROP TRIGGER"),
    ...named("view", "DROP VIEW"),
    ...named("table", "DELETE FROM"),
    ...named("table", "DROP TABLE"),
  ]);
}

/** Those of D1 itself, and of SQLite, stay. */
const NAMES = `SELECT type, name FROM sqlite_schema WHERE type IN ('table', 'view', 'trigger')
  AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`;

/** Empties a database, and gives it the schema: faster than to apply the migration. */
export async function remakeSchema(db: D1Database): Promise<void> {
  await dropSchema(db);
  await db.prepare(`${SCHEMA}\n${APPLIED.join(";\n")}`).run();
}

/** SQLite would keep the comments of a table, and read them again. */
const SCHEMA = schema.replaceAll(/--[^\n]*/g, "");

const TABLES = [...SCHEMA.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, name]) => name);

/** As `wrangler d1 migrations apply` keeps it. */
const APPLIED = [
  "CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE)",
  `INSERT INTO d1_migrations (name) VALUES ('${LATEST_MIGRATION}')`,
];

const EMPTY = [
  "PRAGMA defer_foreign_keys = true",
  ...[...TABLES, "d1_migrations", "sqlite_sequence"].map((table) => `DELETE FROM ${table}`),
  ...APPLIED.slice(1),
  "SELECT group_concat(sql, ';') AS schema FROM sqlite_schema",
].join(";\n");

/** Everything that the stores hold, as text: every row of every table, and every key and value of KV. */
export async function dumpStores(world: World): Promise<string> {
  const tables = await world.rows(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY name",
  );
  const rows = await Promise.all(tables.map(async ({ name }) => [name, await world.rows(`SELECT * FROM "${name}"`)]));
  const { keys } = await env.CREDENTIALS.list();
  const values = await Promise.all(keys.map(async ({ name }) => [name, await env.CREDENTIALS.get(name)]));
  return JSON.stringify([rows, values]);
}
