import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Miniflare } from "miniflare";
import { ROOT } from "./wrangler.ts";

export type Database = Awaited<ReturnType<Miniflare["getD1Database"]>>;

/** Where `wrangler d1 migrations apply` records what it has applied. */
const APPLIED = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

/** The data are of another schema: no migration leads from it to this one. */
export class ForeignSchemaError extends Error {}

/** Paths, in the order in which they are applied. */
export async function findMigrations(checkout = ROOT): Promise<string[]> {
  const folder = join(checkout, "migrations");
  return (await readdir(folder)).sort().map((file) => join(folder, file));
}

/**
 * Applies the pending ones as `wrangler d1 migrations apply` does: each in one transaction with its record.
 * @throws ForeignSchemaError when the database has a migration that is not among them
 */
export async function applyMigrations(db: Database, given?: string[]): Promise<void> {
  const paths = given ?? (await findMigrations());
  await db.prepare(APPLIED).run();
  const applied = (await db.prepare("SELECT name FROM d1_migrations").raw<[string]>()).map(([name]) => name);
  const names = paths.map((path) => basename(path));
  if (applied.some((name) => !names.includes(name))) throw new ForeignSchemaError();
  for (const path of paths) {
    if (applied.includes(basename(path))) continue;
    await db.batch([db.prepare(await readMigration(path))]);
  }
}

/** A migration and its record, as one statement: the local D1 takes that, and Miniflare stops this process for each. */
export async function readMigration(path: string): Promise<string> {
  return `${await readFile(path, "utf8")}\nINSERT INTO d1_migrations (name) VALUES ('${basename(path)}')`;
}
