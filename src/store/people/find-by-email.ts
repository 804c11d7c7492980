// For an operator who looks for a person. The number of a text to an e-mail address: src/store/messages/recipients.ts.
import { runQuery } from "../database.ts";
import { prepare, sql } from "../sql.ts";

const MOST = 100;

/**
 * The numbers that are subscribed with an address in any website, the last subscribed first. A number that has opted out is not found by
 * its address.
 * @param email in lower case
 * @returns as digits; a number once for each website
 */
export async function findNumbersOf(db: D1Database, email: string): Promise<number[]> {
  const rows = await runQuery<{ phone: number }>(
    prepare(
      db,
      sql`SELECT s.phone FROM websites w CROSS JOIN subscriptions s INDEXED BY subscriptions_by_email
          ON s.website_id = w.website_id AND s.email = ${email} AND s.subscribed = 1
        ORDER BY s.change_id DESC LIMIT ${MOST}`,
    ),
  );
  return rows.map(({ phone }) => phone);
}
