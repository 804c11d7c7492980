// What a part of an import has changed, or would change: lists of numbers, as JSON.
import { prepare, sql } from "../sql.ts";
import { type ImportRun, IS_MOVE, isAllowed, type PartSql, type Target } from "./part-conditions.ts";

/** Whether only the address of somebody who opted out has changed: such a number counts as refused, or as unchanged. */
const isOptedOut = sql`(l.was_subscribed = 0 AND l.subscribed = 0 AND EXISTS (SELECT 1 FROM subscriptions s
  WHERE s.website_id = l.website_id AND s.phone = l.phone AND s.opted_out_by_person = 1))`;

/** By the rows of the ledger since the transaction before. A transaction that took effect and is run again finds them, too. */
export function countLedger({ db, origin }: Target, { latestId }: ImportRun): D1PreparedStatement {
  return prepare(
    db,
    sql`SELECT max(l.change_id) AS latest,
        json_group_array(l.phone) FILTER (WHERE l.was_subscribed IS NULL AND l.subscribed = 1) AS newSubscribed,
        json_group_array(l.phone) FILTER (WHERE l.was_subscribed IS NULL AND l.subscribed = 0) AS newOptedOut,
        json_group_array(l.phone) FILTER (WHERE l.was_subscribed = 0 AND l.subscribed = 1) AS becameSubscribed,
        json_group_array(l.phone) FILTER (WHERE l.was_subscribed = 1 AND l.subscribed = 0) AS becameOptedOut,
        json_group_array(l.phone) FILTER (WHERE l.was_subscribed = l.subscribed AND l.was_email IS NOT NULL AND NOT ${isOptedOut}) AS newAddress
      FROM subscription_changes l WHERE l.change_id > ${latestId} AND l.source = 'import' AND l.proof = ${origin.proof}`,
  );
}

/** What writing would find. */
export function countDry(target: Target, part: PartSql): D1PreparedStatement {
  const { given, subscription, guard } = part;
  return prepare(
    target.db,
    sql`${guard} SELECT NULL AS latest,
        json_group_array(g.phone) FILTER (WHERE s.phone IS NULL AND g.subscribed = 1) AS newSubscribed,
        json_group_array(g.phone) FILTER (WHERE s.phone IS NULL AND g.subscribed = 0) AS newOptedOut,
        json_group_array(g.phone) FILTER (WHERE s.opted_out_by_person = 0 AND s.subscribed = 0 AND g.subscribed = 1) AS becameSubscribed,
        json_group_array(g.phone) FILTER (WHERE s.subscribed = 1 AND g.subscribed = 0) AS becameOptedOut,
        json_group_array(g.phone) FILTER (WHERE s.opted_out_by_person = 0 AND s.subscribed = g.subscribed AND ${IS_MOVE}) AS newAddress
      FROM ${given} CROSS JOIN guard LEFT JOIN ${subscription} WHERE ${isAllowed(target, part)}`,
  );
}
