import { env } from "cloudflare:workers";
import type { World } from "./world.ts";

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
