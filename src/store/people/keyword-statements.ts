// What the keyword of a text does to a number. It runs after the text is stored and its reply, and before the text is marked as applied.
import type { Keyword } from "../../domain/people/keyword.ts";
import { IS_ACQUAINTED } from "../clients/senders.ts";
import { countOptedOut } from "../operations/count-ledgers.ts";
import { IS_COUNTED } from "../operations/daily-counts.ts";
import { piece, prepare, type Sql, sql } from "../sql.ts";
import { erasedIn, isLater, optOutStatements, type Start, tellChange } from "./last-word.ts";

/** A text with a keyword, for one of the numbers that its sender may be. */
export interface Acted extends Start {
  carrierMessageId: string;
  /** JSON */
  websiteIds: string;
  /** As digits. */
  phone: number;
  keyword: Keyword | null;
  text: string;
  /** Milliseconds since 1970. */
  now: number;
  /** A reply confirms it. */
  isConfirmed: boolean;
  /** No other website shares the sender, and the number has one form. */
  isOnlyOne: boolean;
  /** Names the notices of the transaction; null: no event is posted. */
  run: string | null;
}

export function keywordStatements(db: D1Database, acted: Acted): D1PreparedStatement[] {
  const { text: proof, carrier, sentAt } = acted;
  switch (acted.keyword) {
    case "stop": {
      const text = sentAt === null ? null : { carrier, sentAt };
      return [
        ...markLatest(db, acted),
        ...optOutStatements(db, { ...acted, whom: fresh(acted), source: "keyword", proof, text }),
      ];
    }
    case "start":
      return optIn(db, acted);
    case "help":
    case null:
      return [];
  }
}

/** The number in the websites that have not applied the text yet. D1 binds a number as a REAL. */
const fresh = ({ websiteIds, carrier, carrierMessageId, phone }: Acted): Sql =>
  sql`SELECT i.website_id, CAST(${phone} AS INTEGER) AS phone FROM json_each(${websiteIds}) w CROSS JOIN inbound_texts i
    ON i.website_id = w.value AND i.carrier = ${carrier} AND i.carrier_message_id = ${carrierMessageId} AND i.applied = 0`;

/** The report counts an opt-out for the latest message that a carrier accepted for the person. */
function markLatest(db: D1Database, acted: Acted): D1PreparedStatement[] {
  const answered = sql`SELECT m.message_id FROM messages m WHERE m.opted_out NOT IN (1, 3) AND m.message_id IN (
    SELECT (SELECT l.message_id FROM messages l WHERE l.website_id = n.website_id AND l.phone = n.phone AND l.is_reply = 0
      AND l.status IN ('SENDING', 'DELIVERED', 'FAILED_TO_DELIVERY') ORDER BY l.accepted_at DESC LIMIT 1)
    FROM (${fresh(acted)}) n
      CROSS JOIN subscriptions s ON s.website_id = n.website_id AND s.phone = n.phone AND s.subscribed = 1)`;
  return [
    prepare(
      db,
      sql`UPDATE daily_counts SET opted_out = opted_out + 1 WHERE (website_id, day, send_purpose, status, reason) IN (
        SELECT m.website_id, m.day, m.send_purpose, m.status, m.reason
        FROM message_counts m WHERE m.message_id IN (${answered}) AND ${IS_COUNTED})`,
    ),
    countOptedOut(db, answered, acted.now),
    prepare(db, sql`UPDATE messages SET opted_out = 3 WHERE message_id IN (${answered})`),
  ];
}

/**
 * START subscribes a number that opted out or was erased, and no other. If several websites share the sender, START skips a website that
 * has the number only from its STOP, or from an import that was undone. START is the person's own consent, so it removes the tombstone.
 */
function optIn(db: D1Database, acted: Acted): D1PreparedStatement[] {
  const { text, now, isOnlyOne, run, tombstones } = acted;
  const numbers = sql`(${fresh(acted)}) n LEFT JOIN subscriptions s ON s.website_id = n.website_id AND s.phone = n.phone`;
  const isKnown = isOnlyOne ? piece("true") : IS_ACQUAINTED;
  const isErased = sql`EXISTS (SELECT 1 FROM ${erasedIn(tombstones, piece("n.website_id"))})`;
  const counts = sql`NOT ${isLater(acted, piece("n.website_id"))}`;
  const isChange = sql`s.subscribed IS NOT 1 AND ((s.subscribed = 0 AND ${isKnown}) OR ${isErased}) AND ${counts}`;
  return [
    prepare(
      db,
      sql`INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof)
        SELECT n.website_id, n.phone, s.subscribed, 1, ${now}, 'keyword', ${text} FROM ${numbers} WHERE ${isChange}`,
    ),
    ...tellChange(db, { numbers, isChange, subscribed: 1 }, { source: "keyword", now, run }),
    prepare(
      db,
      sql`INSERT INTO subscriptions (website_id, phone, subscribed, change_id)
        SELECT n.website_id, n.phone, 1, (SELECT max(l.change_id) FROM subscription_changes l
          WHERE l.website_id = n.website_id AND l.phone = n.phone) FROM ${numbers} WHERE ${isChange}
        ON CONFLICT (website_id, phone) DO UPDATE SET subscribed = 1, change_id = excluded.change_id,
          opted_out_by_person = 0, opt_out_confirmed_at = NULL`,
    ),
    prepare(
      db,
      sql`DELETE FROM erased_people WHERE (website_id, mark) IN (
          SELECT j.value ->> 'websiteId', j.value ->> 'mark' FROM json_each(${JSON.stringify(tombstones)}) j)
        AND EXISTS (SELECT 1 FROM (${fresh(acted)}) n WHERE n.website_id = erased_people.website_id AND ${counts})`,
    ),
  ];
}
