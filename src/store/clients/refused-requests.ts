import { REFUSED_KEPT, type RefusedRequest } from "../../domain/clients/refused-request.ts";
import { runBatch, runQuery } from "../database.ts";
import { prepare, sql } from "../sql.ts";

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

/** Stores it, and deletes the oldest of the client beyond REFUSED_KEPT. */
export async function storeRefusedRequest(db: D1Database, clientId: string, refused: RefusedRequest): Promise<void> {
  const { requestId, refusedAt, method, path, code, message, details } = refused;
  await runBatch(db, [
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
