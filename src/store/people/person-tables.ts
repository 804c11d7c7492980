// The tables that have the number of a person. The code that finds, exports and erases a person covers this list.
import { oneFormOf } from "../../domain/people/two-form-numbers.ts";
import { runQuery } from "../database.ts";
import { piece, prepare, type Sql, sql } from "../sql.ts";

/**
 * Each table with a number of a person, and the column that has it. The number is an integer, except for the sender of a text, which is
 * as the carrier gave it. The rows of other tables belong to a message. An event has the number if it is a notice, and otherwise belongs
 * to its message.
 */
export const PERSON_TABLES = {
  subscriptions: "phone",
  subscription_changes: "phone",
  messages: "phone",
  inbound_texts: "sender",
  events: "phone",
  duplicate_keys: "phone",
  number_faults: "phone",
} as const;

export type PersonTable = keyof typeof PERSON_TABLES;

/** Condition: one of the tables has the number in a website. @param phone as digits */
const isKnownTo = (website: Sql, phone: number, e164: string): Sql =>
  sql`(EXISTS (SELECT 1 FROM subscriptions WHERE website_id = ${website} AND phone = ${phone})
    OR EXISTS (SELECT 1 FROM subscription_changes WHERE website_id = ${website} AND phone = ${phone})
    OR EXISTS (SELECT 1 FROM messages WHERE website_id = ${website} AND phone = ${phone})
    OR EXISTS (SELECT 1 FROM inbound_texts WHERE website_id = ${website} AND sender = ${e164})
    OR EXISTS (SELECT 1 FROM events WHERE website_id = ${website} AND phone = ${phone} AND body IS NOT NULL)
    OR EXISTS (SELECT 1 FROM number_faults WHERE website_id = ${website} AND phone = ${phone})
    OR EXISTS (SELECT 1 FROM duplicate_keys WHERE website_id = ${website} AND phone = ${oneFormOf(phone)}))`;

/** The websites that know a number; the last is `""` if a text from the number reached no website. @param phone as digits */
export async function findWebsitesOf(db: D1Database, phone: number, e164: string): Promise<string[]> {
  const rows = await runQuery<{ website_id: string }>(
    prepare(
      db,
      sql`SELECT website_id FROM (
          SELECT w.website_id FROM websites w
          WHERE ${isKnownTo(piece("w.website_id"), phone, e164)}
          UNION ALL SELECT '' WHERE ${isKnownTo(piece("''"), phone, e164)})
        ORDER BY website_id = '', website_id`,
    ),
  );
  return rows.map((row) => row.website_id);
}

/** Whether a website knows a number. @param phone as digits */
export async function isKnownIn(db: D1Database, websiteId: string, phone: number, e164: string): Promise<boolean> {
  const query = prepare(db, sql`SELECT 1 WHERE ${isKnownTo(sql`${websiteId}`, phone, e164)}`);
  return (await runQuery(query)).length > 0;
}
