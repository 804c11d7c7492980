// What a part of the changes of a website does to each of its numbers is decided here, once, and in SQL: a part has up to 25,000 numbers,
// and what it finds must still be so when it is stored. A number gets a row of the ledger if something of it is new: its state, its
// address, or a proof of consent. The statements after the row read it, and decide nothing.
import type { DueEvent } from "../../domain/callbacks/callback.ts";
import { type Sql, sql } from "../sql.ts";
import type { ChangeOrigin } from "./subscriptions.ts";

/** Where the changes go, and how. */
export interface Target {
  db: D1Database;
  websiteId: string;
  origin: ChangeOrigin;
  /** Names the notices of a transaction; null: no event is posted. */
  newRun: (() => string) | null;
  /** Gets the events of the clients that want them. */
  due: DueEvent[];
  /** null: the changes are no import. */
  import: ImportRun | null;
}

/** A request of an import. */
export interface ImportRun {
  /** Whether it only counts what it would change. */
  isDry: boolean;
  /** Whether it subscribes again whom anybody else than the person has unsubscribed. */
  resubscribes: boolean;
  /** Whether earlier requests have stored rows of the import. */
  isJoined: boolean;
  /** The latest row of the ledger before those that the next transaction writes. */
  latestId: number;
  /** When the request began: milliseconds since 1970. */
  begunAt: number;
}

/** Whom anybody else than the person has unsubscribed, a call subscribes again, and an import keeps or resubscribes. */
const modeOf = (run: ImportRun | null) => (run === null ? "call" : run.resubscribes ? "resubscribe" : "keep");

/**
 * Named queries for a WITH: `decided` has each number, and `added` the rows of the ledger that are to be added.
 * @param given the rows of the part: see tableOf
 * @param erased selects the tombstones of the website because of which nobody is subscribed
 */
export function decision({ websiteId, origin: { proof }, import: run }: Target, given: Sql, erased: Sql): Sql {
  const [mode, isJoined, begunAt] = [modeOf(run), run?.isJoined ? 1 : 0, run?.begunAt ?? 0];
  return sql`
    given AS (${given}),
    erased AS (${erased}),
    known AS (
      SELECT g.*, s.subscribed AS was_subscribed, s.email AS email_before, s.change_id AS was_id,
        s.phone IS NOT NULL AND g.email IS NOT NULL AND g.email IS NOT s.email AS is_moved,
        s.opted_out_by_person IS 1 AS is_stopped,
        s.subscribed IS 0 AND s.opted_out_by_person IS 0 AS is_off,
        -- Its owner has opted out its other form, which a list may have in place of the form that the STOP had.
        o.opted_out_by_person IS 1 AND s.subscribed IS NOT 1 AS is_barred,
        o.subscribed IS 0 AND o.opted_out_by_person IS 0 AS is_other_off,
        -- Somebody else has set the number since the request began: a file may take minutes to come in.
        EXISTS (SELECT 1 FROM subscription_changes l
          WHERE l.change_id = s.change_id AND l.changed_at > ${begunAt} AND l.proof <> ${proof}) AS is_set_since
      FROM given g LEFT JOIN subscriptions s ON s.website_id = ${websiteId} AND s.phone = g.phone
        LEFT JOIN subscriptions o ON o.website_id = ${websiteId} AND o.phone = g.other
    ),
    wanted AS (
      -- What an earlier request of the import has opted out, in either form, a later one does not subscribe.
      SELECT k.*, iif(k.subscribed = 1 AND ${isJoined} = 1 AND NOT is_stopped AND EXISTS (SELECT 1 FROM subscription_changes l
        WHERE l.website_id = ${websiteId} AND l.phone IN (iif(is_off, k.phone, NULL), iif(is_other_off, k.other, NULL))
          AND l.source = 'import' AND l.proof = ${proof} AND l.subscribed = 0), 0, k.subscribed) AS wants
      FROM known k
    ),
    refused AS (
      SELECT w.*, CASE WHEN wants = 0 THEN NULL WHEN is_barred THEN 'barred'
        WHEN is_off AND (${mode} = 'keep' OR (${mode} = 'resubscribe' AND is_set_since)) THEN 'kept' END AS why_not
      FROM wanted w
    ),
    decided AS (
      -- What is new of the number; NULL: nothing is, or nothing counts.
      SELECT r.*, CASE
        WHEN why_not IS NOT NULL OR (wants = 1 AND EXISTS (SELECT 1 FROM erased)) THEN NULL
        WHEN was_subscribed IS NOT wants AND NOT is_stopped THEN 'state'
        -- Also that of somebody who has opted out.
        WHEN is_moved THEN 'address'
        -- It is added, and replaces none.
        WHEN wants = 1 AND was_subscribed = 1 AND (consented_at IS NOT NULL OR evidence IS NOT NULL)
          AND NOT EXISTS (SELECT 1 FROM subscription_changes l WHERE l.website_id = ${websiteId} AND l.phone = r.phone
            AND l.consented_at IS r.consented_at AND l.evidence IS r.evidence) THEN 'proof'
        -- The import has found the number opted out: no later request of it subscribes the number.
        WHEN ${mode} = 'resubscribe' AND wants = 0 AND is_off
          AND NOT EXISTS (SELECT 1 FROM subscription_changes l WHERE l.website_id = ${websiteId} AND l.phone = r.phone
            AND l.source = 'import' AND l.proof = ${proof} AND l.subscribed = 0) THEN 'found'
        END AS what
      FROM refused r
    ),
    added AS (
      SELECT phone, was_subscribed, iif(is_stopped, 0, wants) AS subscribed,
        -- An import keeps the address that it replaces, for its undo.
        iif(is_moved, iif(${mode} = 'call', '', coalesce(email_before, '')), NULL) AS was_email,
        -- An import that came in parts may find the number as it has set it.
        iif(${mode} = 'call', NULL, nullif(coalesce((SELECT coalesce(e.before_id, 0) FROM subscription_changes e
          WHERE e.change_id = was_id AND e.source = 'import' AND e.proof = ${proof}), was_id), 0)) AS before_id,
        iif(wants = 1 AND NOT is_stopped, consented_at, NULL) AS consented_at,
        iif(wants = 1 AND NOT is_stopped, evidence, NULL) AS evidence
      FROM decided d
      WHERE what IS NOT NULL
        -- An undo has closed the import.
        AND NOT EXISTS (SELECT 1 FROM imports WHERE import_id = ${proof} AND undone_to IS NOT NULL)
        -- A repeated try finds its work done, whatever somebody else has said since.
        AND NOT ((${mode} = 'call' OR is_set_since) AND EXISTS (SELECT 1 FROM subscription_changes l
          WHERE l.website_id = ${websiteId} AND l.phone = d.phone AND l.proof = ${proof}))
    )`;
}
