// Queries of the tombstones of a website because of which nobody is subscribed.
import { type Sql, sql } from "../sql.ts";

/** Whether the website has erased anybody. */
export const anyErased = (websiteId: string): Sql =>
  sql`SELECT e.mark FROM erased_people e WHERE e.website_id = ${websiteId} LIMIT 1`;

export const erasedAmong = (websiteId: string, tombstones: string[]): Sql =>
  sql`SELECT e.mark FROM json_each(${JSON.stringify(tombstones)}) j
    CROSS JOIN erased_people e ON e.website_id = ${websiteId} AND e.mark = j.value`;

export const erasedBeside = (websiteId: string, tombstones: string[]): Sql =>
  sql`SELECT e.mark FROM erased_people e WHERE e.website_id = ${websiteId}
    AND e.mark NOT IN (SELECT value FROM json_each(${JSON.stringify(tombstones)}))`;

/** For a question about numbers that are subscribed. */
export const nobodyErased: Sql = sql`SELECT NULL AS mark WHERE false`;
