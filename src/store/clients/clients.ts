import { type Client, type ClientEvent, DEFAULT_EVENTS, type Operation } from "../../domain/clients/client.ts";
import { type AuditEntry, type Author, changeOf } from "../../domain/operations/audit.ts";
import { parseJsonColumn, runBatch, runQuery } from "../database.ts";
import { auditStatement, runAudited } from "../operations/audit.ts";
import type { ClientRow } from "../rows.ts";
import { prepare, sql } from "../sql.ts";

export interface NewClient extends Client {
  secretHash: string;
  /** Its last four characters. */
  secretEnd: string;
  /** Encrypted. */
  callbackSecret: string;
}

export async function insertClient(db: D1Database, author: Author, client: NewClient): Promise<void> {
  const { clientId, websiteId, name, callbackUrl, operations, suspended, createdAt } = client;
  const events = eventsColumn(client.events) === null ? undefined : client.events;
  const change = changeOf(undefined, { name: name ?? undefined, callbackUrl, operations, events, suspended });
  const entry: AuditEntry = { action: "create-client", websiteId, clientId, ...change };
  await runBatch(db, [
    prepare(
      db,
      sql`INSERT INTO clients (client_id, website_id, callback_url, operations, suspended, secret_hash, callback_secret,
          created_at, changed_at, events, name, secret_end)
        VALUES (${clientId}, ${websiteId}, ${callbackUrl}, ${JSON.stringify(operations)}, ${suspended ? 1 : 0},
          ${client.secretHash}, ${client.callbackSecret}, ${createdAt}, ${createdAt}, ${eventsColumn(client.events)}, ${name}, ${client.secretEnd})
        ON CONFLICT DO NOTHING`,
    ),
    auditStatement(db, author, entry, createdAt),
  ]);
}

/**
 * undefined keeps a setting. A call that takes effect after a later change changes nothing: `changed_at` tells, as every change
 * increases it.
 * @returns the changed client, or undefined when the client has changed since it was read
 */
export async function updateClient(
  db: D1Database,
  author: Author,
  present: Client,
  change: {
    name?: string | null | undefined;
    callbackUrl?: string | null | undefined;
    operations?: Operation[] | undefined;
    events?: ClientEvent[] | undefined;
    suspended?: boolean | undefined;
  },
  now: number,
): Promise<Client | undefined> {
  const { clientId, websiteId, changedAt } = present;
  const { name, callbackUrl, operations, events, suspended } = change;
  const entry: AuditEntry = { action: "change-client", websiteId, clientId, ...changeOf(present, change) };
  const rows = await runAudited(db, {
    updated: prepare(
      db,
      sql<ClientRow>`UPDATE clients SET name = iif(${name === undefined ? 1 : 0}, name, ${name ?? null}),
          callback_url = iif(${callbackUrl === undefined ? 1 : 0}, callback_url, ${callbackUrl ?? null}),
          operations = coalesce(${operations ? JSON.stringify(operations) : null}, operations),
          events = iif(${events === undefined ? 1 : 0}, events, ${events ? eventsColumn(events) : null}),
          suspended = coalesce(${suspended === undefined ? null : Number(suspended)}, suspended),
          changed_at = max(${now}, changed_at + 1), copied_at = NULL
        WHERE client_id = ${clientId} AND changed_at = ${changedAt} RETURNING *`,
    ),
    audited: auditStatement(db, author, entry, now),
  });
  if (rows === "made") return findClient(db, clientId);
  const [row] = rows.updated;
  return row && toClient(row);
}

/**
 * A second rotation within this time replaces the first, whose response may have been lost: the original pair keeps its grace
 * period.
 */
export const REPEATED_ROTATION_MILLISECONDS = 10 * 60_000;

/**
 * Sets a new pair of secrets. The present pair (of a repeated rotation, the original pair) stays valid until `oldUntil`.
 * Idempotent for the same pair. For late calls, see updateClient.
 * @returns whether the pair is set; false when the client has changed since it was read
 */
export async function rotateSecrets(
  db: D1Database,
  author: Author,
  { clientId, websiteId, changedAt }: Client,
  pair: { secretHash: string; secretEnd: string; callbackSecret: string; oldUntil: number },
  now: number,
): Promise<boolean> {
  const isRepeated = sql`(rotated_at > ${now - REPEATED_ROTATION_MILLISECONDS} AND old_until > ${now})`;
  const rows = await runAudited(db, {
    rotated: prepare(
      db,
      sql`UPDATE clients SET old_secret_hash = iif(${isRepeated}, old_secret_hash, secret_hash),
          old_callback_secret = iif(${isRepeated}, old_callback_secret, callback_secret), old_until = ${pair.oldUntil},
          old_secret_end = iif(${isRepeated}, old_secret_end, secret_end),
          old_secret_since = iif(${isRepeated}, old_secret_since, coalesce(rotated_at, created_at)),
          old_secret_used_at = iif(${isRepeated}, old_secret_used_at, secret_used_at),
          secret_end = ${pair.secretEnd}, secret_used_at = NULL,
          rotated_at = ${now}, secret_hash = ${pair.secretHash}, callback_secret = ${pair.callbackSecret},
          changed_at = max(${now}, changed_at + 1), copied_at = NULL
        WHERE client_id = ${clientId} AND changed_at = ${changedAt}`,
    ),
    audited: auditStatement(
      db,
      author,
      { action: "rotate-client", websiteId, clientId, after: { oldPairEndsAt: pair.oldUntil } },
      now,
    ),
    isSet: prepare(db, sql`SELECT 1 FROM clients WHERE client_id = ${clientId} AND secret_hash = ${pair.secretHash}`),
  });
  return rows === "made" || rows.isSet.length === 1;
}

export async function findClient(db: D1Database, clientId: string): Promise<Client | undefined> {
  const [row] = await runQuery<ClientRow>(prepare(db, sql`SELECT * FROM clients WHERE client_id = ${clientId}`));
  return row && toClient(row);
}

/** Unreadable operations count as none: that client is refused, and the other clients of the query are not. */
export function readOperations(row: Pick<ClientRow, "operations">): Operation[] {
  return parseJsonColumn<Operation[]>(row.operations, []);
}

/** The default is stored as NULL: the index of clients that want other events leaves those out. */
function eventsColumn(events: ClientEvent[]): string | null {
  const isDefault = events.length === DEFAULT_EVENTS.length && DEFAULT_EVENTS.every((event) => events.includes(event));
  return isDefault ? null : JSON.stringify(events);
}

export function toClient(row: ClientRow): Client {
  return {
    clientId: row.client_id,
    websiteId: row.website_id,
    name: row.name,
    callbackUrl: row.callback_url,
    operations: readOperations(row),
    events: row.events === null ? [...DEFAULT_EVENTS] : parseJsonColumn<ClientEvent[]>(row.events, []),
    suspended: row.suspended === 1,
    createdAt: row.created_at,
    changedAt: row.changed_at,
  };
}
