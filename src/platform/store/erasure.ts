import { runNamed } from "./database.ts";
import { removeCounted } from "./retention.ts";

/** Of an erased number. */
export interface Tombstone {
  websiteId: string;
  /** HMAC-SHA-256 of the number, hex. */
  mark: string;
}

/**
 * Erases everything about a number in a website except its share of the report's counts, and a one-way hash that keeps it
 * opted out.
 * @param phone as digits
 * @param tombstones one-way hashes of the number
 * @returns the number of erased messages
 */
export async function erasePerson(
  db: D1Database,
  websiteId: string,
  phone: number,
  tombstones: string[],
): Promise<number> {
  const person = [websiteId, phone] as const;
  const messages = `SELECT message_id FROM messages WHERE website_id = ?1 AND (phone = ?2 OR (phone IS NULL AND email =
    (SELECT email FROM subscriptions WHERE website_id = ?1 AND phone = ?2)))`;
  // D1 binds a number as a real one, which reads 12125550100.0 as text.
  const digits = "CAST(?2 AS INTEGER)";
  const run = (sql: string, ...more: unknown[]) => db.prepare(sql).bind(...person, ...more);
  const rows = await runNamed(db, {
    ...removeCounted(db, messages, [...person]),
    keys: run(`DELETE FROM send_keys WHERE website_id = ?1 AND send_key LIKE 'same:%:' || ${digits}`),
    duplicates: run("DELETE FROM duplicate_keys WHERE website_id = ?1 AND phone = ?2"),
    texts: run(`DELETE FROM inbound_texts WHERE website_id = ?1 AND sender = '+' || ${digits}`),
    changes: run("DELETE FROM subscription_changes WHERE website_id = ?1 AND phone = ?2"),
    subscription: run("DELETE FROM subscriptions WHERE website_id = ?1 AND phone = ?2"),
    tombstones: db
      .prepare(
        "INSERT INTO erased_people (website_id, mark) SELECT ?1, value FROM json_each(?2) WHERE true ON CONFLICT DO NOTHING",
      )
      .bind(websiteId, JSON.stringify(tombstones)),
  });
  return rows.messages.length;
}
