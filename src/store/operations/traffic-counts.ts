// The table traffic_counts: how many texts were accepted in each minute and on each day, and what has become of them; and how many
// numbers were subscribed and unsubscribed on each day. A change of a message or of a subscription changes it in the same transaction, by
// a statement that runs before the change, with the condition of the change: run again, it finds the change made, and counts nothing.
// Messages that are erased or purged stay counted, as in a report.
import { dayNumber } from "../../domain/day.ts";
import { piece, prepare, type Sql, sql } from "../sql.ts";
import { minuteOf } from "./outcome-counts.ts";

/** How long minutes are kept: five minutes longer than they are shown, so that a late change still finds its row. */
export const KEPT_MINUTES = 65;

/** How long days are kept: a day longer than they are shown. */
export const KEPT_DAYS = 31;

/**
 * Counts changes of status: for its website and for all websites (`''`), the minute and the day of acceptance.
 * @param changes query of `website_id, accepted_at, carrier, was, status` of messages; `carrier` is '' for one that has had none. `was`
 * is NULL for one that is stored now, `status` for one that is deleted
 */
export function countTraffic(db: D1Database, changes: Sql, now: number): D1PreparedStatement {
  return countWith(db, changes, now, piece(""));
}

/** The same for messages that are stored or deleted. */
export function countAccepted(db: D1Database, changes: Sql, now: number): D1PreparedStatement {
  return countWith(db, changes, now, piece("accepted = accepted + excluded.accepted,"));
}

/** @param accepted left out where it does not change: an index has it, and setting it to what it is would write there */
function countWith(db: D1Database, changes: Sql, now: number, accepted: Sql): D1PreparedStatement {
  return prepare(
    db,
    sql`WITH changes AS (${changes}), sums AS MATERIALIZED (
        SELECT website_id, CAST(accepted_at / 60000 AS INTEGER) AS minute, carrier, sum((was IS NULL) - (status IS NULL)) AS accepted,
          sum((status IN ('NOT_FOUND', 'NOT_SUBSCRIBED', 'FAILED_TO_MATCH')) IS TRUE) -
            sum((was IN ('NOT_FOUND', 'NOT_SUBSCRIBED', 'FAILED_TO_MATCH')) IS TRUE) AS not_sent,
          sum((status IS 'FAILED_TO_SEND') - (was IS 'FAILED_TO_SEND')) AS failed,
          sum((status IS 'SENDING') - (was IS 'SENDING')) AS sending,
          sum((status IS 'DELIVERED') - (was IS 'DELIVERED')) AS delivered,
          sum((status IS 'FAILED_TO_DELIVERY') - (was IS 'FAILED_TO_DELIVERY')) AS undelivered
        FROM changes GROUP BY 1, 2, 3
      ), scopes AS (SELECT a.value AS of_all, s.value AS span FROM json_each('[0, 1]') a CROSS JOIN json_each('["minute", "day"]') s)
      INSERT INTO traffic_counts (website_id, span, at, carrier, accepted, not_sent, failed, sending, delivered, undelivered)
      SELECT iif(of_all, '', website_id), span, iif(span = 'day', minute / 1440, minute), iif(span = 'day', '', carrier),
        sum(accepted), sum(not_sent), sum(failed), sum(sending), sum(delivered), sum(undelivered)
      FROM sums CROSS JOIN scopes
      WHERE iif(span = 'day', minute / 1440 > ${dayNumber(now) - KEPT_DAYS}, minute > ${minuteOf(now) - KEPT_MINUTES})
      GROUP BY 1, 2, 3, 4
      ON CONFLICT (website_id, span, at, carrier) DO UPDATE SET ${accepted} not_sent = not_sent + excluded.not_sent, failed = failed + excluded.failed, sending = sending + excluded.sending,
        delivered = delivered + excluded.delivered, undelivered = undelivered + excluded.undelivered`,
  );
}

/**
 * Counts, on the days of acceptance, messages that a person has clicked for the first time, or answered by opting out.
 * @param which query of message ids, which gives none when it is run again
 */
export function countResponses(
  db: D1Database,
  response: "clicked" | "opted-out",
  which: Sql,
  now: number,
): D1PreparedStatement {
  return prepare(
    db,
    sql`INSERT INTO traffic_counts (website_id, span, at, carrier, accepted, not_sent, failed, sending, delivered, undelivered,
        clicked, opted_out)
      SELECT iif(a.value, '', m.website_id), 'day', CAST(m.accepted_at / 86400000 AS INTEGER), '', 0, 0, 0, 0, 0, 0,
        (${response} = 'clicked') * count(*), (${response} = 'opted-out') * count(*)
      FROM (${which}) w CROSS JOIN messages m ON m.message_id = w.message_id CROSS JOIN json_each('[0, 1]') a
      WHERE m.accepted_at >= ${(dayNumber(now) - KEPT_DAYS + 1) * 86_400_000} GROUP BY 1, 3
      ON CONFLICT (website_id, span, at, carrier) DO UPDATE SET clicked = clicked + excluded.clicked,
        opted_out = opted_out + excluded.opted_out`,
  );
}

/**
 * Counts, on the day of the change, the numbers that are subscribed or unsubscribed now: two rows, however many they are. Without a
 * change, it writes nothing.
 * @param changes query of `website_id, was, subscribed` of numbers. A number that was unknown, and is opted out, is no change
 * @param now when they change: milliseconds since 1970
 */
export function countGrowth(db: D1Database, changes: Sql, now: number): D1PreparedStatement {
  return prepare(
    db,
    sql`WITH sums AS MATERIALIZED (SELECT website_id, count(*) FILTER (WHERE subscribed = 1 AND was IS NOT 1) AS joined,
        count(*) FILTER (WHERE subscribed = 0 AND was = 1) AS parted FROM (${changes}) GROUP BY 1)
      INSERT INTO traffic_counts (website_id, span, at, carrier, accepted, not_sent, failed, sending, delivered, undelivered,
        joined, parted)
      SELECT iif(a.value, '', sums.website_id), 'day', ${dayNumber(now)}, '', 0, 0, 0, 0, 0, 0, sum(sums.joined), sum(sums.parted)
      FROM sums CROSS JOIN json_each('[0, 1]') a WHERE sums.joined + sums.parted > 0 GROUP BY 1
      ON CONFLICT (website_id, span, at, carrier) DO UPDATE SET joined = joined + excluded.joined, parted = parted + excluded.parted`,
  );
}
