import { runQuery } from "../database.ts";
import { prepare, sql } from "../sql.ts";

/** The numbers to which messages for these addresses of a website would go: as recipients.ts finds them. Unknown addresses are left out. */
export async function readPhonesOfEmails(
  db: D1Database,
  websiteId: string,
  emails: string[],
): Promise<Map<string, number>> {
  const rows = await runQuery<{ email: string; phone: number | null }>(
    prepare(
      db,
      sql`SELECT g.value AS email, (SELECT s.phone FROM subscriptions s
          WHERE s.website_id = ${websiteId} AND s.email = g.value AND s.subscribed = 1 ORDER BY s.change_id DESC LIMIT 1) AS phone
        FROM json_each(${JSON.stringify(emails)}) g`,
    ),
  );
  return new Map(rows.flatMap(({ email, phone }) => (phone === null ? [] : [[email, phone]])));
}
