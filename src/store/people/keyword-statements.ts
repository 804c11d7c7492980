import type { Keyword } from "../../domain/people/keyword.ts";
import { changeNotices, HEARS_OF_CHANGES } from "../callbacks/notices.ts";
import { IS_KNOWN, LATEST_TEXT } from "../clients/senders.ts";
import { IS_COUNTED } from "../operations/daily-counts.ts";
import { piece, prepare, Sql, sql } from "../sql.ts";
import type { Tombstone } from "./erasure.ts";
import { isOpenToUndo } from "./imports.ts";
import { CONFIRM_AGAIN_AFTER_MILLISECONDS } from "./keyword-replies.ts";
import { LATEST_CHANGE } from "./subscriptions.ts";

/** Identifies the text in each statement below: carrier (?1), the carrier's id (?2), and its websites as JSON (?3). */
export type TextKey = readonly [carrier: string, carrierMessageId: string, websiteIds: string];

interface Acted {
  /** As digits; ?4. */
  phone: number;
  keyword: Keyword | null;
  text: string;
  receivedAt: number;
  /** No other website shares the sender, and the number has one form. */
  isOnlyOne: boolean;
  tombstones: Tombstone[];
  /** Names the notices of the transaction; null: nobody is told. */
  run: string | null;
}

const THIS_TEXT = "i.website_id = w.value AND i.carrier = ?1 AND i.carrier_message_id = ?2";

/** The websites that have not applied the text yet, as `w.value`. */
const FRESH = `json_each(?3) w CROSS JOIN inbound_texts i ON ${THIS_TEXT} AND i.applied = 0`;

const SUBSCRIPTION = "subscriptions s ON s.website_id = w.value AND s.phone = ?4";

/** Tells of what the keyword changes. @param isChange as the statement before has it */
function tellChange(
  db: D1Database,
  [carrier, carrierMessageId, websiteIds]: TextKey,
  isChange: Sql,
  subscribed: 0 | 1,
  { run, phone, receivedAt }: Acted,
): D1PreparedStatement[] {
  if (run === null) return [];
  const changes = sql`SELECT c.client_id, c.website_id, c.callback_url, ${phone} AS phone, ${subscribed} AS subscribed
    FROM json_each(${websiteIds}) w CROSS JOIN clients c INDEXED BY clients_with_events
      CROSS JOIN inbound_texts i ON i.website_id = w.value AND i.carrier = ${carrier}
        AND i.carrier_message_id = ${carrierMessageId} AND i.applied = 0
      LEFT JOIN subscriptions s ON s.website_id = w.value AND s.phone = ${phone}
    WHERE c.website_id = w.value AND ${HEARS_OF_CHANGES} AND (${isChange})`;
  return [changeNotices(db, changes, { run, source: "keyword", now: receivedAt })];
}

/** Applies a keyword. Runs after the text is stored and its reply, and before it is marked as applied. */
export function keywordStatements(db: D1Database, key: TextKey, acted: Acted): D1PreparedStatement[] {
  switch (acted.keyword) {
    case "stop":
      return [...markLatest(db, key, acted), ...optOut(db, key, acted)];
    case "start":
      return optIn(db, key, acted);
    case "help":
    case null:
      return [];
  }
}

/** The report counts an opt-out for the latest message that a carrier accepted for the person. */
function markLatest(db: D1Database, key: TextKey, { phone }: Acted): D1PreparedStatement[] {
  const answered = `SELECT m.message_id FROM messages m WHERE m.opted_out = 0 AND m.message_id IN (
    SELECT ${LATEST_TEXT("message_id", "w.value", "?4")} FROM ${FRESH} CROSS JOIN ${SUBSCRIPTION} AND s.subscribed = 1)`;
  return [
    prepare(
      db,
      sql`UPDATE daily_counts SET opted_out = opted_out + 1 WHERE (website_id, day, send_purpose, status, reason) IN (
        SELECT m.website_id, m.day, m.send_purpose, m.status, m.reason
        FROM message_counts m WHERE m.message_id IN (${valued(answered, [...key, phone])}) AND ${IS_COUNTED})`,
    ),
    db.prepare(`UPDATE messages SET opted_out = 1 WHERE message_id IN (${answered})`).bind(...key, phone),
  ];
}

