// Requests are authenticated by copies of the clients: KV has a copy of each client, and the object of a website has its latest changes.
import type { Credentials } from "../../domain/clients/client.ts";
import { runBatch, runQuery } from "../database.ts";
import type { ClientRow, WebsiteRow } from "../rows.ts";
import { piece, prepare, sql } from "../sql.ts";
import { readOperations } from "./clients.ts";
import { readSettings } from "./websites.ts";

type CredentialsRow = ClientRow & Pick<WebsiteRow, "settings" | "home" | "database">;

/** The columns of a CredentialsRow, of a client `c` of the website `w`. */
const CREDENTIALS = piece(`c.client_id, c.website_id, c.operations, c.suspended, c.secret_hash, c.old_secret_hash,
  c.old_until, c.created_at, c.changed_at, w.settings, w.home, w.database`);

/** The credentials of a client, as its copies must become. */
export interface ClientCopy {
  credentials: Credentials;
  /** The client has never changed, so no older copy exists. */
  isNew: boolean;
}

/**
 * Two concurrent changes may reach KV in reverse order. So the sweep copies a client once more, this long after its latest
 * change.
 */
const SETTLED_AFTER_MILLISECONDS = 120_000;

/** The condition of the index clients_uncopied, word for word, which holds no other clients. */
const UNCOPIED = piece(`(copied_at IS NULL OR copied_at < changed_at + ${SETTLED_AFTER_MILLISECONDS})`);

/** KV takes one write of a key each second: https://developers.cloudflare.com/kv/platform/limits/ */
const COPY_AGAIN_AFTER_MILLISECONDS = 1000;

/** The clients whose copies in KV may be outdated. */
export async function findUncopied(db: D1Database, limit: number, now: number): Promise<ClientCopy[]> {
  const rows = await runQuery<CredentialsRow>(
    prepare(
      db,
      sql`SELECT ${CREDENTIALS} FROM clients c CROSS JOIN websites w ON w.website_id = c.website_id
        WHERE ${UNCOPIED} AND (copied_at IS NULL OR copied_at <= ${now - COPY_AGAIN_AFTER_MILLISECONDS})
        ORDER BY c.changed_at LIMIT ${limit}`,
    ),
  );
  return rows.map(toCopy);
}

/** Counts the clients whose latest change was never copied to KV. */
export function countBehind(db: D1Database, limit: number): D1PreparedStatement {
  return prepare(
    db,
    sql`SELECT count(*) AS count, min(changed_at) AS oldest_at FROM (
      SELECT changed_at FROM clients c WHERE ${UNCOPIED} AND (copied_at IS NULL OR copied_at < changed_at)
      ORDER BY changed_at LIMIT ${limit})`,
  );
}

export async function findCopies(
  db: D1Database,
  by: { websiteId: string } | { clientId: string },
): Promise<ClientCopy[]> {
  const isAskedFor = "clientId" in by ? sql`c.client_id = ${by.clientId}` : sql`c.website_id = ${by.websiteId}`;
  const rows = await runQuery<CredentialsRow>(
    prepare(
      db,
      sql`SELECT ${CREDENTIALS} FROM clients c CROSS JOIN websites w ON w.website_id = c.website_id WHERE ${isAskedFor}`,
    ),
  );
  return rows.map(toCopy);
}

/** A client that has changed since its copy was made is not marked: the change is still to be copied. */
export async function markCopied(
  db: D1Database,
  copied: Pick<Credentials, "clientId" | "version">[],
  now: number,
): Promise<void> {
  const list = JSON.stringify(copied.map(({ clientId, version }) => [clientId, version]));
  await runBatch(db, [
    prepare(
      db,
      sql`UPDATE clients SET copied_at = max(${now}, changed_at)
        WHERE (client_id, changed_at) IN (SELECT value ->> 0, value ->> 1 FROM json_each(${list}))`,
    ),
  ]);
}

function toCopy(row: CredentialsRow): ClientCopy {
  const settings = readSettings(row);
  const { duplicateWindowHours, allowedCountries, linkOrigin, transactionalPurposes, sendingHours, dailyLimit } =
    settings;
  const credentials = {
    clientId: row.client_id,
    websiteId: row.website_id,
    operations: readOperations(row),
    suspended: row.suspended === 1,
    secretHash: row.secret_hash,
    oldSecret: row.old_secret_hash ? { hash: row.old_secret_hash, until: row.old_until ?? 0 } : null,
    ...{ duplicateWindowHours, allowedCountries, linkOrigin, transactionalPurposes, sendingHours },
    dailyLimit,
    home: row.home,
    database: row.database,
    version: row.changed_at,
  };
  return { credentials, isNew: row.changed_at === row.created_at };
}
