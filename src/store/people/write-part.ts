// Stores a part of the changes of a website in one transaction, so that it cannot undo a concurrent erasure, nor outlive the undo of its
// import.
import type { Changed, PartOutcome } from "../../domain/people/import-figures.ts";
import type { SubscriptionChange } from "../../domain/people/subscriber-rows.ts";
import { dueEvents } from "../callbacks/events.ts";
import { changeNotices, HEARS_OF_CHANGES } from "../callbacks/notices.ts";
import { runNamed } from "../database.ts";
import { piece, prepare, type Sql, sql } from "../sql.ts";
import { noteLast, requireOpenImport } from "./imports.ts";
import { confirmOptOuts } from "./last-word.ts";
import {
  guardWith,
  IS_CHANGE,
  IS_MOVE,
  isAllowed,
  isBarred,
  isDone,
  isFoundOptedOut,
  isKept,
  isLatest,
  isNewProof,
  isOffByOthers,
  isOptedOutByImport,
  type PartSql,
  type Target,
} from "./part-conditions.ts";
import { countDry, countLedger } from "./part-counts.ts";
import { hasOther, isOptIn, tableOf } from "./subscription-part.ts";

export interface Written extends PartOutcome {
  /** What the guard has found. If anything, only the opt-outs are written. */
  erased: string[];
}

/**
 * The rows of a part, as `g`. What an earlier request of the import has opted out, in either form, a later one does not subscribe. Whoever opted out in
 * person is left to be refused: the row of the ledger that the import has of such a number may be about its address alone.
 */
function givenBy(target: Target, changes: SubscriptionChange[]): Sql {
  if (!target.import?.isJoined) return sql`${tableOf(changes, target.origin.consent)} g`;
  const isOff = sql`((${isOffByOthers("k")} AND ${isOptedOutByImport(target, piece("r.phone"))})
    OR (r.other IS NOT NULL AND k.opted_out_by_person IS NOT 1 AND ${isOptedOutByImport(target, piece("r.other"))}
      AND EXISTS (SELECT 1 FROM subscriptions b WHERE b.website_id = ${target.websiteId} AND b.phone = r.other AND ${isOffByOthers("b")})))`;
  return sql`(SELECT r.phone, r.email, iif(r.subscribed = 1 AND ${isOff}, 0, r.subscribed) AS subscribed, r.consented_at, r.evidence, r.other
    FROM ${tableOf(changes, target.origin.consent)} r
      LEFT JOIN subscriptions k ON k.website_id = ${target.websiteId} AND k.phone = r.phone) g`;
}

/**
 * A row that stays as it is is not written.
 * @param erased selects the tombstones of the website because of which nobody is subscribed
 * @throws RequestFailure import-closed: nothing is stored
 */
export async function writePart(target: Target, changes: SubscriptionChange[], erased: Sql): Promise<Written> {
  const { db, websiteId, origin, import: run } = target;
  const part: PartSql = {
    given: givenBy(target, changes),
    subscription: sql`subscriptions s ON s.website_id = ${websiteId} AND s.phone = g.phone`,
    guard: guardWith(target, erased),
    barred: changes.some(hasOther) ? isBarred(target) : piece("false"),
  };
  const hasOptIns = changes.some(isOptIn);
  const rows = await runNamed(db, {
    erased: hasOptIns ? prepare(db, erased) : null,
    refused: hasOptIns ? prepare(db, selectRefused(target, part)) : null,
    ...(run?.isDry ? NOT_WRITTEN : write(target, part)),
    confirmed: run?.isDry || changes.every(isOptIn) ? null : confirmFound(target, part),
    counts: run && (run.isDry ? countDry(target, part) : countLedger(target, run)),
    isOpen: run === null || run.isDry ? null : noteLast(db, origin.proof),
  });
  if (run && !run.isDry) requireOpenImport(rows.isOpen.length > 0);
  target.due.push(...dueEvents(rows.told));
  const [counts] = rows.counts as CountsRow[];
  if (run && counts?.latest) run.latestId = counts.latest;
  return {
    erased: (rows.erased as { mark: string }[]).map(({ mark }) => mark),
    refused: (rows.refused as RefusedRow[]).map(({ phone, by_person }) => ({ phone, byPerson: by_person === 1 })),
    newSubscribed: toPhones(counts?.newSubscribed),
    newOptedOut: toPhones(counts?.newOptedOut),
    becameSubscribed: toPhones(counts?.becameSubscribed),
    becameOptedOut: toPhones(counts?.becameOptedOut),
    newAddress: toPhones(counts?.newAddress),
  };
}

const toPhones = (list = "[]") => JSON.parse(list) as number[];

interface RefusedRow {
  phone: number;
  by_person: number;
}

