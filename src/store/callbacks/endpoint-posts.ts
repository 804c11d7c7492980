// The posts to the endpoint of each client, by 20 minutes, for a day: the strip that shows whether it takes its callbacks.
import { prepare, type Sql, sql } from "../sql.ts";
import type { EndpointResult } from "./failing-endpoints.ts";

export const SLOT_MILLISECONDS = 20 * 60_000;

/** A day. */
export const SLOTS = 72;

export const slotOf = (now: number) => Math.floor(now / SLOT_MILLISECONDS);

/**
 * For a transaction that may run twice, and that stores the outcomes. Deletes what is older than a day of the clients that it counts.
 * @param isNew condition: it holds until the rest of the transaction has taken effect
 */
export function countPosts(db: D1Database, results: EndpointResult[], now: number, isNew: Sql): D1PreparedStatement[] {
  if (results.length === 0) return [];
  const list = JSON.stringify(results);
  return [
    prepare(
      db,
      sql`INSERT INTO endpoint_posts (client_id, slot, taken, failed, total_ms, slowest_ms)
        SELECT value ->> 'clientId', ${slotOf(now)}, value ->> 'taken', value ->> 'failed', value ->> 'totalMilliseconds',
          value ->> 'slowestMilliseconds' FROM json_each(${list}) WHERE ${isNew}
        ON CONFLICT (client_id, slot) DO UPDATE SET taken = taken + excluded.taken, failed = failed + excluded.failed,
          total_ms = total_ms + excluded.total_ms, slowest_ms = max(slowest_ms, excluded.slowest_ms)`,
    ),
    prepare(
      db,
      sql`DELETE FROM endpoint_posts WHERE (client_id, slot) IN (SELECT p.client_id, p.slot FROM json_each(${list}) j
        CROSS JOIN endpoint_posts p ON p.client_id = j.value ->> 'clientId' AND p.slot <= ${slotOf(now) - SLOTS})`,
    ),
  ];
}
