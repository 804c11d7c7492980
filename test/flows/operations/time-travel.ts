/** What Time Travel does to a database, and the statements of a restore. */
import { env } from "cloudflare:workers";
import type { World } from "../../world.ts";

type Rows = Record<string, unknown>[];

export async function takeSnapshot(world: World): Promise<Map<string, Rows>> {
  const tables = await world.rows(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name <> 'd1_migrations'",
  );
  const names = tables.map(({ name }) => String(name));
  return new Map(
    await Promise.all(names.map(async (name) => [name, await world.rows(await selectAll(world, name))] as const)),
  );
}

/** Selects the columns that are stored: nobody can insert into a generated one. */
async function selectAll(world: World, table: string): Promise<string> {
  const columns = await world.rows(`SELECT name FROM pragma_table_info('${table}')`);
  return `SELECT ${columns.map(({ name }) => name).join(", ")} FROM ${table}`;
}

/** As Time Travel does. The queues and KV stay as they are. */
export async function restore(snapshot: Map<string, Rows>): Promise<void> {
  const statements = [...snapshot].flatMap(([table, rows]) => [
    env.DB.prepare(`DELETE FROM ${table}`),
    ...rows.map((row) => {
      const columns = Object.keys(row);
      const places = columns.map(() => "?").join(", ");
      return env.DB.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`).bind(
        ...Object.values(row),
      );
    }),
  ]);
  await env.DB.batch([env.DB.prepare("PRAGMA defer_foreign_keys = true"), ...statements]);
}

export async function run(sql: string): Promise<void> {
  const statements = sql.split(/;\s*(?:\n|$)/).filter((statement) => statement.trim() !== "");
  await env.DB.batch(statements.map((statement) => env.DB.prepare(statement)));
}
