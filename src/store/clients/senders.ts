import type { Website } from "../../domain/clients/website.ts";
import { runQuery } from "../database.ts";
import type { SubscriptionRow, WebsiteRow } from "../rows.ts";
import { piece, prepare, sql } from "../sql.ts";
import { toWebsite } from "./websites.ts";

/** A website whose sender, or former sender, was texted. */
export interface Owner {
  website: Website;
  isFormer: boolean;
}

/** The websites that send through the carrier from one of these senders, be it their fallback; then the websites that did so before. */
export async function findOwners(db: D1Database, carrier: string, senders: string[]): Promise<Owner[]> {
  const list = JSON.stringify(senders);
  const rows = await runQuery<WebsiteRow & { is_former: number }>(
    prepare(
      db,
      sql`SELECT w.*, 0 AS is_former FROM websites w
        WHERE w.carrier = ${carrier} AND w.sender IN (SELECT value FROM json_each(${list}))
        UNION
        SELECT w.*, (w.settings ->> '$.fallback.carrier' = ${carrier} AND w.settings ->> '$.fallback.sender' IN (SELECT value FROM json_each(${list})))
            IS NOT TRUE
        FROM json_each(${list}) j CROSS JOIN former_senders f ON f.carrier = ${carrier} AND f.sender = j.value
          CROSS JOIN websites w ON w.website_id = f.website_id
        WHERE (w.carrier = ${carrier} AND w.sender IN (SELECT value FROM json_each(${list}))) IS NOT TRUE
        ORDER BY is_former, website_id`,
    ),
  );
  return rows.map((row) => ({ website: toWebsite(row), isFormer: row.is_former === 1 }));
}

/** Every sender that a website has, or has had, at the carrier, whichever database it is in. */
export async function listSenders(directory: D1Database, carrier: string): Promise<string[]> {
  const rows = await runQuery<{ sender: string }>(
    prepare(
      directory,
      sql`SELECT sender FROM websites WHERE carrier = ${carrier} AND sender IS NOT NULL
        UNION SELECT sender FROM former_senders WHERE carrier = ${carrier}
        UNION SELECT sender FROM sender_homes WHERE carrier = ${carrier}`,
    ),
  );
  return rows.map(({ sender }) => sender);
}

/**
 * Condition: the website of the subscription `s` knew the number before its STOP. The rows of a STOP and of an import that was undone
 * do not count.
 */
export const IS_ACQUAINTED = piece(`EXISTS (SELECT 1 FROM subscription_changes c
  WHERE c.website_id = s.website_id AND c.phone = s.phone AND NOT (c.source = 'keyword' AND c.subscribed = 0) AND c.source <> 'undo'
    AND NOT EXISTS (SELECT 1 FROM subscription_changes u
      WHERE u.website_id = c.website_id AND u.phone = c.phone AND u.source = 'undo' AND u.proof = c.proof))`);

/** A website and a number that it has stored. */
export interface Acquaintance {
  websiteId: string;
  /** As digits. */
  phone: number;
  /** null: texted only. */
  isSubscribed: boolean | null;
  /** Acceptance time of the latest text to it that a carrier took: milliseconds since 1970; null if none is stored. */
  textedAt: number | null;
  /** The website has texted the number, or has a subscription of it that is more than a STOP. */
  isKnown: boolean;
}

interface AcquaintanceRow {
  website_id: string;
  phone: number;
  subscribed: SubscriptionRow["subscribed"] | null;
  texted_at: number | null;
  is_known: 0 | 1;
}

/** All pairs of website and number with a subscription or a text. Costs two index look-ups per pair, and a few more per pair that is found. */
export async function findAcquaintances(
  db: D1Database,
  websiteIds: string[],
  phones: number[],
): Promise<Acquaintance[]> {
  const rows = await runQuery<AcquaintanceRow>(
    prepare(
      db,
      sql`SELECT w.value AS website_id, p.value AS phone, s.subscribed,
          (SELECT l.accepted_at FROM messages l WHERE l.website_id = w.value AND l.phone = p.value AND l.is_reply = 0
            AND l.status IN ('SENDING', 'DELIVERED', 'FAILED_TO_DELIVERY') ORDER BY l.accepted_at DESC LIMIT 1) AS texted_at,
          s.subscribed IS NOT NULL AND ${IS_ACQUAINTED} AS is_known
        FROM json_each(${JSON.stringify(websiteIds)}) w CROSS JOIN json_each(${JSON.stringify(phones)}) p
          LEFT JOIN subscriptions s ON s.website_id = w.value AND s.phone = p.value
        WHERE s.subscribed IS NOT NULL OR texted_at IS NOT NULL`,
    ),
  );
  return rows.map((row) => ({
    websiteId: row.website_id,
    phone: row.phone,
    isSubscribed: row.subscribed === null ? null : row.subscribed === 1,
    textedAt: row.texted_at,
    isKnown: row.is_known === 1 || row.texted_at !== null,
  }));
}

/** A website and a number that it has texted through the carrier. */
export interface Texted {
  website: Website;
  phone: number;
  textedAt: number;
}

/**
 * Every website that has, or has had, the carrier, and has texted one of these numbers through it. Costs one index look-up per website
 * and number.
 */
export async function findTexted(db: D1Database, carrier: string, phones: number[]): Promise<Texted[]> {
  const rows = await runQuery<WebsiteRow & { phone: number; texted_at: number }>(
    prepare(
      db,
      sql`SELECT w.*, p.value AS phone,
          (SELECT l.accepted_at FROM messages l WHERE l.website_id = w.website_id AND l.phone = p.value AND l.is_reply = 0
            AND l.status IN ('SENDING', 'DELIVERED', 'FAILED_TO_DELIVERY') AND l.carrier = ${carrier}
            ORDER BY l.accepted_at DESC LIMIT 1) AS texted_at
        FROM (SELECT website_id FROM websites WHERE carrier = ${carrier}
            UNION SELECT website_id FROM former_senders WHERE carrier = ${carrier})
          CROSS JOIN websites w USING (website_id) CROSS JOIN json_each(${JSON.stringify(phones)}) p
        WHERE texted_at IS NOT NULL`,
    ),
  );
  return rows.map((row) => ({ website: toWebsite(row), phone: row.phone, textedAt: row.texted_at }));
}
