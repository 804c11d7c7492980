import type { Website, WebsiteSettings } from "../../domain/website.ts";
import { type Row, runBatch, runQuery } from "./database.ts";

/** Creates or replaces a website, and marks its clients' copies in KV as out of date. */
export async function putWebsite(
  db: D1Database,
  websiteId: string,
  settings: WebsiteSettings,
  now: number,
): Promise<void> {
  await runBatch(db, [
    keepSender(db, websiteId),
    db
      .prepare(
        `INSERT INTO websites (website_id, name, carrier, sender, help_text, duplicate_window_hours, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)
         ON CONFLICT (website_id) DO UPDATE SET name = ?2, carrier = ?3, sender = ?4, help_text = ?5,
           duplicate_window_hours = ?6, updated_at = ?7`,
      )
      .bind(
        websiteId,
        settings.name,
        settings.carrier,
        settings.sender,
        settings.helpText,
        settings.duplicateWindowHours,
        now,
      ),
    db.prepare("UPDATE clients SET changed_at = ?2, copied_at = NULL WHERE website_id = ?1").bind(websiteId, now),
  ]);
}

/** People go on answering what came from the sender that a website has now. */
function keepSender(db: D1Database, websiteId: string): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO former_senders (carrier, sender, website_id)
       SELECT carrier, sender, website_id FROM websites WHERE website_id = ?1 AND sender IS NOT NULL ON CONFLICT DO NOTHING`,
    )
    .bind(websiteId);
}

export async function findWebsite(db: D1Database, websiteId: string): Promise<Website | undefined> {
  const [row] = await runQuery(db.prepare("SELECT * FROM websites WHERE website_id = ?1").bind(websiteId));
  return row && toWebsite(row);
}

export async function listWebsites(db: D1Database): Promise<Website[]> {
  return (await runQuery(db.prepare("SELECT * FROM websites ORDER BY website_id"))).map(toWebsite);
}

export function toWebsite(row: Row): Website {
  return {
    websiteId: row.website_id as string,
    name: row.name as string,
    carrier: row.carrier as string,
    sender: row.sender as string | null,
    helpText: row.help_text as string | null,
    duplicateWindowHours: row.duplicate_window_hours as number | null,
    createdAt: row.created_at as number,
    updatedAt: row.updated_at as number,
  };
}