/** Lists of numbers, as JSON. */
interface CountsRow extends Record<keyof Changed, string> {
  /** null: no row of the ledger. */
  latest: number | null;
}

const NOT_WRITTEN = { changes: null, told: null, subscriptions: null };

const selectRefused = (target: Target, { given, subscription, barred }: PartSql) =>
  sql`SELECT g.phone, max(coalesce(s.opted_out_by_person, 0), ${barred}) AS by_person FROM ${given} LEFT JOIN ${subscription}
    WHERE g.subscribed = 1 AND (s.opted_out_by_person = 1 OR ${isKept(target)} OR ${barred})`;

function write(target: Target, part: PartSql) {
  const { db, origin, newRun } = target;
  const run = newRun?.() ?? null;
  return {
    changes: prepare(db, insertChanges(target, part)),
    told: run === null ? null : changeNotices(db, selectTold(target, part), { ...origin, run }),
    subscriptions: prepare(db, setSubscriptions(target, part)),
  };
}

function insertChanges(target: Target, part: PartSql): Sql {
  const { given, subscription, guard } = part;
  const { websiteId, origin } = target;
  // An import keeps the address that it replaces, for its undo.
  const address = target.import ? sql`coalesce(s.email, '')` : sql`''`;
  const subscribes = piece("(g.subscribed = 1 AND s.opted_out_by_person IS NOT 1)");
  // An import that came in parts may find the number as it has set it.
  const beforeId = target.import
    ? sql`coalesce((SELECT iif(e.source = 'import' AND e.proof = ${origin.proof}, coalesce(e.before_id, 0), NULL)
        FROM subscription_changes e WHERE e.change_id = s.change_id), s.change_id)`
    : piece("NULL");
  return sql`INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof, was_email,
      before_id, consented_at, evidence)
    ${guard} SELECT ${websiteId}, g.phone, s.subscribed, iif(s.opted_out_by_person IS 1, 0, g.subscribed), ${origin.now},
      ${origin.source}, ${origin.proof}, iif(${IS_MOVE}, ${address}, NULL), nullif(${beforeId}, 0),
      iif(${subscribes}, g.consented_at, NULL), iif(${subscribes}, g.evidence, NULL)
    FROM ${given} CROSS JOIN guard LEFT JOIN ${subscription}
    WHERE ${isAllowed(target, part)} AND (${IS_CHANGE} OR ${IS_MOVE} OR ${isNewProof(target)} OR ${isFoundOptedOut(target)}) AND NOT ${isDone(target)}`;
}

/** It runs after the rows are added. */
const selectTold = (target: Target, part: PartSql) =>
  sql`${part.guard} SELECT c.client_id, c.website_id, c.callback_url, g.phone, g.subscribed
    FROM clients c INDEXED BY clients_with_events CROSS JOIN ${part.given} CROSS JOIN guard LEFT JOIN ${part.subscription}
    WHERE c.website_id = ${target.websiteId} AND ${HEARS_OF_CHANGES} AND ${IS_CHANGE} AND ${isAllowed(target, part)}
      AND ${isLatest(target)}`;

function setSubscriptions(target: Target, { given, guard, barred }: PartSql): Sql {
  const { websiteId, origin } = target;
  return sql`INSERT INTO subscriptions (website_id, phone, subscribed, email, change_id, opted_out_at)
    ${guard} SELECT ${websiteId}, g.phone, g.subscribed, g.email,
      (SELECT max(c.change_id) FROM subscription_changes c WHERE c.website_id = ${websiteId} AND c.phone = g.phone),
      iif(g.subscribed = 0, ${origin.now}, 0)
    FROM ${given} CROSS JOIN guard WHERE guard.stores AND (g.subscribed = 0 OR (guard.subscribes AND NOT ${barred}))
    ON CONFLICT (website_id, phone) DO UPDATE SET
      subscribed = iif(subscriptions.opted_out_by_person = 1, 0, excluded.subscribed),
      email = coalesce(excluded.email, subscriptions.email), change_id = excluded.change_id,
      opted_out_at = max(subscriptions.opted_out_at, excluded.opted_out_at)
    WHERE subscriptions.change_id <> excluded.change_id
      AND (excluded.subscribed = 0 OR ${isKept(target, "subscriptions")} IS NOT TRUE)
      AND (SELECT c.source FROM subscription_changes c WHERE c.change_id = excluded.change_id) <> 'undo'`;
}

/** It runs last: whom the part has opted out itself has the time already. */
const confirmFound = ({ db, websiteId, origin }: Target, { given, guard }: PartSql) =>
  confirmOptOuts(
    db,
    websiteId,
    sql`${guard} SELECT g.phone FROM ${given} CROSS JOIN guard WHERE guard.stores AND g.subscribed = 0`,
    origin.now,
  );
