// Imports: each is a row, and the ledger has what it has changed. See undo-import.ts for its undo.
import { RequestFailure } from "../../domain/failure.ts";
import { runQuery, runWrite } from "../database.ts";
import { prepare, sql } from "../sql.ts";
import type { ImportRow } from "./rows.ts";

/** An import, as far as it is stored and undone. */
export interface StoredImport {
  importId: string;
  websiteId: string;
  /** Whether it subscribes again whom anybody else than the person has unsubscribed. */
  resubscribes: boolean;
  /** An undo has begun: it takes no more rows. */
  isClosed: boolean;
  /** Its rows of the ledger up to this id are undone. */
  undoneTo: number;
  /** None of its rows has a higher id. */
  lastId: number;
  /** Numbers that are what they were before the import. */
  restored: number;
  /** Numbers that were set again since the import, and are left as they are. */
  changedSince: number;
}

export interface NewImport extends Pick<StoredImport, "importId" | "websiteId" | "resubscribes"> {
  /** The name of the file. */
  file: string | null;
  /** The name of the token. */
  operator: string;
}

/** What a request of an import has come to. */
export interface ImportCounts {
  rows: number;
  keptUnsubscribed: number;
  refused: number;
}

/**
 * After a request of an import. What is counted once is not counted again: the row tells which request was counted last.
 * @param request its id, or the piece of the file that it has: what is repeated counts once
 */
export async function countImport(
  db: D1Database,
  importId: string,
  request: string,
  { rows, keptUnsubscribed, refused }: ImportCounts,
): Promise<void> {
  const query = prepare(db, sql`SELECT counted_request FROM imports WHERE import_id = ${importId}`);
  const [found] = await runQuery<Pick<ImportRow, "counted_request">>(query);
  await runWrite(
    db,
    prepare(
      db,
      sql`UPDATE imports SET counted_request = ${request}, file_rows = coalesce(file_rows, 0) + ${rows},
          kept_unsubscribed = coalesce(kept_unsubscribed, 0) + ${keptUnsubscribed}, refused = coalesce(refused, 0) + ${refused}
        WHERE import_id = ${importId} AND counted_request IS ${found?.counted_request ?? null}
          AND counted_request IS NOT ${request}`,
    ),
  );
}

/** Before the first part of an import. @returns the id of the latest row of the ledger: those of the import are higher */
export async function beginImport(
  db: D1Database,
  { importId, websiteId, resubscribes, file, operator }: NewImport,
  now: number,
): Promise<number> {
  const insert = sql`INSERT INTO imports (import_id, website_id, resubscribes, after_id, last_id, file, operator, begun_at)
    SELECT ${importId}, ${websiteId}, ${resubscribes ? 1 : 0}, latest, latest, ${file}, ${operator}, ${now}
    FROM (SELECT coalesce((SELECT max(change_id) FROM subscription_changes), 0) AS latest) WHERE true
    ON CONFLICT (import_id) DO UPDATE SET last_id = imports.last_id RETURNING last_id`;
  const [row] = await runWrite<Pick<ImportRow, "last_id">>(db, prepare(db, insert));
  return row?.last_id ?? 0;
}

/**
 * For the transaction of a part, after its rows of the ledger. Counts what they have changed: a request that is sent again finds those
 * that it has stored before. Returns a row, unless the import is closed.
 */
export function noteLast(db: D1Database, importId: string): D1PreparedStatement {
  return prepare(
    db,
    sql`UPDATE imports SET last_id = c.latest,
        new_subscribed = coalesce(imports.new_subscribed, 0) + c.new_subscribed,
        new_opted_out = coalesce(imports.new_opted_out, 0) + c.new_opted_out,
        became_subscribed = coalesce(imports.became_subscribed, 0) + c.became_subscribed,
        became_opted_out = coalesce(imports.became_opted_out, 0) + c.became_opted_out
      FROM (SELECT coalesce((SELECT max(change_id) FROM subscription_changes), 0) AS latest,
          count(*) FILTER (WHERE l.was_subscribed IS NULL AND l.subscribed = 1) AS new_subscribed,
          count(*) FILTER (WHERE l.was_subscribed IS NULL AND l.subscribed = 0) AS new_opted_out,
          count(*) FILTER (WHERE l.was_subscribed = 0 AND l.subscribed = 1) AS became_subscribed,
          count(*) FILTER (WHERE l.was_subscribed = 1 AND l.subscribed = 0) AS became_opted_out
        FROM subscription_changes l
        WHERE l.change_id > (SELECT i.last_id FROM imports i WHERE i.import_id = ${importId})
          AND l.source = 'import' AND l.proof = ${importId}) c
      WHERE import_id = ${importId} AND undone_to IS NULL RETURNING import_id`,
  );
}

/** @throws RequestFailure import-closed */
export function requireOpenImport(isOpen: boolean): void {
  if (!isOpen) throw new RequestFailure({ kind: "import-closed" });
}

/** undefined: unknown. */
export async function readImport(db: D1Database, importId: string): Promise<StoredImport | undefined> {
  const [row] = await runQuery<ImportRow>(selectImport(db, importId));
  return row && toImport(row);
}

export function selectImport(db: D1Database, importId: string): D1PreparedStatement {
  return prepare(db, sql`SELECT i.* FROM imports i WHERE i.import_id = ${importId}`);
}

export function toImport(row: ImportRow): StoredImport {
  return {
    importId: row.import_id,
    websiteId: row.website_id,
    resubscribes: row.resubscribes === 1,
    isClosed: row.undone_to !== null,
    undoneTo: row.undone_to ?? row.after_id,
    lastId: row.last_id,
    restored: row.restored,
    changedSince: row.changed_since,
  };
}
