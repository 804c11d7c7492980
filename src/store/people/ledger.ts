// The ledger of a website by time. An erased person has no rows in it.
import { runQuery } from "../database.ts";
import type { SubscriptionChangeRow } from "../rows.ts";
import { prepare, sql } from "../sql.ts";
import { type SubscriptionEntry, toSubscriptionEntry } from "./person.ts";

export interface LedgerEntry extends SubscriptionEntry {
  /** As digits. */
  phone: number;
}

/** Where a page of the ledger begins: after the row. */
export type LedgerPlace = Pick<LedgerEntry, "changedAt" | "changeId">;

/**
 * In the order of their times. Rows of one time, such as those of an import, are in the order of their numbers.
 * @param until milliseconds since 1970: only rows before it
 */
export async function readLedger(
  db: D1Database,
  websiteId: string,
  { changedAt, changeId }: LedgerPlace,
  until: number,
  limit: number,
): Promise<LedgerEntry[]> {
  const rows = await runQuery<SubscriptionChangeRow>(
    prepare(
      db,
      // As one condition, it would read all rows of the time from the first on.
      sql`SELECT * FROM subscription_changes
          WHERE website_id = ${websiteId} AND changed_at = ${changedAt} AND change_id > ${changeId} AND ${changedAt} < ${until}
        UNION ALL SELECT * FROM subscription_changes
          WHERE website_id = ${websiteId} AND changed_at > ${changedAt} AND changed_at < ${until}
        ORDER BY changed_at, change_id LIMIT ${limit}`,
    ),
  );
  return rows.map((row) => ({ phone: row.phone, ...toSubscriptionEntry(row) }));
}
