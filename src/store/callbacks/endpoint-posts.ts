// The posts to the endpoint of each client, by 20 minutes, for a day: the strip that shows whether it takes its callbacks.
import { runQuery } from "../database.ts";
import { prepare, type Sql, sql } from "../sql.ts";
import type { EndpointResult } from "./failing-endpoints.ts";

const SLOT_MILLISECONDS = 20 * 60_000;

/** A day. */
export const SLOTS = 72;

const slotOf = (now: number) => Math.floor(now / SLOT_MILLISECONDS);

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

/** The posts of the last day. */
export interface EndpointPosts {
  /** 72 of 20 minutes each, the oldest first. */
  slots: { taken: number; failed: number }[];
  /** null: none was posted. */
  meanMilliseconds: number | null;
  slowestMilliseconds: number | null;
}

export async function readPosts(db: D1Database, clientId: string, now: number): Promise<EndpointPosts> {
  const rows = await runQuery<{ slot: number; taken: number; failed: number; total_ms: number; slowest_ms: number }>(
    prepare(
      db,
      sql`SELECT slot, taken, failed, total_ms, slowest_ms FROM endpoint_posts
        WHERE client_id = ${clientId} AND slot > ${slotOf(now) - SLOTS}`,
    ),
  );
  const posted = rows.reduce((sum, { taken, failed }) => sum + taken + failed, 0);
  const slots = Array.from({ length: SLOTS }, (_, index) => {
    const row = rows.find(({ slot }) => slot === slotOf(now) - SLOTS + 1 + index);
    return { taken: row?.taken ?? 0, failed: row?.failed ?? 0 };
  });
  const total = rows.reduce((sum, { total_ms }) => sum + total_ms, 0);
  return {
    slots,
    meanMilliseconds: posted === 0 ? null : Math.round(total / posted),
    slowestMilliseconds: posted === 0 ? null : Math.max(...rows.map(({ slowest_ms }) => slowest_ms)),
  };
}
