import { runQuery } from "../database.ts";
import { prepare, sql } from "../sql.ts";

/** People react to what they have just got, or said. */
const TEXTS_A_NUMBER = 3;

/** The latest texts that carriers accepted from these websites for these numbers, replies to keywords included. @param phones as digits */
export async function findLatestTexts(db: D1Database, websiteIds: string[], phones: number[]): Promise<string[]> {
  const rows = await runQuery<{ text: string }>(
    prepare(
      db,
      sql`SELECT m.text FROM json_each(${JSON.stringify(websiteIds)}) w CROSS JOIN json_each(${JSON.stringify(phones)}) p
        CROSS JOIN messages m ON m.message_id IN (SELECT l.message_id FROM messages l
          WHERE l.website_id = w.value AND l.phone = p.value AND l.status IN ('SENDING', 'DELIVERED', 'FAILED_TO_DELIVERY')
          ORDER BY l.accepted_at DESC LIMIT ${TEXTS_A_NUMBER})`,
    ),
  );
  return rows.map(({ text }) => text);
}

/** The latest texts of these numbers to these websites. */
export async function findTextsOf(db: D1Database, websiteIds: string[], phones: number[]): Promise<string[]> {
  const rows = await runQuery<{ text: string }>(
    prepare(
      db,
      sql`SELECT i.text FROM json_each(${JSON.stringify(websiteIds)}) w CROSS JOIN json_each(${JSON.stringify(phones)}) p
        CROSS JOIN inbound_texts i ON i.website_id = w.value AND i.sender = '+' || p.value
          AND i.received_at >= coalesce((SELECT l.received_at FROM inbound_texts l WHERE l.website_id = w.value
            AND l.sender = '+' || p.value ORDER BY l.received_at DESC LIMIT 1 OFFSET ${TEXTS_A_NUMBER - 1}), 0)`,
    ),
  );
  return rows.map(({ text }) => text);
}