function optOut(db: D1Database, key: TextKey, acted: Acted): D1PreparedStatement[] {
  const { phone, text, receivedAt } = acted;
  const isChange = "s.subscribed IS NOT 0 OR s.opted_out_by_person = 0";
  const confirmedAt = `iif(subscriptions.opted_out_by_person = 1
    AND subscriptions.opt_out_confirmed_at > ?5 - ${CONFIRM_AGAIN_AFTER_MILLISECONDS}, subscriptions.opt_out_confirmed_at, ?5)`;
  return [
    db
      .prepare(
        `INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof)
         SELECT w.value, ?4, s.subscribed, 0, ?5, 'keyword', ?6 FROM ${FRESH} LEFT JOIN ${SUBSCRIPTION}
         WHERE ${isChange}`,
      )
      .bind(...key, phone, receivedAt, text),
    ...tellChange(db, key, piece(isChange), 0, acted),
    db
      .prepare(
        `INSERT INTO subscriptions (website_id, phone, subscribed, change_id, opted_out_by_person, opt_out_confirmed_at)
         SELECT w.value, ?4, 0, ${LATEST_CHANGE("w.value", "?4")}, 1, ?5 FROM ${FRESH} WHERE true
         ON CONFLICT (website_id, phone) DO UPDATE SET subscribed = 0, change_id = excluded.change_id,
           opted_out_by_person = 1, opt_out_confirmed_at = ${confirmedAt}`,
      )
      .bind(...key, phone, receivedAt),
  ];
}

/**
 * START subscribes a number that opted out or was erased, and no other. Of several websites that share the sender, it skips
 * one that knows the number only from its STOP, or from an import that was undone. START is the person's own consent, so it
 * removes the tombstone. Of a number that an import has subscribed, a row of the ledger says so: no undo of that import takes
 * it away.
 */
function optIn(db: D1Database, key: TextKey, acted: Acted): D1PreparedStatement[] {
  const { phone, text, receivedAt, isOnlyOne, tombstones } = acted;
  const known = isOnlyOne ? "true" : IS_KNOWN("w.value", "?4");
  const erased = `EXISTS (SELECT 1 FROM json_each(?5) j CROSS JOIN erased_people e
    ON e.website_id = j.value ->> 'websiteId' AND e.mark = j.value ->> 'mark' WHERE j.value ->> 'websiteId' = w.value)`;
  const isReturning = `s.subscribed IS NOT 1 AND ((s.subscribed = 0 AND ${known}) OR ${erased})`;
  const isSaidAgain = `s.subscribed = 1 AND EXISTS (SELECT 1 FROM subscription_changes c
    WHERE c.change_id = ${LATEST_CHANGE("w.value", "?4")} AND ${isOpenToUndo("c")})`;
  const isNoted = `s.subscribed = 1 AND EXISTS (SELECT 1 FROM subscription_changes c
    WHERE c.change_id = ${LATEST_CHANGE("w.value", "?4")} AND c.change_id <> s.change_id AND c.source = 'keyword')`;
  const bound = [...key, phone, JSON.stringify(tombstones)] as const;
  return [
    db
      .prepare(
        `INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof)
         SELECT w.value, ?4, s.subscribed, 1, ?6, 'keyword', ?7 FROM ${FRESH} LEFT JOIN ${SUBSCRIPTION}
         WHERE (${isReturning}) OR (${isSaidAgain})`,
      )
      .bind(...bound, receivedAt, text),
    ...tellChange(db, key, valued(isReturning, bound), 1, acted),
    db
      .prepare(
        `INSERT INTO subscriptions (website_id, phone, subscribed, change_id)
         SELECT w.value, ?4, 1, ${LATEST_CHANGE("w.value", "?4")} FROM ${FRESH} LEFT JOIN ${SUBSCRIPTION}
         WHERE (${isReturning}) OR (${isNoted})
         ON CONFLICT (website_id, phone) DO UPDATE SET subscribed = 1, change_id = excluded.change_id,
           opted_out_by_person = 0, opt_out_confirmed_at = NULL`,
      )
      .bind(...bound),
    db
      .prepare(
        `DELETE FROM erased_people WHERE (website_id, mark) IN (SELECT j.value ->> 'websiteId', j.value ->> 'mark' FROM json_each(?5) j)
           AND EXISTS (SELECT 1 FROM ${FRESH} WHERE w.value = erased_people.website_id)`,
      )
      .bind(...bound),
  ];
}

/** A piece with its values as ?1, ?2, … */
function valued(text: string, values: readonly (string | number)[]): Sql {
  const parts = text.split(/\?(\d+)/);
  const places = parts.filter((_, index) => index % 2 === 1);
  return new Sql(
    parts.filter((_, index) => index % 2 === 0),
    places.map((place) => values[Number(place) - 1] as string | number),
  );
}
