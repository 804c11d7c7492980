import { runNamed } from "../database.ts";
import type { NumberFaults } from "../messages/number-faults.ts";
import type { ChangeSource, SubscriptionChangeRow, SubscriptionRow } from "../rows.ts";
import { prepare, sql } from "../sql.ts";

/** A present or former subscriber of a website. */
export interface Person {
  subscribed: boolean;
  email: string | null;
  /** The person opted out by a keyword or at the carrier: only START undoes it. */
  optedOutByPerson: boolean;
  /** Milliseconds since 1970. */
  optOutConfirmedAt: number | null;
  faults: NumberFaults | null;
  changes: SubscriptionEntry[];
}

/** One row of the ledger. */
export interface SubscriptionEntry {
  /** Its number in the ledger. */
  changeId: number;
  /** null: the number was new. */
  wasSubscribed: boolean | null;
  subscribed: boolean;
  /** Milliseconds since 1970. */
  changedAt: number;
  addressChanged: boolean;
  /** The address that an import has replaced, for its undo. Left out where there was none. */
  emailBefore?: string;
  source: ChangeSource;
  /** Whose import or act it was. Left out where no operator made it, and in the ledger of a website. */
  operator?: string;
  proof: string;
  /** Milliseconds since 1970. Left out, as the next, where none was told. */
  consentedAt?: number;
  evidence?: string;
}

/** undefined: the number was never subscribed or opted out. */
export async function readPerson(db: D1Database, websiteId: string, phone: number): Promise<Person | undefined> {
  return toPerson(await runNamed(db, selectPerson(db, websiteId, phone)));
}

export function selectPerson(db: D1Database, websiteId: string, phone: number) {
  return {
    subscriptions: prepare(db, sql`SELECT * FROM subscriptions WHERE website_id = ${websiteId} AND phone = ${phone}`),
    subscription_changes: prepare(
      db,
      sql`SELECT l.*, a.operator FROM subscription_changes l
        LEFT JOIN audit_log a ON a.request_id = l.proof AND l.source IN ('import', 'operator')
        WHERE l.website_id = ${websiteId} AND l.phone = ${phone} ORDER BY l.change_id`,
    ),
    number_faults: prepare(
      db,
      sql<NumberFaults>`SELECT f.failures AS texts, f.code,
          iif(f.failures >= w.settings ->> 'unreachableAfter', coalesce(f.told_at, f.failed_at), NULL) AS unreachableSince
        FROM number_faults f CROSS JOIN websites w ON w.website_id = f.website_id
        WHERE f.website_id = ${websiteId} AND f.phone = ${phone}`,
    ),
  };
}

/** @param rows of selectPerson: there is no subscription where an undo has taken back the import that added the number */
export function toPerson(rows: {
  subscriptions: unknown[];
  subscription_changes: unknown[];
  number_faults: NumberFaults[];
}): Person | undefined {
  const [row] = rows.subscriptions as SubscriptionRow[];
  const changes = (rows.subscription_changes as ChangeRow[]).map(toSubscriptionEntry);
  const [faults = null] = rows.number_faults;
  if (!row && changes.length === 0 && !faults) return undefined;
  return {
    subscribed: row?.subscribed === 1,
    email: row?.email ?? null,
    optedOutByPerson: row?.opted_out_by_person === 1,
    optOutConfirmedAt: row?.opt_out_confirmed_at ?? null,
    faults,
    changes,
  };
}

type ChangeRow = SubscriptionChangeRow & { operator?: string | null };

export function toSubscriptionEntry(row: ChangeRow): SubscriptionEntry {
  return {
    wasSubscribed: row.was_subscribed === null ? null : row.was_subscribed === 1,
    subscribed: row.subscribed === 1,
    changeId: row.change_id,
    changedAt: row.changed_at,
    addressChanged: row.was_email !== null,
    ...(row.was_email ? { emailBefore: row.was_email } : {}),
    source: row.source,
    ...(row.operator ? { operator: row.operator } : {}),
    proof: row.proof,
    ...(row.consented_at === null ? {} : { consentedAt: row.consented_at }),
    ...(row.evidence === null ? {} : { evidence: row.evidence }),
  };
}
