import type { GivenSettings, Website } from "../../domain/clients/website.ts";
import { type AuditEntry, type Author, changeOf } from "../../domain/operations/audit.ts";
import { parseJsonColumn, runBatch, runQuery } from "../database.ts";
import { FIRST, type Place } from "../databases/directory.ts";
import { IS_HERE } from "../databases/moving.ts";
import { toHolds } from "../messages/holds.ts";
import { auditStatement } from "../operations/audit.ts";
import type { WebsiteRow } from "../rows.ts";

/**
 * @param place where the directory has it; null: in the first database, whose directory gives it a home in the same transaction
 * @returns false when the website exists, or has its home in a database that is not bound; then nothing changes
 */
export async function insertWebsite(
  db: D1Database,
  author: Author,
  websiteId: string,
  place: Place | null,
  settings: GivenSettings,
  now: number,
): Promise<boolean> {
  const entry: AuditEntry = { action: "put-website", websiteId, ...changeOf(undefined, settings) };
  const [, inserted] = await runBatch(db, [
    db
      .prepare("INSERT INTO homes (website_id, database) SELECT ?1, ?2 WHERE ?3 IS NULL ON CONFLICT DO NOTHING")
      .bind(websiteId, FIRST, place?.home ?? null),
    db
      .prepare(
        `INSERT INTO websites (website_id, name, carrier, sender, help_text, duplicate_window_hours, created_at, updated_at,
           home, database, opt_out_words)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, coalesce(?8, (SELECT home FROM homes WHERE website_id = ?1)), coalesce(?9, '${FIRST}'), ?10
         WHERE ?9 IS NOT NULL OR EXISTS (SELECT 1 FROM homes WHERE website_id = ?1 AND database = '${FIRST}') ON CONFLICT DO NOTHING RETURNING website_id`,
      )
      .bind(
        websiteId,
        settings.name ?? null,
        settings.carrier ?? null,
        settings.sender ?? null,
        settings.helpText ?? null,
        settings.duplicateWindowHours ?? null,
        now,
        place?.home ?? null,
        place?.database ?? null,
        toColumn(settings.optOutWords) ?? null,
      ),
    auditStatement(db, author, entry, now),
  ]);
  return inserted?.results.length === 1;
}

/**
 * Sets the given settings and marks its clients' copies in KV as outdated. The settings were validated against the website as
 * it was read: if another call has changed it since, nothing changes. `updated_at` tells, as every change increases it.
 * @param given undefined keeps a setting
 * @returns false when the website has changed since it was read
 */
export async function updateWebsite(
  db: D1Database,
  author: Author,
  present: Website,
  given: GivenSettings,
  now: number,
): Promise<boolean> {
  const { websiteId, updatedAt } = present;
  const entry: AuditEntry = { action: "put-website", websiteId, ...changeOf(present, given) };
  const columns = {
    name: given.name,
    carrier: given.carrier,
    sender: given.sender,
    help_text: given.helpText,
    duplicate_window_hours: given.duplicateWindowHours,
    opt_out_words: toColumn(given.optOutWords),
  };
  const set = Object.entries(columns).filter(([, value]) => value !== undefined);
  const assignments = set.map(([column], index) => `${column} = ?${index + 4}, `).join("");
  const values = set.map(([, value]) => value as string | number | null);
  const [, updated] = await runBatch(db, [
    keepSender(db, websiteId),
    db
      .prepare(
        `UPDATE websites SET ${assignments}updated_at = max(?2, updated_at + 1)
         WHERE website_id = ?1 AND updated_at = ?3 RETURNING website_id`,
      )
      .bind(websiteId, now, updatedAt, ...values),
    auditStatement(db, author, entry, now),
    db
      .prepare("UPDATE clients SET changed_at = max(?2, changed_at + 1), copied_at = NULL WHERE website_id = ?1")
      .bind(websiteId, now),
  ]);
  return updated?.results.length === 1;
}

/** undefined: the setting is kept; null: it is removed. */
const toColumn = (list: string[] | null | undefined) => list && JSON.stringify(list);

/** People go on replying to the sender that the website has had until now. */
function keepSender(db: D1Database, websiteId: string): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO former_senders (carrier, sender, website_id)
       SELECT carrier, sender, website_id FROM websites WHERE website_id = ?1 AND sender IS NOT NULL ON CONFLICT DO NOTHING`,
    )
    .bind(websiteId);
}

export async function findWebsite(db: D1Database, websiteId: string): Promise<Website | undefined> {
  const [row] = await runQuery<WebsiteRow>(db.prepare("SELECT * FROM websites WHERE website_id = ?1").bind(websiteId));
  return row && toWebsite(row);
}

export async function listWebsites(db: D1Database): Promise<Website[]> {
  return (
    await runQuery<WebsiteRow>(
      db.prepare(`SELECT * FROM websites WHERE ${IS_HERE("websites.website_id")} ORDER BY website_id`),
    )
  ).map(toWebsite);
}

export function toWebsite(row: WebsiteRow): Website {
  return {
    websiteId: row.website_id,
    home: row.home,
    database: row.database,
    name: row.name,
    carrier: row.carrier,
    sender: row.sender,
    helpText: row.help_text,
    duplicateWindowHours: row.duplicate_window_hours,
    optOutWords: parseJsonColumn<string[] | null>(row.opt_out_words, null),
    holds: toHolds(row.holds),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
