// The undo of an import takes back each number that still has its state of the import, and no other: the latest row of the number is the
// import's, apart from imports that are undone. The ledger says what the number was before.
import { runNamed } from "../database.ts";
import { prepare, sql } from "../sql.ts";
import { type StoredImport, selectImport, toImport } from "./imports.ts";
import type { ImportRow } from "./rows.ts";

/** Ids of the ledger that one transaction looks at. */
const STEP_IDS = 25_000;

/**
 * Takes back the next rows of an import, in one transaction. The first step closes the import, so that no part of it is stored any more.
 * Safe to run twice, and at the same time as another run: no statement finds a row where the step is made.
 * @returns how far it is undone
 */
export async function undoStep(db: D1Database, begun: StoredImport, now: number): Promise<StoredImport> {
  const { importId, undoneTo } = begun;
  const end = undoneTo + STEP_IDS;
  const rows = await runNamed(db, {
    changes: prepare(
      db,
      sql`INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof, was_email)
        SELECT n.website_id, n.phone, s.subscribed, coalesce(b.subscribed, 0), ${now}, 'undo', n.import_id,
          iif(n.email_before IS NULL, NULL, '')
        FROM imports i CROSS JOIN imported_numbers n ON n.import_id = i.import_id
            AND n.change_id > ${undoneTo} AND n.change_id <= ${end}
          CROSS JOIN subscriptions s ON s.website_id = n.website_id AND s.phone = n.phone AND s.change_id = n.change_id
          LEFT JOIN subscription_changes b ON b.change_id = n.before_id
        WHERE i.import_id = ${importId} AND coalesce(i.undone_to, i.after_id) = ${undoneTo} AND n.is_changed
        ORDER BY n.change_id`,
    ),
    added: prepare(
      db,
      sql`DELETE FROM subscriptions WHERE (website_id, phone) IN (
        SELECT n.website_id, n.phone
        FROM imports i CROSS JOIN imported_numbers n ON n.import_id = i.import_id
            AND n.change_id > ${undoneTo} AND n.change_id <= ${end} AND n.before_id IS NULL
          CROSS JOIN subscriptions s ON s.website_id = n.website_id AND s.phone = n.phone AND s.change_id = n.change_id
        WHERE i.import_id = ${importId} AND coalesce(i.undone_to, i.after_id) = ${undoneTo})`,
    ),
    subscriptions: prepare(
      db,
      sql`INSERT INTO subscriptions (website_id, phone, subscribed, email, change_id)
        SELECT n.website_id, n.phone, b.subscribed, iif(n.email_before IS NULL, s.email, nullif(n.email_before, '')), b.change_id
        FROM imports i CROSS JOIN imported_numbers n ON n.import_id = i.import_id
            AND n.change_id > ${undoneTo} AND n.change_id <= ${end}
          CROSS JOIN subscriptions s ON s.website_id = n.website_id AND s.phone = n.phone AND s.change_id = n.change_id
          CROSS JOIN subscription_changes b ON b.change_id = n.before_id
        WHERE i.import_id = ${importId} AND coalesce(i.undone_to, i.after_id) = ${undoneTo}
        ON CONFLICT (website_id, phone) DO UPDATE SET subscribed = excluded.subscribed, email = excluded.email,
          change_id = excluded.change_id`,
    ),
    undone: prepare(
      db,
      sql`UPDATE imports SET restored = restored + c.back, changed_since = changed_since + c.found - c.back,
          undone_to = min(${end}, last_id), undone_at = coalesce(undone_at, ${now})
        FROM (SELECT count(*) AS found, count(u.change_id) AS back
          FROM imported_numbers n LEFT JOIN subscription_changes u ON u.website_id = n.website_id AND u.phone = n.phone
            AND u.source = 'undo' AND u.proof = n.import_id
          WHERE n.import_id = ${importId} AND n.change_id > ${undoneTo} AND n.change_id <= ${end} AND n.is_changed) c
        WHERE import_id = ${importId} AND coalesce(undone_to, after_id) = ${undoneTo}`,
    ),
    state: selectImport(db, importId),
  });
  return toImport((rows.state as ImportRow[])[0] as ImportRow);
}
