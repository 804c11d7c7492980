// The undo of an import takes back each number that still has its state of the import, and no other: the latest row of the number is the
// import's, apart from imports that are undone. The ledger says what the number was before.
import { runNamed } from "../database.ts";
import type { ImportRow } from "../rows.ts";
import { prepare, type Sql, sql } from "../sql.ts";
import { isUndoable, type StoredImport, selectImport, toImport } from "./imports.ts";

/** Ids of the ledger that one transaction looks at. */
const STEP_IDS = 25_000;

/** The rows `m` of the import about the number of `l`. */
const rowsOfNumber = (
  importId: string,
) => sql`subscription_changes m WHERE m.website_id = l.website_id AND m.phone = l.phone
  AND m.source = 'import' AND m.proof = ${importId}`;

/** The last row `l` of each number of the next step; none where another run has made the step. */
const rowsOfStep = ({ importId, undoneTo }: StoredImport): Sql =>
  sql`imports i CROSS JOIN subscription_changes l ON i.import_id = ${importId} AND coalesce(i.undone_to, i.after_id) = ${undoneTo}
    AND l.change_id > ${undoneTo} AND l.change_id <= ${undoneTo} + ${STEP_IDS} AND l.source = 'import' AND l.proof = ${importId}
    AND NOT EXISTS (SELECT 1 FROM ${rowsOfNumber(importId)} AND m.change_id > l.change_id)`;

/** Whether the import has changed the number: a row may only add a proof, or say again that the number is opted out. */
const isChanged = (importId: string) => sql`EXISTS (SELECT 1 FROM ${rowsOfNumber(importId)} AND ${isUndoable("m")})`;

/** The address before the import, '' for none; NULL: the import did not change it. */
const addressBefore = (importId: string) => sql`(SELECT m.was_email FROM ${rowsOfNumber(importId)}
  AND m.before_id = l.before_id AND m.was_email IS NOT NULL ORDER BY m.change_id LIMIT 1)`;

/**
 * Takes back the next rows of an import, in one transaction. The first step closes the import, so that no part of it is stored any more.
 * Safe to run twice, and at the same time as another run.
 * @returns how far it is undone
 */
export async function undoStep(db: D1Database, begun: StoredImport, now: number): Promise<StoredImport> {
  const { importId, undoneTo } = begun;
  const [step, before] = [rowsOfStep(begun), addressBefore(importId)];
  const back = sql`${step} CROSS JOIN subscriptions s ON s.website_id = l.website_id AND s.phone = l.phone
    AND s.change_id = l.change_id LEFT JOIN subscription_changes b ON b.change_id = l.before_id`;
  const rows = await runNamed(db, {
    changes: prepare(
      db,
      sql`INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof, was_email)
        SELECT l.website_id, l.phone, s.subscribed, coalesce(b.subscribed, 0), ${now}, 'undo', ${importId},
          iif(${before} IS NULL, NULL, '')
        FROM ${back} WHERE ${isChanged(importId)} ORDER BY l.change_id`,
    ),
    counts: prepare(
      db,
      sql`UPDATE imports SET restored = restored + n.back, changed_since = changed_since + n.found - n.back
        FROM (SELECT count(*) AS found, count(u.change_id) AS back FROM ${step} LEFT JOIN subscription_changes u
          ON u.website_id = l.website_id AND u.phone = l.phone AND u.source = 'undo' AND u.proof = ${importId}
          WHERE ${isChanged(importId)}) n
        WHERE import_id = ${importId}`,
    ),
    added: prepare(
      db,
      sql`DELETE FROM subscriptions WHERE (website_id, phone) IN (
        SELECT l.website_id, l.phone FROM ${back} WHERE l.before_id IS NULL)`,
    ),
    subscriptions: prepare(
      db,
      sql`INSERT INTO subscriptions (website_id, phone, subscribed, email, change_id)
        SELECT l.website_id, l.phone, b.subscribed, iif(${before} IS NULL, s.email, nullif(${before}, '')), l.before_id
        FROM ${back} WHERE true
        ON CONFLICT (website_id, phone) DO UPDATE SET subscribed = excluded.subscribed, email = excluded.email,
          change_id = excluded.change_id`,
    ),
    undone: prepare(
      db,
      sql`UPDATE imports SET undone_to = min(${undoneTo} + ${STEP_IDS}, last_id), undone_at = coalesce(undone_at, ${now})
        WHERE import_id = ${importId} AND coalesce(undone_to, after_id) = ${undoneTo}`,
    ),
    state: selectImport(db, importId),
  });
  return toImport((rows.state as ImportRow[])[0] as ImportRow);
}
