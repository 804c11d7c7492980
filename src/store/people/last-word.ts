// Who has the last word on a number: see src/domain/people/last-word.ts. The row of the number has when it was last opted out.
import type { Sent } from "../../domain/people/last-word.ts";
import { changeNotices, HEARS_OF_CHANGES } from "../callbacks/notices.ts";
import type { ChangeSource } from "../rows.ts";
import { piece, prepare, type Sql, sql } from "../sql.ts";
import type { Tombstone } from "./erasure.ts";
import { CONFIRM_AGAIN_AFTER_MILLISECONDS } from "./keyword-replies.ts";
import { otherFormIn } from "./number-forms.ts";

/** An opt-out by the person, which only a START undoes: by a text, a decision on a text, or at the carrier. */
export interface OptOut {
  /** A query of the numbers: `website_id`, `phone`. */
  whom: Sql;
  source: ChangeSource;
  proof: string;
  /** When it is stored: milliseconds since 1970. */
  now: number;
  /** A text that has its carrier's time; null: any other opt-out. */
  text: { carrier: string; sentAt: number } | null;
  /** Whether a confirmation of it is sent. */
  isConfirmed: boolean;
  /** Names the notices of the transaction; null: no event is posted. */
  run: string | null;
}

const IS_CHANGE = piece("(s.subscribed IS NOT 0 OR s.opted_out_by_person = 0)");

/** The numbers, and their other forms that are stored: the person is one. */
const inEachForm = (whom: Sql): Sql =>
  sql`SELECT w.website_id, f.value AS phone FROM (${whom}) w
    CROSS JOIN json_each(json_array(w.phone, ${otherFormIn(piece("w.phone"))})) f
    WHERE f.key = 0 OR EXISTS (SELECT 1 FROM subscriptions o WHERE o.website_id = w.website_id AND o.phone = f.value)`;

/** It counts, whatever was said of the numbers before. Repeating it is harmless. */
export function optOutStatements(db: D1Database, optOut: OptOut) {
  const { source, proof, now, run } = optOut;
  const whom = inEachForm(optOut.whom);
  const numbers = sql`(${whom}) n LEFT JOIN subscriptions s ON s.website_id = n.website_id AND s.phone = n.phone`;
  return [
    prepare(
      db,
      sql`INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof)
        SELECT n.website_id, n.phone, s.subscribed, 0, ${now}, ${source}, ${proof} FROM ${numbers} WHERE ${IS_CHANGE}`,
    ),
    ...tellChange(db, { numbers, isChange: IS_CHANGE, subscribed: 0 }, { source, now, run }),
    setOptedOut(db, { ...optOut, whom }),
  ];
}

/** @param change the numbers `n` with their subscriptions `s`. It runs after the ledger has their rows */
export function tellChange(
  db: D1Database,
  { numbers, isChange, subscribed }: { numbers: Sql; isChange: Sql; subscribed: 0 | 1 },
  { source, now, run }: Pick<OptOut, "source" | "now" | "run">,
): D1PreparedStatement[] {
  if (run === null) return [];
  const changes = sql`SELECT c.client_id, c.website_id, c.callback_url, n.phone, ${subscribed} AS subscribed
    FROM ${numbers} CROSS JOIN clients c INDEXED BY clients_with_events
    WHERE c.website_id = n.website_id AND ${HEARS_OF_CHANGES} AND ${isChange}`;
  return [changeNotices(db, changes, { run, source, now })];
}

/** The times of texts are compared within a carrier: where it is another, those before count by when they were stored. */
function setOptedOut(db: D1Database, { whom, now, text, isConfirmed }: OptOut): D1PreparedStatement {
  const { carrier, sentAt } = text ?? { carrier: null, sentAt: 0 };
  const storedAt = text ? 0 : now;
  const confirmedAt = isConfirmed ? now : null;
  return prepare(
    db,
    sql`INSERT INTO subscriptions AS s (website_id, phone, subscribed, change_id, opted_out_by_person, opt_out_confirmed_at,
        opted_out_at, stop_carrier, stop_sent_at, stop_stored_at)
      SELECT n.website_id, n.phone, 0, (SELECT max(c.change_id) FROM subscription_changes c
        WHERE c.website_id = n.website_id AND c.phone = n.phone), 1, ${confirmedAt}, ${storedAt}, ${carrier}, ${sentAt}, ${now - storedAt}
      FROM (${whom}) n WHERE true
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

/** An opt-out that changes nothing, by a client or a file: no START from before it counts. @param phones a query of numbers */
export function confirmOptOuts(db: D1Database, websiteId: string, phones: Sql, now: number): D1PreparedStatement {
  return prepare(
    db,
    sql`UPDATE subscriptions SET opted_out_at = ${now} WHERE website_id = ${websiteId} AND phone IN (${phones})
      AND subscribed = 0 AND opted_out_at < ${now}`,
  );
}

/** A START, for a number in each of its forms. */
export interface Start extends Sent {
  carrier: string;
  /** JSON array of digits. */
  forms: string;
  tombstones: Tombstone[];
}

/** The tombstones `e` of the number in a website. */
export const erasedIn = (tombstones: Tombstone[], websiteId: Sql): Sql =>
  sql`json_each(${JSON.stringify(tombstones)}) j CROSS JOIN erased_people e
    ON e.website_id = j.value ->> 'websiteId' AND e.mark = j.value ->> 'mark' AND j.value ->> 'websiteId' = ${websiteId}`;

/** Condition on a START: an opt-out of the number, or its erasure, is later. */
export const isLater = ({ carrier, sentAt, rankAt, forms, tombstones }: Start, websiteId: Sql): Sql =>
  sql`(EXISTS (SELECT 1 FROM json_each(${forms}) f CROSS JOIN subscriptions o ON o.website_id = ${websiteId} AND o.phone = f.value
      WHERE o.opted_out_at > ${rankAt} OR iif(o.stop_carrier = ${carrier} AND ${sentAt} IS NOT NULL, o.stop_sent_at > ${sentAt},
        o.stop_stored_at > ${rankAt}))
    OR EXISTS (SELECT 1 FROM ${erasedIn(tombstones, websiteId)} WHERE e.erased_at > ${rankAt}))`;
