import {
  type GivenSettings,
  NEW_WEBSITE,
  type OptionalSettings,
  settingsAfter,
  type Website,
} from "../../domain/clients/website.ts";
import { type AuditEntry, type Author, changeOf } from "../../domain/operations/audit.ts";
import { parseJsonColumn, runBatch, runQuery } from "../database.ts";
import { FIRST, type Place } from "../databases/directory.ts";
import { toHolds } from "../messages/holds.ts";
import { auditStatement, runAudited } from "../operations/audit.ts";
import type { WebsiteRow } from "../rows.ts";
import { prepare, sql } from "../sql.ts";

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
  const { name = null, carrier = null, sender = null } = settings;
  const optional = JSON.stringify(settingsAfter(NEW_WEBSITE, settings));
  const [, inserted] = await runBatch(db, [
    prepare(
      db,
      sql`INSERT INTO homes (website_id, database) SELECT ${websiteId}, ${FIRST} WHERE ${place?.home ?? null} IS NULL
        ON CONFLICT DO NOTHING`,
    ),
    prepare(
      db,
      sql`INSERT INTO websites (website_id, name, carrier, sender, settings, created_at, updated_at, home, database)
        SELECT ${websiteId}, ${name}, ${carrier}, ${sender}, ${optional}, ${now}, ${now},
          coalesce(${place?.home ?? null}, (SELECT home FROM homes WHERE website_id = ${websiteId})),
          ${place?.database ?? FIRST}
        WHERE ${place?.database ?? null} IS NOT NULL
          OR EXISTS (SELECT 1 FROM homes WHERE website_id = ${websiteId} AND database = ${FIRST})
        ON CONFLICT DO NOTHING RETURNING website_id`,
    ),
    auditStatement(db, author, entry, now),
    keepFallback(db, websiteId),
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
  const { name = present.name, carrier = present.carrier, sender = present.sender } = given;
  const optional = JSON.stringify(settingsAfter(present, given));
  const rows = await runAudited(db, {
    former: keepSender(db, websiteId),
    updated: prepare(
      db,
      sql`UPDATE websites SET name = ${name}, carrier = ${carrier}, sender = ${sender},
          settings = ${optional},
          updated_at = max(${now}, updated_at + 1)
        WHERE website_id = ${websiteId} AND updated_at = ${updatedAt} RETURNING website_id`,
    ),
    audited: auditStatement(db, author, entry, now),
    clients: prepare(
      db,
      sql`UPDATE clients SET changed_at = max(${now}, changed_at + 1), copied_at = NULL WHERE website_id = ${websiteId}`,
    ),
    fallback: keepFallback(db, websiteId),
  });
  return rows === "made" || rows.updated.length === 1;
}

/** Keeps the present sender: people still reply to it after the website has another. */
function keepSender(db: D1Database, websiteId: string): D1PreparedStatement {
  return prepare(
    db,
    sql`INSERT INTO former_senders (carrier, sender, website_id)
      SELECT carrier, sender, website_id FROM websites WHERE website_id = ${websiteId} AND sender IS NOT NULL
      ON CONFLICT DO NOTHING`,
  );
}

/** People reply to what came from the fallback, also after the website has another. */
function keepFallback(db: D1Database, websiteId: string): D1PreparedStatement {
  return prepare(
    db,
    sql`INSERT INTO former_senders (carrier, sender, website_id)
      SELECT settings ->> '$.fallback.carrier', settings ->> '$.fallback.sender', website_id FROM websites
      WHERE website_id = ${websiteId} AND settings ->> '$.fallback.sender' IS NOT NULL
      ON CONFLICT DO NOTHING`,
  );
}

export async function findWebsite(db: D1Database, websiteId: string): Promise<Website | undefined> {
  const [row] = await runQuery<WebsiteRow>(prepare(db, sql`SELECT * FROM websites WHERE website_id = ${websiteId}`));
  return row && toWebsite(row);
}

export async function listWebsites(db: D1Database): Promise<Website[]> {
  const rows = await runQuery<WebsiteRow>(prepare(db, sql`SELECT * FROM websites ORDER BY website_id`));
  return rows.map(toWebsite);
}

export function toWebsite(row: WebsiteRow): Website {
  return {
    websiteId: row.website_id,
    home: row.home,
    database: row.database,
    name: row.name,
    carrier: row.carrier,
    sender: row.sender,
    ...readSettings(row),
    holds: toHolds(row.holds),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export const readSettings = ({ settings }: Pick<WebsiteRow, "settings">): OptionalSettings =>
  settingsAfter({}, parseJsonColumn<Partial<OptionalSettings>>(settings, {}));
