// Stores a part of the changes of a website in one transaction, so that it cannot undo a concurrent erasure, nor outlive the undo of its
// import.
import type { PartOutcome } from "../../domain/people/import-figures.ts";
import type { SubscriptionChange } from "../../domain/people/subscriber-rows.ts";
import { dueEvents } from "../callbacks/events.ts";
import { changeNotices } from "../callbacks/notices.ts";
import { runNamed } from "../database.ts";
import { removeFaults } from "../messages/number-faults.ts";
import { prepare, type Sql, sql } from "../sql.ts";
import { noteLast, requireOpenImport } from "./imports.ts";
import { countDry, countLedger } from "./part-counts.ts";
import { decision, type Target } from "./part-decision.ts";
import { isOptIn, tableOf } from "./subscription-part.ts";

export interface Written extends PartOutcome {
  /** What the guard has found. If anything, only the opt-outs are written. */
  erased: string[];
}

/**
 * A row that stays as it is is not written.
 * @param erased selects the tombstones of the website because of which nobody is subscribed
 * @throws RequestFailure import-closed: nothing is stored
 */
export async function writePart(target: Target, changes: SubscriptionChange[], erased: Sql): Promise<Written> {
  const { db, origin, import: run } = target;
  const given = tableOf(changes, origin.consent);
  const decided = decision(target, given, erased);
  const hasOptIns = changes.some(isOptIn);
  const rows = await runNamed(db, {
    erased: hasOptIns ? prepare(db, erased) : null,
    refused: hasOptIns ? selectRefused(db, decided) : null,
    ...(run?.isDry ? NOT_WRITTEN : write(target, given, decided)),
    // Whoever says that a number is subscribed says that it is worth a text, even if nothing changes.
    reached:
      hasOptIns && !run?.isDry
        ? removeFaults(db, target.websiteId, sql`SELECT phone FROM (${given}) WHERE subscribed = 1`)
        : null,
    confirmed: run?.isDry || changes.every(isOptIn) ? null : confirmOptOuts(target, changes),
    counts: run && (run.isDry ? countDry(target, decided) : countLedger(target, run.latestId)),
    isOpen: run === null || run.isDry ? null : noteLast(db, origin.proof),
  });
  if (run && !run.isDry) requireOpenImport(rows.isOpen.length > 0);
  target.due.push(...dueEvents(rows.told));
  const [counts] = rows.counts;
  if (run && counts?.latest) run.latestId = counts.latest;
  return {
    erased: (rows.erased as { mark: string }[]).map(({ mark }) => mark),
    refused: rows.refused.map(({ phone, by_person }) => ({ phone, byPerson: by_person === 1 })),
    newSubscribed: toPhones(counts?.newSubscribed),
    newOptedOut: toPhones(counts?.newOptedOut),
    becameSubscribed: toPhones(counts?.becameSubscribed),
    becameOptedOut: toPhones(counts?.becameOptedOut),
    newAddress: toPhones(counts?.newAddress),
  };
}

const toPhones = (list = "[]") => JSON.parse(list) as number[];

const NOT_WRITTEN = { changes: null, told: null, subscriptions: null };

const selectRefused = (db: D1Database, decided: Sql) =>
  prepare(
    db,
    sql<{ phone: number; by_person: 0 | 1 }>`WITH ${decided}
      SELECT phone, is_stopped OR is_barred AS by_person FROM decided
      WHERE wants = 1 AND (is_stopped OR why_not IS NOT NULL)`,
  );

function write(target: Target, given: Sql, decided: Sql) {
  const { db, websiteId, origin, newRun } = target;
  const run = newRun?.() ?? null;
  return {
    changes: prepare(
      db,
      sql`INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof, was_email,
          before_id, consented_at, evidence)
        WITH ${decided}
        SELECT ${websiteId}, phone, was_subscribed, subscribed, ${origin.now}, ${origin.source}, ${origin.proof}, was_email,
          before_id, consented_at, evidence
        FROM added`,
    ),
    told: run === null ? null : changeNotices(db, { ...origin, websiteId }, run),
    subscriptions: setSubscriptions(target, given),
  };
}

/** Each number becomes what its new row of the ledger says. */
const setSubscriptions = ({ db, websiteId, origin: { source, proof, now } }: Target, given: Sql): D1PreparedStatement =>
  prepare(
    db,
    sql`INSERT INTO subscriptions (website_id, phone, subscribed, email, change_id, opted_out_at)
      SELECT l.website_id, l.phone, l.subscribed, g.email, l.change_id, iif(l.subscribed = 0 AND l.was_subscribed IS NOT 0, ${now}, 0)
      FROM (${given}) g LEFT JOIN subscriptions s ON s.website_id = ${websiteId} AND s.phone = g.phone
        CROSS JOIN subscription_changes l ON l.website_id = ${websiteId} AND l.phone = g.phone AND l.change_id > coalesce(s.change_id, 0)
      WHERE l.source = ${source} AND l.proof = ${proof}
        AND NOT EXISTS (SELECT 1 FROM imports WHERE import_id = ${proof} AND undone_to IS NOT NULL)
      ON CONFLICT (website_id, phone) DO UPDATE SET subscribed = excluded.subscribed,
        email = coalesce(excluded.email, subscriptions.email), change_id = excluded.change_id,
        opted_out_at = max(subscriptions.opted_out_at, excluded.opted_out_at)`,
  );

/** An opt-out that changes nothing: no START from before it counts. */
function confirmOptOuts({ db, websiteId, origin: { proof, now } }: Target, changes: SubscriptionChange[]) {
  const phones = changes.flatMap(({ phone, subscribed }) => (subscribed ? [] : phone));
  return prepare(
    db,
    sql`UPDATE subscriptions SET opted_out_at = ${now}
      WHERE website_id = ${websiteId} AND phone IN (SELECT value FROM json_each(${JSON.stringify(phones)}))
        AND subscribed = 0 AND opted_out_at < ${now}
        AND NOT EXISTS (SELECT 1 FROM imports WHERE import_id = ${proof} AND undone_to IS NOT NULL)`,
  );
}
