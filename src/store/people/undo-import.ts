// The undo of an import: the ledger says what the import has changed, and what each number was before.
import { runNamed } from "../database.ts";
import { countGrowth } from "../operations/traffic-counts.ts";
import type { ImportRow } from "../rows.ts";
import { piece, prepare, type Sql, sql } from "../sql.ts";
import { isUndoable, type StoredImport, selectImport, toImport } from "./imports.ts";

/** Ids of the ledger that one transaction looks at. */
const STEP_IDS = 25_000;

const SUBSCRIPTION = piece("subscriptions s ON s.website_id = l.website_id AND s.phone = l.phone");

/**
 * Condition of a row `c` of the ledger: somebody has set the number of `l`. An undo does not count, nor does another import that is
 * undone as far as that. An import that found the number opted out, and said so again, holds even then: it may not have been the last
 * to say so.
 */
const isByOthers = (importId: string) => sql`(c.website_id = l.website_id AND c.phone = l.phone AND c.source <> 'undo'
  AND NOT (c.source = 'import' AND (c.proof = ${importId} OR (NOT (c.was_subscribed IS 0 AND c.subscribed = 0)
    AND EXISTS (SELECT 1 FROM imports o WHERE o.import_id = c.proof AND o.undone_to >= c.change_id)))))`;

/** Condition of a row `m` of the ledger: the import has changed the number of `l`. */
const isByImport = (importId: string) => sql`(m.website_id = l.website_id AND m.phone = l.phone
  AND m.source = 'import' AND m.proof = ${importId} AND ${isUndoable("m")})`;

/** Condition: somebody has set the number since the row `l`. */
const isSetSince = (importId: string) =>
  sql`EXISTS (SELECT 1 FROM subscription_changes c WHERE ${isByOthers(importId)} AND c.change_id > l.change_id)`;

/** Condition: the import has changed the number before the row `l` as well, and nobody has set it between the two. */
const hasEarlier = (importId: string) =>
  sql`EXISTS (SELECT 1 FROM subscription_changes m WHERE ${isByImport(importId)} AND m.change_id < l.change_id
      AND NOT EXISTS (SELECT 1 FROM subscription_changes c WHERE ${isByOthers(importId)}
        AND c.change_id > m.change_id AND c.change_id < l.change_id))`;

/** Condition: somebody has set the number since the row `l`, and the import has changed it after that. */
const hasLater = (importId: string) =>
  sql`EXISTS (SELECT 1 FROM subscription_changes c CROSS JOIN subscription_changes m
      WHERE ${isByOthers(importId)} AND c.change_id > l.change_id AND ${isByImport(importId)} AND m.change_id > c.change_id)`;

/**
 * The rows `l` of the next step, one for each number; none where another run has made the step. An import that came in parts may have
 * several rows of a number. The first of them has what the number was before the import. If somebody has set the number between two of
 * them, it is the first after that.
 */
function rowsOfStep({ importId, undoneTo }: StoredImport): Sql {
  return sql`imports i CROSS JOIN subscription_changes l ON i.import_id = ${importId}
    AND coalesce(i.undone_to, i.after_id) = ${undoneTo}
    AND l.change_id > ${undoneTo} AND l.change_id <= ${undoneTo} + ${STEP_IDS}
    AND l.source = 'import' AND l.proof = ${importId} AND ${isUndoable("l")}
    AND NOT ${hasEarlier(importId)} AND NOT ${hasLater(importId)}`;
}

/** The row `u` that the step has written for `l`. */
const undoRow = (importId: string) => sql`subscription_changes u ON u.change_id = (SELECT max(c.change_id)
    FROM subscription_changes c WHERE c.website_id = l.website_id AND c.phone = l.phone)
  AND u.source = 'undo' AND u.proof = ${importId}`;

/** The address before the import, '' for none; NULL: the import did not change it. */
const addressBefore = (importId: string) => sql`(SELECT m.was_email FROM subscription_changes m
  WHERE ${isByImport(importId)} AND m.change_id >= l.change_id AND m.was_email IS NOT NULL ORDER BY m.change_id LIMIT 1)`;

/** What subscribed the number before: of several numbers with one address, the one that was subscribed last is so again. */
const SUBSCRIBED_BY = piece(`coalesce((SELECT max(p.change_id) FROM subscription_changes p
  WHERE p.website_id = l.website_id AND p.phone = l.phone AND p.change_id < l.change_id
    AND p.subscribed = 1 AND p.source <> 'undo'), u.change_id)`);

/**
 * Takes back the next rows of an import, in one transaction. The first step closes the import, so that no part of it is stored any more.
 * Safe to run twice, and at the same time as another run.
 * @returns how far it is undone
 */
export async function undoStep(db: D1Database, begun: StoredImport, now: number): Promise<StoredImport> {
  const { importId, undoneTo } = begun;
  const [step, undo, before] = [rowsOfStep(begun), undoRow(importId), addressBefore(importId)];
  const isBack = sql`NOT ${isSetSince(importId)} AND NOT (s.opted_out_by_person = 1 AND l.was_subscribed IS NOT 0)`;
  const rows = await runNamed(db, {
    growth: countGrowth(
      db,
      sql`SELECT l.website_id, s.subscribed AS was, coalesce(l.was_subscribed, 0) AS subscribed
        FROM ${step} CROSS JOIN ${SUBSCRIPTION} WHERE ${isBack}`,
      now,
    ),
    changes: prepare(
      db,
      sql`INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof, was_email)
        SELECT l.website_id, l.phone, s.subscribed, coalesce(l.was_subscribed, 0), ${now}, 'undo', ${importId},
          iif(${before} IS NULL, NULL, '')
        FROM ${step} CROSS JOIN ${SUBSCRIPTION}
        WHERE ${isBack} ORDER BY l.change_id`,
    ),
    subscriptions: prepare(
      db,
      sql`INSERT INTO subscriptions (website_id, phone, subscribed, email, change_id)
        SELECT l.website_id, l.phone, l.was_subscribed, iif(${before} IS NULL, s.email, nullif(${before}, '')),
          iif(l.was_subscribed = 1, ${SUBSCRIBED_BY}, u.change_id)
        FROM ${step} CROSS JOIN ${undo} CROSS JOIN ${SUBSCRIPTION} WHERE l.was_subscribed IS NOT NULL
        ON CONFLICT (website_id, phone) DO UPDATE SET subscribed = excluded.subscribed, email = excluded.email,
          change_id = excluded.change_id`,
    ),
    added: prepare(
      db,
      sql`DELETE FROM subscriptions WHERE (website_id, phone) IN (
        SELECT l.website_id, l.phone FROM ${step} CROSS JOIN ${undo} WHERE l.was_subscribed IS NULL)`,
    ),
    counts: prepare(
      db,
      sql`UPDATE imports SET undone_to = min(${undoneTo} + ${STEP_IDS}, last_id), restored = restored + n.back,
          changed_since = changed_since + n.found - n.back, undone_at = coalesce(undone_at, ${now})
        FROM (SELECT count(*) AS found, count(u.change_id) AS back FROM ${step} LEFT JOIN ${undo}) n
        WHERE import_id = ${importId} AND coalesce(undone_to, after_id) = ${undoneTo}`,
    ),
    state: selectImport(db, importId),
  });
  return toImport((rows.state as ImportRow[])[0] as ImportRow);
}
