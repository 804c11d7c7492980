import { toE164 } from "../../domain/people/phone.ts";
import { runNamed } from "../database.ts";
import { removeCounted } from "../messages/retention.ts";
import { sql } from "../sql.ts";
import type { PersonTable } from "./person-tables.ts";

/** What is kept of an erased number. */
export interface Tombstone {
  websiteId: string;
  /** HMAC-SHA-256 of the number, hex. */
  mark: string;
}

/**
 * Erases everything about a number in a website except its share of the report's counts, and a one-way hash that keeps it
 * opted out.
 * @param websiteId `""`: of no website, which has texts alone
 * @param phone as digits
 * @param tombstone a one-way hash of the number; null of no website
 * @returns the number of erased messages
 */
export async function erasePerson(
  db: D1Database,
  websiteId: string,
  phone: number,
  tombstone: string | null,
): Promise<number> {
  const person = [websiteId, phone] as const;
  const chosen = sql`SELECT message_id FROM messages WHERE website_id = ${websiteId} AND phone = ${phone}
    UNION ALL SELECT message_id FROM messages WHERE website_id = ${websiteId} AND phone IS NULL
      AND email = (SELECT email FROM subscriptions WHERE website_id = ${websiteId} AND phone = ${phone})`;
  const run = (sql: string) => db.prepare(sql).bind(...person);
  const { messages: stored, ...parts } = removeCounted(db, chosen);
  const removed = {
    ...parts,
    // Those of the messages, and the notices.
    events: [parts.events, run("DELETE FROM events WHERE website_id = ?1 AND phone = ?2 AND body IS NOT NULL")],
    // Each names a message of the person, and has the number in it.
    messages: stored,
    duplicate_keys: run("DELETE FROM duplicate_keys WHERE website_id = ?1 AND phone = ?2"),
    inbound_texts: db
      .prepare(
        `DELETE FROM inbound_texts WHERE (website_id, carrier, carrier_message_id) IN (
           SELECT website_id, carrier, carrier_message_id FROM inbound_texts WHERE website_id = ?1 AND sender = ?2)`,
      )
      .bind(websiteId, toE164(phone)),
    subscription_changes: run("DELETE FROM subscription_changes WHERE website_id = ?1 AND phone = ?2"),
    subscriptions: run("DELETE FROM subscriptions WHERE website_id = ?1 AND phone = ?2"),
  } satisfies Record<PersonTable, unknown> & Record<string, unknown>;
  const rows = await runNamed(db, {
    ...removed,
    tombstone:
      tombstone === null
        ? null
        : db
            .prepare("INSERT INTO erased_people (website_id, mark) VALUES (?1, ?2) ON CONFLICT DO NOTHING")
            .bind(websiteId, tombstone),
  });
  return rows.messages.length;
}
