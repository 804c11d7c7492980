// Imports, and their undo: the ledger says what an import has changed, and what each number was before.
import { runNamed, runQuery } from "../database.ts";
import { IS_HERE } from "../databases/moving.ts";
import type { ImportRow } from "../rows.ts";
import { LATEST_CHANGE } from "./subscriptions.ts";

/** An import, as far as it is stored and undone. */
export interface StoredImport {
  importId: string;
  websiteId: string;
  /** When its latest part was stored: milliseconds since 1970. */
  storedAt: number;
  /** null: it goes on, or was cut off. */
  outcome: "done" | "failed" | null;
  /** Its rows of the ledger up to this id are undone. */
  undoneTo: number;
  /** Its last row. */
  lastId: number;
  /** Numbers that are what they were before the import. */
  restored: number;
  /** Numbers that were set again since the import, and are left as they are. */
  changedSince: number;
}

/** Before the first part of an import. */
export async function beginImport(db: D1Database, importId: string, websiteId: string, now: number): Promise<void> {
  const insert = `INSERT INTO imports (import_id, website_id, after_id, last_id, stored_at) SELECT ?1, ?2, latest, latest, ?3
    FROM (SELECT coalesce((SELECT max(change_id) FROM subscription_changes), 0) AS latest) WHERE true ON CONFLICT DO NOTHING`;
  await runQuery(db.prepare(insert).bind(importId, websiteId, now));
}

/** After its last part. The outcome moves with the website, as the audit log does not. */
export async function endImport(db: D1Database, importId: string, outcome: "done" | "failed"): Promise<void> {
  await runQuery(db.prepare("UPDATE imports SET outcome = ?2 WHERE import_id = ?1").bind(importId, outcome));
}

/**
 * For the transaction of a part: counts its rows of the ledger. Those of a part that was stored before count once. Returns the
 * counts of the whole import.
 */
