// What a part of the changes of a website does to each of its numbers, in SQL. `g` is a row of the part, `s` its subscription, and
// `guard` what is found before anything is written.
//
// A number gets a row of the ledger if something of it is new: its state (IS_CHANGE), its address (IS_MOVE), or a proof (isNewProof). An
// import that resubscribes also notes whom it was to opt out, and has found so (isFoundOptedOut). A number gets no row where the row of the
// part does not count (isAllowed), or the ledger has it already (isDone). Its subscription then becomes what its new row of the ledger says.
import type { DueEvent } from "../../domain/callbacks/callback.ts";
import { piece, type Sql, sql } from "../sql.ts";
import { takesRows } from "./imports.ts";
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

/** A part, as its statements have it. */
export interface PartSql {
  /** The rows `g`. */
  given: Sql;
  /** Their subscriptions `s`. */
  subscription: Sql;
  /** See guardWith. */
  guard: Sql;
  /** See isBarred. */
  barred: Sql;
}

/** Whether the number is to be subscribed or opted out, and is not. */
export const IS_CHANGE = piece("(s.subscribed IS NOT g.subscribed AND s.opted_out_by_person IS NOT 1)");

/** Whether the address of a known number is to be another: also of one that is not subscribed, because its owner has opted out. */
export const IS_MOVE = piece("(s.phone IS NOT NULL AND g.email IS NOT NULL AND g.email IS NOT s.email)");

/** Whether anybody else than the person has unsubscribed the number of a subscription. @param row its name in the statement */
export const isOffByOthers = (row: "s" | "k" | "b" | "subscriptions") =>
  piece(`(${row}.subscribed = 0 AND ${row}.opted_out_by_person = 0)`);

/**
 * Whether a known number stays as it is, although the import would subscribe it: anybody else than the person has unsubscribed it. An import
 * that resubscribes leaves only those that somebody has unsubscribed since its request began: a file may take minutes to come in.
 */
export function isKept({ import: run, origin }: Target, row: "s" | "subscriptions" = "s"): Sql {
  if (run === null) return piece("false");
  if (!run.resubscribes) return isOffByOthers(row);
  return sql`(${isOffByOthers(row)} AND ${isSetSince(run.begunAt, origin, row)})`;
}

/** Whether somebody else has set the number of a subscription since the request began. */
const isSetSince = (begunAt: number, { proof }: ChangeOrigin, row: "s" | "subscriptions") =>
  sql`EXISTS (SELECT 1 FROM subscription_changes l
    WHERE l.change_id = ${piece(`${row}.change_id`)} AND l.changed_at > ${begunAt} AND l.proof <> ${proof})`;

/**
 * Whether the owner of the number has opted out its other form, which a list may have in place of the form that the STOP had. A number that
 * is subscribed stays so.
 */
export const isBarred = ({ websiteId }: Target): Sql =>
  sql`(g.other IS NOT NULL AND EXISTS (SELECT 1 FROM subscriptions b
      WHERE b.website_id = ${websiteId} AND b.phone = g.other AND b.opted_out_by_person = 1)
    AND NOT EXISTS (SELECT 1 FROM subscriptions b WHERE b.website_id = ${websiteId} AND b.phone = g.phone AND b.subscribed = 1))`;

/** Whether a row of the part counts. */
export const isAllowed = (target: Target, { barred }: PartSql) =>
  sql`(guard.stores AND (g.subscribed = 0 OR (guard.subscribes AND ${isKept(target)} IS NOT TRUE AND NOT ${barred})))`;

/** Whether the request has a proof of consent that the ledger of a subscribed number lacks. The proof is added, and replaces none. */
export const isNewProof = ({ websiteId }: Target) =>
  sql`(g.subscribed = 1 AND s.subscribed = 1 AND (g.consented_at IS NOT NULL OR g.evidence IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM subscription_changes p WHERE p.website_id = ${websiteId} AND p.phone = g.phone
      AND p.consented_at IS g.consented_at AND p.evidence IS g.evidence))`;

/**
 * Whether the request has set the known number before: a repeated try finds its work done, whatever somebody else has said since.
 * An import has the same proof for several requests, so somebody else must have set the number since this one began.
 */
export const isDone = ({ websiteId, origin, import: run }: Target) =>
  sql`(s.phone IS NOT NULL AND ${run === null ? piece("true") : isSetSince(run.begunAt, origin, "s")}
    AND EXISTS (SELECT 1 FROM subscription_changes d
      WHERE d.website_id = ${websiteId} AND d.phone = g.phone AND d.proof = ${origin.proof}))`;

/** Whether the latest row of the ledger of a number is of this request. */
export const isLatest = ({ websiteId, origin }: Target) =>
  sql`EXISTS (SELECT 1 FROM subscription_changes d WHERE d.proof = ${origin.proof} AND d.change_id = (
    SELECT max(change_id) FROM subscription_changes WHERE website_id = ${websiteId} AND phone = g.phone))`;

/** Condition of the number `g`: the import has opted it out, or has found it opted out. */
export const isOptedOutByImport = ({ websiteId, origin }: Target, phone: Sql) =>
  sql`EXISTS (SELECT 1 FROM subscription_changes o WHERE o.website_id = ${websiteId} AND o.phone = ${phone}
    AND o.source = 'import' AND o.proof = ${origin.proof} AND o.subscribed = 0)`;

/**
 * Whether an import finds a number opted out that it is to opt out, and that a later row of it would subscribe again: a row of the ledger
 * says that the opt-out wins. A number whose owner has opted out is subscribed by no import.
 */
export function isFoundOptedOut(target: Target): Sql {
  if (!target.import?.resubscribes) return piece("false");
  return sql`(g.subscribed = 0 AND ${isOffByOthers("s")}
    AND NOT ${isOptedOutByImport(target, piece("g.phone"))})`;
}

/** `guard`: whether numbers are subscribed (nobody of the part is erased), and whether anything is stored. @param erased see Guard */
export function guardWith(target: Target, erased: Sql): Sql {
  const stores = target.import === null || target.import.isDry ? piece("true") : takesRows(target.origin.proof);
  return sql`WITH guard (subscribes, stores) AS MATERIALIZED (SELECT NOT EXISTS (${erased}), ${stores})`;
}
