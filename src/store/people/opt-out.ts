// The opt-out of a person, by a text, by a decision on a text, or at the carrier. The row of the number keeps what a later START is compared
// with: see src/domain/people/last-word.ts.
import { otherFormOf } from "../../domain/people/two-form-numbers.ts";
import { type AddedChanges, changeNotices } from "../callbacks/notices.ts";
import { prepare, type Sql, sql } from "../sql.ts";
import { CONFIRM_AGAIN_AFTER_MILLISECONDS } from "./keyword-replies.ts";

/** An opt-out by the person, which only a START undoes: by a text, a decision on a text, or at the carrier. */
export interface OptOut extends AddedChanges {
  websiteId: string;
  /** As digits. */
  phones: number[];
  /** Condition: it was not stored before. */
  isNew: Sql;
  /** A text that has its carrier's time; null: any other opt-out. */
  text: { carrier: string; sentAt: number } | null;
  /** Whether a confirmation of it is sent. */
  isConfirmed: boolean;
  /** Names the notices of the transaction; null: no event is posted. */
  run: string | null;
}

/** The numbers, and their other forms, which count if they are stored: the person is one. As JSON: `[number, whether it was given]`. */
function inEachForm(phones: number[]): string {
  const others = phones.flatMap((phone) => otherFormOf(phone) ?? []).filter((phone) => !phones.includes(phone));
  return JSON.stringify([...phones.map((phone) => [phone, 1]), ...others.map((phone) => [phone, 0])]);
}

/** It counts, whatever was said of the numbers before. Repeating it is harmless. */
export function optOutStatements(db: D1Database, optOut: OptOut) {
  const { websiteId, isNew, source, proof, now, run } = optOut;
  const forms = inEachForm(optOut.phones);
  return [
    prepare(
      db,
      sql`INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof)
        SELECT ${websiteId}, f.value ->> 0, s.subscribed, 0, ${now}, ${source}, ${proof}
        FROM json_each(${forms}) f LEFT JOIN subscriptions s ON s.website_id = ${websiteId} AND s.phone = f.value ->> 0
        WHERE (f.value ->> 1 OR s.phone IS NOT NULL) AND (s.subscribed IS NOT 0 OR s.opted_out_by_person = 0) AND ${isNew}`,
    ),
    ...(run === null ? [] : [changeNotices(db, optOut, run)]),
    setOptedOut(db, forms, optOut),
  ];
}

/** The times of texts are compared within a carrier: where it is another, those before count by when they were stored. */
function setOptedOut(
  db: D1Database,
  forms: string,
  { websiteId, isNew, now, text, isConfirmed }: OptOut,
): D1PreparedStatement {
  const { carrier, sentAt } = text ?? { carrier: null, sentAt: 0 };
  const storedAt = text ? 0 : now;
  const confirmedAt = isConfirmed ? now : null;
  return prepare(
    db,
    sql`INSERT INTO subscriptions AS s (website_id, phone, subscribed, change_id, opted_out_by_person, opt_out_confirmed_at,
        opted_out_at, stop_carrier, stop_sent_at, stop_stored_at)
      SELECT ${websiteId}, f.value ->> 0, 0, (SELECT max(c.change_id) FROM subscription_changes c
        WHERE c.website_id = ${websiteId} AND c.phone = f.value ->> 0), 1, ${confirmedAt}, ${storedAt}, ${carrier}, ${sentAt}, ${now - storedAt}
      FROM json_each(${forms}) f
      WHERE (f.value ->> 1 OR EXISTS (SELECT 1 FROM subscriptions o WHERE o.website_id = ${websiteId} AND o.phone = f.value ->> 0))
        AND ${isNew}
      ON CONFLICT (website_id, phone) DO UPDATE SET subscribed = 0, change_id = excluded.change_id, opted_out_by_person = 1,
        opt_out_confirmed_at = iif(excluded.opt_out_confirmed_at IS NULL OR (s.opted_out_by_person = 1
          AND s.opt_out_confirmed_at > ${now - CONFIRM_AGAIN_AFTER_MILLISECONDS}), s.opt_out_confirmed_at, excluded.opt_out_confirmed_at),
        opted_out_at = max(s.opted_out_at, excluded.opted_out_at,
          iif(excluded.stop_carrier <> s.stop_carrier, s.stop_stored_at, 0)),
        stop_sent_at = max(excluded.stop_sent_at, iif(excluded.stop_carrier <> s.stop_carrier, 0, s.stop_sent_at)),
        stop_stored_at = max(s.stop_stored_at, excluded.stop_stored_at),
        stop_carrier = coalesce(excluded.stop_carrier, s.stop_carrier)`,
  );
}
