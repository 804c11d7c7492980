// What people wrote to any website of a database.
import { COUNTED_TEXTS } from "../../domain/people/counting-limits.ts";
import { IS_ANSWERABLE } from "../callbacks/notices.ts";
import { runQuery } from "../database.ts";
import { prepare, type Sql, sql } from "../sql.ts";
import { type InboundText, toInboundText } from "./inbound.ts";
import type { InboundTextRow } from "./rows.ts";

export interface TextSearch {
  /** null: any, and texts that have reached none. */
  websiteId: string | null;
  /** Only those that wait for a decision. */
  toDecide: boolean;
}

/** The place of a text in the order of time. */
export interface TextPlace {
  receivedAt: number;
  websiteId: string;
  carrier: string;
  carrierMessageId: string;
}

export interface ListedText extends InboundText {
  /** null: the text has reached no website. */
  websiteName: string | null;
  /** The latest message to this person that a carrier had taken before, and that is no reply to a keyword; null: none any more. */
  inReplyTo: { messageId: string; sendPurpose: string } | null;
  place: TextPlace;
}

/** Newest first; those of one millisecond by their keys. @param before only what comes after this place; null: from the newest */
export async function listTexts(
  db: D1Database,
  search: TextSearch,
  before: TextPlace | null,
  limit: number,
): Promise<ListedText[]> {
  const rows = await runQuery<TextRow>(
    prepare(
      db,
      sql`SELECT t.*, w.name AS website_name, m.message_id AS answered_id, m.send_purpose AS answered_purpose
        FROM (${selectTexts(search, before, limit)}) t LEFT JOIN websites w ON w.website_id = t.website_id
        LEFT JOIN messages m ON m.rowid = (SELECT o.rowid FROM messages o
          WHERE o.website_id = t.website_id AND o.phone = CAST(substr(t.sender, 2) AS INTEGER)
            AND o.accepted_at <= t.received_at AND ${IS_ANSWERABLE}
          ORDER BY o.accepted_at DESC LIMIT 1)
        ORDER BY t.received_at DESC, t.website_id DESC, t.carrier DESC, t.carrier_message_id DESC`,
    ),
  );
  return rows.map(toListedText);
}

/** How many texts wait for a decision, COUNTED_TEXTS at most. @param websiteId null: of all */
export async function countToDecide(db: D1Database, websiteId: string | null): Promise<number> {
  const [row] = await runQuery<{ count: number }>(
    prepare(
      db,
      sql`SELECT count(*) AS count
        FROM (SELECT 1 FROM inbound_texts i WHERE ${isToDecide(websiteId)} LIMIT ${COUNTED_TEXTS})`,
    ),
  );
  return row?.count ?? 0;
}

/**
 * Condition on a text `i`: an operator can decide it, and nobody has. A person who has opted out needs no decision. A text that has
 * reached no website opts out of none.
 */
const isToDecide = (websiteId: string | null): Sql => sql`i.maybe_opt_out = 1 AND i.website_id <> ''
  AND (${websiteId} IS NULL OR i.website_id = ${websiteId})
  AND NOT EXISTS (SELECT 1 FROM subscriptions s
    WHERE s.website_id = i.website_id AND s.phone = CAST(substr(i.sender, 2) AS INTEGER) AND s.subscribed = 0)`;

/** By one index. */
function selectTexts(search: TextSearch, before: TextPlace | null, limit: number): Sql {
  const { receivedAt = Number.MAX_SAFE_INTEGER, websiteId = "", carrier = "", carrierMessageId = "" } = before ?? {};
  const isOlder = sql`i.received_at <= ${receivedAt} AND (i.received_at, i.website_id, i.carrier, i.carrier_message_id)
    < (${receivedAt}, ${websiteId}, ${carrier}, ${carrierMessageId})`;
  const which = search.toDecide
    ? isToDecide(search.websiteId)
    : search.websiteId === null
      ? sql`true`
      : sql`i.website_id = ${search.websiteId}`;
  return sql`SELECT * FROM inbound_texts i WHERE ${which} AND ${isOlder}
    ORDER BY i.received_at DESC, i.website_id DESC, i.carrier DESC, i.carrier_message_id DESC LIMIT ${limit}`;
}

type TextRow = InboundTextRow & {
  website_name: string | null;
  answered_id: string | null;
  answered_purpose: string | null;
};

function toListedText(row: TextRow): ListedText {
  const { received_at: receivedAt, website_id: websiteId, carrier, carrier_message_id: carrierMessageId } = row;
  return {
    ...toInboundText(row),
    websiteName: row.website_name,
    inReplyTo:
      row.answered_id === null ? null : { messageId: row.answered_id, sendPurpose: row.answered_purpose ?? "" },
    place: { receivedAt, websiteId, carrier, carrierMessageId },
  };
}
