import type { ReceiptCount } from "../../domain/messages/deliveries.ts";
import { prepare, type Query, type Sql, sql } from "../sql.ts";
import { hourBefore } from "./outcome-counts.ts";

const HOUR_MILLISECONDS = 3_600_000;

/**
 * Counts final receipts of texts that were submitted in the last hour, in the minute of the submission; and, as an outcome, that receipts
 * of the carrier came. It is run before the receipts are applied, in the same transaction: run again, it finds them applied, and counts
 * nothing. A later receipt tells of a phone that was off, and nothing of how texts arrive now.
 * @param reports the receipts as JSON, with the reason in `code`
 * @param isChanged condition on the message `m`: the receipt changes it
 */
export function countReceipts(db: D1Database, reports: string, isChanged: Sql, now: number): D1PreparedStatement {
  return prepare(
    db,
    sql`WITH received AS MATERIALIZED (
        SELECT cast(iif(m.status = 'SENDING', m.updated_at, ${now}) AS INTEGER) AS submitted_at, coalesce(m.carrier, '') AS carrier,
          json_array(coalesce(m.carrier, ''), coalesce(m.sender, w.sender, ''), coalesce(j.value ->> 'code', ''),
            coalesce(j.value ->> 'carrierCode', '')) AS detail
        FROM json_each(${reports}) j CROSS JOIN messages m ON m.message_id = j.value ->> 'messageId'
          LEFT JOIN websites w ON w.website_id = m.website_id
        WHERE ${isChanged} AND iif(m.status = 'SENDING', m.updated_at, ${now}) > ${now - HOUR_MILLISECONDS})
      INSERT INTO counts (span, at, kind, subject, detail, count, first_at, last_at)
      SELECT 'minute', submitted_at / 60000, 'receipt', '', detail, count(*), min(submitted_at), max(submitted_at)
        FROM received GROUP BY 2, 5
      UNION ALL SELECT 'minute', CAST(${now} / 60000 AS INTEGER), 'outcome', '', 'receipt ' || carrier || ' came', count(*), ${now}, ${now}
        FROM received GROUP BY carrier
      ON CONFLICT (subject, span, kind, at, detail) DO UPDATE SET count = count + excluded.count,
        first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at)`,
  );
}

interface ReceiptRow {
  minute: number;
  /** The carrier, the sender, the reason and the carrier's code: a JSON array. */
  detail: string;
  count: number;
  firstAt: number;
  lastAt: number;
}

/** The counts of texts that were submitted in the last hour: rows for toReceipts. */
export function selectReceiptCounts(db: D1Database, now: number, most: number): Query<ReceiptRow> {
  return prepare(
    db,
    sql<ReceiptRow>`SELECT at AS minute, detail, count, first_at AS firstAt, last_at AS lastAt FROM counts
      WHERE subject = '' AND span = 'minute' AND kind = 'receipt' AND at > ${hourBefore(now)} ORDER BY at DESC LIMIT ${most}`,
  );
}

export const toReceipts = (rows: unknown[]): ReceiptCount[] =>
  (rows as ReceiptRow[]).map(({ detail, ...count }) => {
    const [carrier = "", sender = "", reason = "", code = ""] = JSON.parse(detail) as string[];
    return { ...count, carrier, sender, reason, code };
  });
