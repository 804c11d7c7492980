import { prepare, type Sql, sql } from "../sql.ts";
import { hourBefore } from "./outcome-counts.ts";

const HOUR_MILLISECONDS = 3_600_000;

/**
 * Counts final receipts of texts that were submitted in the last hour. It is run before the receipts are applied, in the same
 * transaction: run again, it finds them applied, and counts nothing. A later receipt tells of a phone that was off, and nothing of
 * how texts arrive now.
 * @param reports the receipts as JSON, with the reason in `code`
 * @param isChanged condition on the message `m`: the receipt changes it
 */
export function countReceipts(db: D1Database, reports: string, isChanged: Sql, now: number): D1PreparedStatement {
  return prepare(
    db,
    sql`INSERT INTO receipt_counts (minute, carrier, sender, reason, code, count, first_at, last_at, received_at)
      SELECT submitted_at / 60000, carrier, sender, reason, code, count(*), min(submitted_at), max(submitted_at), ${now} FROM (
        SELECT cast(iif(m.status = 'SENDING', m.updated_at, ${now}) AS INTEGER) AS submitted_at, coalesce(m.carrier, '') AS carrier,
          coalesce(w.sender, '') AS sender, coalesce(j.value ->> 'code', '') AS reason,
          coalesce(j.value ->> 'carrierCode', '') AS code
        FROM json_each(${reports}) j CROSS JOIN messages m ON m.message_id = j.value ->> 'messageId'
          LEFT JOIN websites w ON w.website_id = m.website_id
        WHERE ${isChanged})
      WHERE submitted_at > ${now - HOUR_MILLISECONDS} GROUP BY 1, 2, 3, 4, 5
      ON CONFLICT (minute, carrier, sender, reason, code) DO UPDATE SET count = count + excluded.count,
        first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at),
        received_at = max(received_at, excluded.received_at)`,
  );
}

/** The counts of texts that were submitted in the last hour: rows of ReceiptCount. */
export function selectReceiptCounts(db: D1Database, now: number, most: number): D1PreparedStatement {
  return prepare(
    db,
    sql`SELECT minute, carrier, sender, reason, code, count, first_at AS firstAt, last_at AS lastAt, received_at AS receivedAt
      FROM receipt_counts WHERE minute > ${hourBefore(now)} ORDER BY minute DESC LIMIT ${most}`,
  );
}