export function countImported(db: D1Database, importId: string, now: number): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE imports SET added = added + n.fresh, changed = changed + n.known, last_id = max(last_id, n.latest), stored_at = ?2
       FROM (SELECT count(*) FILTER (WHERE l.was_subscribed IS NULL) AS fresh, coalesce(max(l.change_id), 0) AS latest,
           count(*) FILTER (WHERE l.was_subscribed IS NOT NULL AND ${isUndoable("l")} AND NOT ${IS_OPTED_OUT}) AS known
         FROM imports i CROSS JOIN subscription_changes l ON l.change_id > i.last_id AND l.source = 'import' AND l.proof = ?1
         WHERE i.import_id = ?1) n
       WHERE import_id = ?1 RETURNING added, changed`,
    )
    .bind(importId, now);
}

/** Whether only the address of somebody who opted out has changed: such a number counts as refused, or as unchanged. */
const IS_OPTED_OUT = `(l.was_subscribed = 0 AND l.subscribed = 0 AND EXISTS (SELECT 1 FROM subscriptions s
  WHERE s.website_id = l.website_id AND s.phone = l.phone AND s.opted_out_by_person = 1))`;

/** Whether a row of an import has changed something. It may only say again that a number is opted out. */
const isUndoable = (row: string) => `(${row}.was_subscribed IS NOT ${row}.subscribed OR ${row}.was_email IS NOT NULL)`;

/**
 * Whether an undo may change a number whose latest row of the ledger this is. Then a call that confirms the number, as it is,
 * gets a row of its own, which no undo passes over. An import that only says again that a number is opted out has one.
 */
export const isOpenToUndo = (row: string) =>
  `(${row}.source = 'undo' OR (${row}.source = 'import' AND ${isUndoable(row)}))`;

/** undefined: unknown. */
export async function readImport(db: D1Database, importId: string): Promise<StoredImport | undefined> {
  const [row] = await runQuery<ImportRow>(selectImport(db, importId));
  return row && toImport(row);
}

function selectImport(db: D1Database, importId: string): D1PreparedStatement {
  return db.prepare(`SELECT i.* FROM imports i WHERE i.import_id = ?1 AND ${IS_HERE("i.website_id")}`).bind(importId);
}

function toImport(row: ImportRow): StoredImport {
  return {
    importId: row.import_id,
    websiteId: row.website_id,
    storedAt: row.stored_at,
    outcome: row.outcome as StoredImport["outcome"],
    undoneTo: row.undone_to ?? row.after_id,
    lastId: row.last_id,
    restored: row.restored,
    changedSince: row.changed_since,
  };
}

/** Rows of the ledger that one transaction looks at: as many as a part of an import has. */
const STEP_ROWS = 25_000;

/** The rows `l` of the import ?1 that have changed something, of the next step after ?2: none where another run has made it. */
const STEP = `imports i CROSS JOIN subscription_changes l ON l.change_id > ?2 AND l.change_id <= ?2 + ${STEP_ROWS}
    AND l.source = 'import' AND l.proof = ?1 AND ${isUndoable("l")}`;
const SUBSCRIPTION = "subscriptions s ON s.website_id = l.website_id AND s.phone = l.phone";
const IS_NEXT = "i.import_id = ?1 AND coalesce(i.undone_to, i.after_id) = ?2";

/**
 * Whether somebody has set the number since: but for an import that is undone as far as that. An import that found the number
 * opted out, and said so again, holds even then: it may not have been the last to say so.
 */
const IS_SET_SINCE = `EXISTS (SELECT 1 FROM subscription_changes c
  WHERE c.website_id = l.website_id AND c.phone = l.phone AND c.change_id > l.change_id AND c.source <> 'undo'
    AND NOT (c.source = 'import' AND NOT (c.was_subscribed IS 0 AND c.subscribed = 0)
      AND EXISTS (SELECT 1 FROM imports o WHERE o.import_id = c.proof AND o.undone_to >= c.change_id)))`;

/** The row `u` that the step has written for `l`. */
const UNDO = `subscription_changes u ON u.change_id = ${LATEST_CHANGE("l.website_id", "l.phone")}
  AND u.source = 'undo' AND u.proof = ?1`;

/** What subscribed the number before: of several numbers with one address, the one that was subscribed last is so again. */
const SUBSCRIBED_BY = `coalesce((SELECT max(p.change_id) FROM subscription_changes p
  WHERE p.website_id = l.website_id AND p.phone = l.phone AND p.change_id < l.change_id
    AND p.subscribed = 1 AND p.source <> 'undo'), u.change_id)`;

/**
 * Takes back the next rows of an import, in one transaction. Safe to run twice, and at the same time as another run.
 * @returns how far it is undone
 */
export async function undoStep(
  db: D1Database,
  { importId, undoneTo }: StoredImport,
  now: number,
): Promise<StoredImport> {
  const run = (sql: string, ...more: unknown[]) => db.prepare(sql).bind(importId, undoneTo, ...more);
  const rows = await runNamed(db, {
    changes: run(
      `INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof, was_email)
       SELECT l.website_id, l.phone, s.subscribed, coalesce(l.was_subscribed, 0), ?3, 'undo', ?1, iif(l.was_email IS NULL, NULL, '')
       FROM ${STEP} CROSS JOIN ${SUBSCRIPTION}
       WHERE ${IS_NEXT} AND NOT ${IS_SET_SINCE} AND NOT (s.opted_out_by_person = 1 AND l.was_subscribed IS NOT 0)
       ORDER BY l.change_id`,
      now,
    ),
    subscriptions: run(
      `INSERT INTO subscriptions (website_id, phone, subscribed, email, change_id)
       SELECT l.website_id, l.phone, l.was_subscribed, iif(l.was_email IS NULL, s.email, nullif(l.was_email, '')),
         iif(l.was_subscribed = 1, ${SUBSCRIBED_BY}, u.change_id)
       FROM ${STEP} CROSS JOIN ${UNDO} CROSS JOIN ${SUBSCRIPTION} WHERE ${IS_NEXT} AND l.was_subscribed IS NOT NULL
       ON CONFLICT (website_id, phone) DO UPDATE SET subscribed = excluded.subscribed, email = excluded.email,
         change_id = excluded.change_id`,
    ),
    added: run(
      `DELETE FROM subscriptions WHERE (website_id, phone) IN (
         SELECT l.website_id, l.phone FROM ${STEP} CROSS JOIN ${UNDO} WHERE ${IS_NEXT} AND l.was_subscribed IS NULL)`,
    ),
    counts: run(
      `UPDATE imports SET undone_to = min(?2 + ${STEP_ROWS}, last_id), restored = restored + n.back,
         changed_since = changed_since + n.found - n.back
       FROM (SELECT count(*) AS found, count(u.change_id) AS back FROM ${STEP} LEFT JOIN ${UNDO} WHERE ${IS_NEXT}) n
       WHERE import_id = ?1 AND coalesce(undone_to, after_id) = ?2`,
    ),
    state: selectImport(db, importId),
  });
  return toImport((rows.state as ImportRow[])[0] as ImportRow);
}
