import { runQuery } from "../database.ts";
import { prepare, sql } from "../sql.ts";
import type { ImportRow } from "./rows.ts";

/** Times in milliseconds since 1970. */
export interface ListedImport {
  importId: string;
  websiteId: string;
  websiteName: string;
  file: string | null;
  operator: string;
  begunAt: number;
  rows: number | null;
  newSubscribed: number | null;
  newOptedOut: number | null;
  becameSubscribed: number | null;
  becameOptedOut: number | null;
  keptUnsubscribed: number | null;
  refused: number | null;
  undoneAt: number | null;
}

/** Newest first. @param websiteId null: of all. @param before null: the newest */
export async function listImports(
  db: D1Database,
  websiteId: string | null,
  before: { begunAt: number; importId: string } | null,
  limit: number,
): Promise<ListedImport[]> {
  const { begunAt = Number.MAX_SAFE_INTEGER, importId = "" } = before ?? {};
  const rows = await runQuery<ImportRow & { name: string }>(
    prepare(
      db,
      sql`SELECT i.*, w.name FROM imports i INDEXED BY imports_by_time CROSS JOIN websites w ON w.website_id = i.website_id
        WHERE (i.begun_at, i.import_id) < (${begunAt}, ${importId})
          AND (${websiteId} IS NULL OR i.website_id = ${websiteId})
        ORDER BY i.begun_at DESC, i.import_id DESC LIMIT ${limit}`,
    ),
  );
  return rows.map((row) => ({
    importId: row.import_id,
    websiteId: row.website_id,
    websiteName: row.name,
    file: row.file,
    operator: row.operator,
    begunAt: row.begun_at,
    rows: row.file_rows,
    newSubscribed: row.new_subscribed,
    newOptedOut: row.new_opted_out,
    becameSubscribed: row.became_subscribed,
    becameOptedOut: row.became_opted_out,
    keptUnsubscribed: row.kept_unsubscribed,
    refused: row.refused,
    undoneAt: row.undone_at,
  }));
}
