// Named accounts at carriers. They are in the first database, whatever websites use them.
import { type AuditEntry, type Author, changeOf } from "../../domain/operations/audit.ts";
import { parseJsonColumn, runQuery } from "../database.ts";
import { auditStatement, runAudited } from "../operations/audit.ts";
import type { AccountRow } from "../rows.ts";
import { prepare, sql } from "../sql.ts";

/** As it is stored: the secrets are encrypted. */
export interface StoredAccount {
  name: string;
  carrier: string;
  /** The settings that are no secrets. */
  settings: Record<string, string>;
  sealed: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  updatedAt: number;
}

/** In the order of their names. */
export async function listAccounts(db: D1Database): Promise<StoredAccount[]> {
  const rows = await runQuery<AccountRow>(prepare(db, sql`SELECT * FROM accounts ORDER BY name`));
  return rows.map(toAccount);
}

export async function findAccount(db: D1Database, name: string): Promise<StoredAccount | undefined> {
  const [row] = await runQuery<AccountRow>(prepare(db, sql`SELECT * FROM accounts WHERE name = ${name}`));
  return row && toAccount(row);
}

const toAccount = (row: AccountRow): StoredAccount => ({
  name: row.name,
  carrier: row.carrier,
  settings: parseJsonColumn<Record<string, string>>(row.settings, {}),
  sealed: row.sealed,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/**
 * Creates or replaces. The audit log has no secret.
 * @returns undefined: nothing has changed, because an account stays with its carrier, and this one has another by now
 */
export async function putAccount(
  db: D1Database,
  author: Author,
  { name, carrier, settings, sealed }: Pick<StoredAccount, "name" | "carrier" | "settings" | "sealed">,
  present: StoredAccount | undefined,
  now: number,
): Promise<StoredAccount | undefined> {
  const entry: AuditEntry = { action: "put-account", subject: name, ...changeOf(present?.settings, { ...settings }) };
  const ran = await runAudited(db, {
    put: prepare(
      db,
      sql`INSERT INTO accounts (name, carrier, settings, sealed, created_at, updated_at)
        VALUES (${name}, ${carrier}, ${JSON.stringify(settings)}, ${sealed}, ${now}, ${now})
        ON CONFLICT (name) DO UPDATE SET settings = excluded.settings, sealed = excluded.sealed, updated_at = excluded.updated_at
        WHERE carrier = excluded.carrier RETURNING name`,
    ),
    audit: auditStatement(db, author, entry, now),
  });
  if (ran !== "made" && ran.put.length === 0) return undefined;
  return { name, carrier, settings, sealed, createdAt: present?.createdAt ?? now, updatedAt: now };
}

export async function deleteAccount(db: D1Database, author: Author, name: string, now: number): Promise<void> {
  await runAudited(db, {
    deleted: prepare(db, sql`DELETE FROM accounts WHERE name = ${name}`),
    audit: auditStatement(db, author, { action: "delete-account", subject: name }, now),
  });
}

/** The websites of a database that have one of the accounts as their carrier, or as that of their fallback. */
export async function findWebsitesAt(
  db: D1Database,
  names: string[],
): Promise<{ carrier: string; websiteId: string }[]> {
  return runQuery<{ carrier: string; websiteId: string }>(
    prepare(
      db,
      sql`SELECT w.carrier, w.website_id AS websiteId FROM json_each(${JSON.stringify(names)}) j
          CROSS JOIN websites w ON w.carrier = j.value
        UNION SELECT f.carrier, w.website_id FROM json_each(${JSON.stringify(names)}) j
          CROSS JOIN former_senders f ON f.carrier = j.value CROSS JOIN websites w ON w.website_id = f.website_id
        WHERE w.settings ->> '$.fallback.carrier' = j.value ORDER BY websiteId`,
    ),
  );
}
