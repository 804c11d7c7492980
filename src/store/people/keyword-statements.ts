// What the keyword of a text does to a number. It runs after the text and its reply are stored, and before the text is marked as applied.
// A STOP counts for the latest text to the person (in report_counts and counts), sets the subscription in each form of the number, writes the
// ledger and the notices to clients: see opt-out.ts. Texts that wait are not touched: each ends when its claim finds the person opted out.
import type { Keyword } from "../../domain/people/keyword.ts";
import type { Sent } from "../../domain/people/last-word.ts";
import { changeNotices } from "../callbacks/notices.ts";
import { IS_ACQUAINTED } from "../clients/senders.ts";
import { countOptedOut } from "../operations/count-ledgers.ts";
import { hasCounted } from "../operations/report-counts.ts";
import { prepare, type Sql, sql } from "../sql.ts";
import { optOutStatements } from "./opt-out.ts";

/** What names a text. */
export interface TextKey {
  websiteId: string;
  carrier: string;
  carrierMessageId: string;
}

/** A text with a keyword, in one website. */
export interface Acted extends TextKey, Pick<Sent, "sentAt"> {
  /** As digits: the number in each of its forms. */
  phones: number[];
  keyword: Keyword | null;
  text: string;
  /** Milliseconds since 1970. */
  now: number;
  /** A reply confirms it. */
  isConfirmed: boolean;
  /** No other website shares the sender, and the number has one form. */
  isOnlyOne: boolean;
  /** The tombstones that the first number may have here. */
  tombstones: string[];
  /** Names the notices of the transaction; null: no event is posted. */
  run: string | null;
}

export function keywordStatements(db: D1Database, acted: Acted): D1PreparedStatement[] {
  if (acted.keyword === "start") return optIn(db, acted);
  return acted.keyword === "stop" ? optOut(db, acted) : [];
}

/** Condition: the text is not applied yet. */
export const isFresh = ({ websiteId, carrier, carrierMessageId }: TextKey): Sql =>
  sql`EXISTS (SELECT 1 FROM inbound_texts WHERE website_id = ${websiteId} AND carrier = ${carrier}
    AND carrier_message_id = ${carrierMessageId} AND applied = 0)`;

function optOut(db: D1Database, acted: Acted): D1PreparedStatement[] {
  const { text: proof, carrier, sentAt } = acted;
  const text = sentAt === null ? null : { carrier, sentAt };
  return [
    ...markLatest(db, acted),
    ...optOutStatements(db, { ...acted, isNew: isFresh(acted), source: "keyword", proof, text }),
  ];
}

/** The report counts an opt-out for the latest message that a carrier accepted for the person. */
function markLatest(db: D1Database, acted: Acted): D1PreparedStatement[] {
  const { websiteId, phones, now } = acted;
  const answered = sql`SELECT m.message_id FROM subscriptions s CROSS JOIN messages m ON m.message_id = (
      SELECT l.message_id FROM messages l WHERE l.website_id = s.website_id AND l.phone = s.phone AND l.is_reply = 0
        AND l.status IN ('SENDING', 'DELIVERED', 'FAILED_TO_DELIVERY') ORDER BY l.accepted_at DESC LIMIT 1)
    WHERE s.website_id = ${websiteId} AND s.phone = ${phones[0] ?? null} AND s.subscribed = 1 AND m.opted_out NOT IN (1, 3)
      AND ${isFresh(acted)}`;
  return [
    prepare(db, sql`UPDATE report_counts SET opted_out = opted_out + 1 WHERE ${hasCounted(answered)}`),
    countOptedOut(db, answered, now),
    prepare(db, sql`UPDATE messages SET opted_out = 3 WHERE message_id IN (${answered})`),
  ];
}

/**
 * START subscribes a number that opted out or was erased, and no other. If several websites share the sender, START skips a website that
 * has the number only from its STOP, or from an import that was undone. START is the person's own consent, so it removes the tombstone.
 */
function optIn(db: D1Database, acted: Acted): D1PreparedStatement[] {
  const { websiteId, text, now, isOnlyOne, run } = acted;
  const [forms, tombstones] = [JSON.stringify(acted.phones), JSON.stringify(acted.tombstones)];
  const added = { websiteId, source: "keyword", proof: text, now } as const;
  return [
    prepare(
      db,
      sql`INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof)
        SELECT i.website_id, f.value, s.subscribed, 1, ${now}, 'keyword', ${text}
        FROM inbound_texts i CROSS JOIN json_each(${forms}) f
          LEFT JOIN subscriptions s ON s.website_id = i.website_id AND s.phone = f.value
        WHERE i.website_id = ${websiteId} AND i.carrier = ${acted.carrier} AND i.carrier_message_id = ${acted.carrierMessageId}
          AND i.applied = 0 AND i.without_effect IS NULL AND s.subscribed IS NOT 1
          AND ((s.subscribed = 0 AND (${isOnlyOne ? 1 : 0} = 1 OR ${IS_ACQUAINTED}))
            OR (f.key = 0 AND EXISTS (SELECT 1 FROM erased_people e
              WHERE e.website_id = i.website_id AND e.mark IN (SELECT value FROM json_each(${tombstones})))))`,
    ),
    ...(run === null ? [] : [changeNotices(db, added, run)]),
    prepare(
      db,
      sql`DELETE FROM erased_people WHERE website_id = ${websiteId} AND mark IN (SELECT value FROM json_each(${tombstones}))
        AND EXISTS (SELECT 1 FROM inbound_texts i WHERE i.website_id = ${websiteId} AND i.carrier = ${acted.carrier}
          AND i.carrier_message_id = ${acted.carrierMessageId} AND i.applied = 0 AND i.without_effect IS NULL)`,
    ),
    prepare(
      db,
      sql`INSERT INTO subscriptions (website_id, phone, subscribed, change_id)
        SELECT l.website_id, l.phone, 1, l.change_id
        FROM subscription_changes l LEFT JOIN subscriptions s ON s.website_id = l.website_id AND s.phone = l.phone
        WHERE l.website_id = ${websiteId} AND l.changed_at = ${now} AND l.source = 'keyword' AND l.proof = ${text}
          AND l.change_id > coalesce(s.change_id, 0)
        ON CONFLICT (website_id, phone) DO UPDATE SET subscribed = 1, change_id = excluded.change_id,
          opted_out_by_person = 0, opt_out_confirmed_at = NULL`,
    ),
  ];
}
