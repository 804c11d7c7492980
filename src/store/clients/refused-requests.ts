import type { RefusalCount } from "../../domain/clients/refusal-tally.ts";
import { REFUSED_KEPT, type RefusedRequest } from "../../domain/clients/refused-request.ts";
import { runBatch, runQuery } from "../database.ts";
import { addCounts } from "../operations/counts.ts";
import { prepare, sql } from "../sql.ts";
import { toRefusals } from "./refusal-counts.ts";

export interface RefusedRequestRow {
  client_id: string;
  refused_at: number;
  request_id: string;
  method: string;
  path: string;
  code: number;
  message: string;
  /** JSON array. */
  details: string;
}

/**
 * Stores it, and deletes the oldest of the client beyond REFUSED_KEPT.
 * @param counts of its website, this refusal among them: they are stored with it
 */
export async function storeRefusedRequest(
  db: D1Database,
  { clientId, websiteId }: { clientId: string; websiteId: string },
  refused: RefusedRequest,
  counts: RefusalCount[],
): Promise<void> {
  const { requestId, refusedAt, method, path, code, message, details } = refused;
  const isNew = sql`NOT EXISTS (SELECT 1 FROM refused_requests
    WHERE client_id = ${clientId} AND refused_at = ${refusedAt} AND request_id = ${requestId})`;
  await runBatch(db, [
    addCounts(db, toRefusals(websiteId, counts), isNew),
    prepare(
      db,
      sql`INSERT INTO refused_requests (client_id, refused_at, request_id, method, path, code, message, details)
        VALUES (${clientId}, ${refusedAt}, ${requestId}, ${method}, ${path}, ${code}, ${message}, ${JSON.stringify(details)})
        ON CONFLICT DO NOTHING`,
    ),
    prepare(
      db,
      sql`DELETE FROM refused_requests WHERE client_id = ${clientId} AND refused_at < (
        SELECT refused_at FROM refused_requests WHERE client_id = ${clientId}
        ORDER BY refused_at DESC LIMIT 1 OFFSET ${REFUSED_KEPT - 1})`,
    ),
  ]);
}

/** The newest first. */
export async function listRefusedRequests(db: D1Database, clientId: string, limit: number): Promise<RefusedRequest[]> {
  const rows = await runQuery<RefusedRequestRow>(
    prepare(
      db,
      sql`SELECT * FROM refused_requests WHERE client_id = ${clientId} ORDER BY refused_at DESC LIMIT ${limit}`,
    ),
  );
  return rows.map((row) => ({
    requestId: row.request_id,
    refusedAt: row.refused_at,
    method: row.method,
    path: row.path,
    code: row.code,
    message: row.message,
    details: JSON.parse(row.details),
  }));
}
