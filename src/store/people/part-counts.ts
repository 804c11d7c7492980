// What a part of an import has changed, or would change: lists of numbers, as JSON.
import type { Changed } from "../../domain/people/import-figures.ts";
import { prepare, type Query, type Sql, sql } from "../sql.ts";
import type { Target } from "./part-decision.ts";

/** Lists of numbers, as JSON. */
export interface CountsRow extends Record<keyof Changed, string> {
  /** The latest row of the ledger; null: none. */
  latest: number | null;
}

/** @param rows of the ledger, or such as would be added to it */
const countChanges = ({ db, websiteId }: Target, rows: Sql): Query<CountsRow> =>
  prepare(
    db,
    sql<CountsRow>`WITH ${rows}
      SELECT max(l.change_id) AS latest,
        json_group_array(l.phone) FILTER (WHERE l.was_subscribed IS NULL AND l.subscribed = 1) AS newSubscribed,
        json_group_array(l.phone) FILTER (WHERE l.was_subscribed IS NULL AND l.subscribed = 0) AS newOptedOut,
        json_group_array(l.phone) FILTER (WHERE l.was_subscribed = 0 AND l.subscribed = 1) AS becameSubscribed,
        json_group_array(l.phone) FILTER (WHERE l.was_subscribed = 1 AND l.subscribed = 0) AS becameOptedOut,
        -- If only the address of somebody who opted out has changed, the number counts as refused, or as unchanged.
        json_group_array(l.phone) FILTER (WHERE l.was_subscribed = l.subscribed AND l.was_email IS NOT NULL AND NOT (
          l.subscribed = 0 AND EXISTS (SELECT 1 FROM subscriptions s
            WHERE s.website_id = ${websiteId} AND s.phone = l.phone AND s.opted_out_by_person = 1))) AS newAddress
      FROM changed l`,
  );

/** By the rows of the ledger since the transaction before. A transaction that took effect and is run again finds them, too. */
export const countLedger = (target: Target, latestId: number): Query<CountsRow> =>
  countChanges(
    target,
    sql`changed AS (SELECT * FROM subscription_changes
      WHERE change_id > ${latestId} AND source = 'import' AND proof = ${target.origin.proof})`,
  );

/** What writing would find. @param decided see decision */
export const countDry = (target: Target, decided: Sql): Query<CountsRow> =>
  countChanges(target, sql`${decided}, changed AS (SELECT NULL AS change_id, a.* FROM added a)`);
