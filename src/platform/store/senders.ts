import type { Website } from "../../domain/website.ts";
import { runQuery } from "./database.ts";
import type { SubscriptionRow, WebsiteRow } from "./rows.ts";
import { toWebsite } from "./websites.ts";

/** A website whose sender, or former sender, was texted. */
export interface Owner {
  website: Website;
  isFormer: boolean;
}

/** The websites that send through the carrier from one of these senders, then the websites that did so before. */
export async function findOwners(db: D1Database, carrier: string, senders: string[]): Promise<Owner[]> {
  const given = "(SELECT value FROM json_each(?2))";
  const rows = await runQuery<WebsiteRow & { is_former: number }>(
    db
      .prepare(
        `SELECT w.*, 0 AS is_former FROM websites w WHERE w.carrier = ?1 AND w.sender IN ${given}
         UNION
         SELECT w.*, 1 FROM json_each(?2) j CROSS JOIN former_senders f ON f.carrier = ?1 AND f.sender = j.value
           CROSS JOIN websites w ON w.website_id = f.website_id
         WHERE (w.carrier = ?1 AND w.sender IN ${given}) IS NOT TRUE
         ORDER BY is_former, website_id`,
      )
      .bind(carrier, JSON.stringify(senders)),
  );
  return rows.map((row) => ({ website: toWebsite(row), isFormer: row.is_former === 1 }));
}

/** A website and a number that it has subscribed or texted. */
export interface Acquaintance {
  websiteId: string;
  /** As digits. */
  phone: number;
  /** null: texted only. */
  isSubscribed: boolean | null;
  /** Acceptance time of the latest text to it that a carrier took: milliseconds since 1970; null if none is stored. */
  textedAt: number | null;
}

interface AcquaintanceRow {
  website_id: string;
  phone: number;
  subscribed: SubscriptionRow["subscribed"] | null;
  texted_at: number | null;
}

/** The latest message to a person that a carrier took: a person replies to this one. Uses messages_by_phone. */
export const LATEST_TEXT = (column: string, websiteId: string, phone: string, more = "") =>
  `(SELECT l.${column} FROM messages l WHERE l.website_id = ${websiteId} AND l.phone = ${phone} AND l.is_reply = 0
    AND l.status IN ('SENDING', 'DELIVERED', 'FAILED_TO_DELIVERY') ${more} ORDER BY l.accepted_at DESC LIMIT 1)`;

/** All pairs of website and number with a subscription or a text. Costs two index look-ups per pair. */
export async function findAcquaintances(
  db: D1Database,
  websiteIds: string[],
  phones: number[],
): Promise<Acquaintance[]> {
  const rows = await runQuery<AcquaintanceRow>(
    db
      .prepare(
        `SELECT w.value AS website_id, p.value AS phone, s.subscribed,
           ${LATEST_TEXT("accepted_at", "w.value", "p.value")} AS texted_at
         FROM json_each(?1) w CROSS JOIN json_each(?2) p
         LEFT JOIN subscriptions s ON s.website_id = w.value AND s.phone = p.value
         WHERE s.subscribed IS NOT NULL OR texted_at IS NOT NULL`,
      )
      .bind(JSON.stringify(websiteIds), JSON.stringify(phones)),
  );
  return rows.map((row) => ({
    websiteId: row.website_id,
    phone: row.phone,
    isSubscribed: row.subscribed === null ? null : row.subscribed === 1,
    textedAt: row.texted_at,
  }));
}

/**
 * The website that last texted one of these numbers through the carrier. Covers senders that were changed before
 * former_senders existed, and recipients in a gateway's own form. Costs one index look-up per website and number.
 * @returns one at most
 */
export async function findLastToText(
  db: D1Database,
  carrier: string,
  phones: number[],
): Promise<{ website: Website; phone: number; textedAt: number }[]> {
  const rows = await runQuery<WebsiteRow & { phone: number; texted_at: number }>(
    db
      .prepare(
        `SELECT w.*, p.value AS phone, ${LATEST_TEXT("accepted_at", "w.website_id", "p.value", "AND l.carrier = ?1")} AS texted_at
         FROM websites w INDEXED BY websites_by_sender CROSS JOIN json_each(?2) p
         WHERE w.carrier = ?1 AND texted_at IS NOT NULL ORDER BY texted_at DESC LIMIT 1`,
      )
      .bind(carrier, JSON.stringify(phones)),
  );
  return rows.map((row) => ({ website: toWebsite(row), phone: row.phone, textedAt: row.texted_at }));
}
