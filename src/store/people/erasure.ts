import { toE164 } from "../../domain/people/phone.ts";
import { runNamed, runQuery } from "../database.ts";
import { removeCounted } from "../messages/retention.ts";
import { prepare, type Sql, sql } from "../sql.ts";
import type { PersonTable } from "./person-tables.ts";

/** What is kept of an erased number. */
export interface Tombstone {
  websiteId: string;
  /** HMAC-SHA-256 of the number, hex. */
  mark: string;
}

/** The messages to a number, and those to its address. */
const messagesOf = (websiteId: string, phone: number): Sql =>
  sql`SELECT message_id FROM messages WHERE website_id = ${websiteId} AND phone = ${phone}
    UNION ALL SELECT message_id FROM messages WHERE website_id = ${websiteId} AND phone IS NULL
      AND email = (SELECT email FROM subscriptions WHERE website_id = ${websiteId} AND phone = ${phone})`;

/** How many messages an erasure would erase. @param phone as digits */
export async function countOfErasure(db: D1Database, websiteId: string, phone: number): Promise<number> {
  const count = prepare(db, sql`SELECT count(*) AS messages FROM (${messagesOf(websiteId, phone)})`);
  return (await runQuery<{ messages: number }>(count))[0]?.messages ?? 0;
}

/**
 * Erases everything about a number in a website except its share of the report's counts, and a one-way hash that keeps it
 * opted out.
 * @param websiteId `""`: the texts that reached no website
 * @param phone as digits
 * @param tombstone a one-way hash of the number; null where websiteId is `""`
 * @returns the number of erased messages
 */
export async function erasePerson(
  db: D1Database,
  websiteId: string,
  phone: number,
  tombstone: string | null,
): Promise<number> {
  const { messages: stored, ...parts } = removeCounted(db, messagesOf(websiteId, phone));
  const removed = {
    ...parts,
    // The events of the messages, and the notices.
    events: [
      parts.events,
      prepare(db, sql`DELETE FROM events WHERE website_id = ${websiteId} AND phone = ${phone} AND body IS NOT NULL`),
    ],
    messages: stored,
    scheduled_messages: prepare(
      db,
      sql`DELETE FROM scheduled_messages WHERE website_id = ${websiteId} AND phone = ${phone} RETURNING message_id`,
    ),
    duplicate_keys: prepare(db, sql`DELETE FROM duplicate_keys WHERE website_id = ${websiteId} AND phone = ${phone}`),
    inbound_texts: prepare(
      db,
      sql`DELETE FROM inbound_texts WHERE (website_id, carrier, carrier_message_id) IN (
        SELECT website_id, carrier, carrier_message_id FROM inbound_texts
        WHERE website_id = ${websiteId} AND sender = ${toE164(phone)})`,
    ),
    subscription_changes: prepare(
      db,
      sql`DELETE FROM subscription_changes WHERE website_id = ${websiteId} AND phone = ${phone}`,
    ),
    subscriptions: prepare(db, sql`DELETE FROM subscriptions WHERE website_id = ${websiteId} AND phone = ${phone}`),
  } satisfies Record<PersonTable, unknown> & Record<string, unknown>;
  const rows = await runNamed(db, {
    ...removed,
    tombstone:
      tombstone === null
        ? null
        : prepare(
            db,
            sql`INSERT INTO erased_people (website_id, mark) VALUES (${websiteId}, ${tombstone}) ON CONFLICT DO NOTHING`,
          ),
  });
  return rows.messages.length + rows.scheduled_messages.length;
}
