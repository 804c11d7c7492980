// What the websites and clients that problems concern are called.
import { runNamed } from "../database.ts";
import { prepare, sql } from "../sql.ts";

/** By id. Those that a database does not have are left out. */
export interface Names {
  websites: [websiteId: string, about: { name: string; timeZone: string | null }][];
  clients: [clientId: string, name: string | null][];
}

/** One row read for each id. */
export async function readNames(db: D1Database, websiteIds: string[], clientIds: string[]): Promise<Names> {
  const { websites, clients } = await runNamed(db, {
    websites: prepare(
      db,
      sql<{
        id: string;
        name: string;
        timeZone: string | null;
      }>`SELECT w.website_id AS id, w.name, w.settings ->> 'timeZone' AS timeZone
        FROM json_each(${JSON.stringify(websiteIds)}) j CROSS JOIN websites w ON w.website_id = j.value`,
    ),
    clients: prepare(
      db,
      sql<{ id: string; name: string | null }>`SELECT c.client_id AS id, c.name
        FROM json_each(${JSON.stringify(clientIds)}) j CROSS JOIN clients c ON c.client_id = j.value`,
    ),
  });
  return {
    websites: websites.map(({ id, ...about }) => [id, about]),
    clients: clients.map(({ id, name }) => [id, name]),
  };
}
