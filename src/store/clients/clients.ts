import { type Client, type ClientEvent, DEFAULT_EVENTS, type Operation } from "../../domain/clients/client.ts";
import { type AuditEntry, type Author, changeOf } from "../../domain/operations/audit.ts";
import { parseJsonColumn, runBatch, runNamed, runQuery } from "../database.ts";
import { auditStatement } from "../operations/audit.ts";
import type { ClientRow } from "../rows.ts";

export interface NewClient extends Client {
  secretHash: string;
  /** Encrypted. */
  callbackSecret: string;
}

export async function insertClient(db: D1Database, author: Author, client: NewClient): Promise<void> {
  const { clientId, websiteId, name, callbackUrl, operations, suspended } = client;
  const events = eventsColumn(client.events) === null ? undefined : client.events;
  const change = changeOf(undefined, { name: name ?? undefined, callbackUrl, operations, events, suspended });
  const entry: AuditEntry = { action: "create-client", websiteId, clientId, ...change };
  await runBatch(db, [
    db
      .prepare(
        `INSERT INTO clients (client_id, website_id, callback_url, operations, suspended, secret_hash, callback_secret,
           created_at, changed_at, events, name) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9, ?10) ON CONFLICT DO NOTHING`,
      )
      .bind(
        client.clientId,
        client.websiteId,
        client.callbackUrl,
        JSON.stringify(client.operations),
        client.suspended ? 1 : 0,
        client.secretHash,
        client.callbackSecret,
        client.createdAt,
        eventsColumn(client.events),
        name,
      ),
    auditStatement(db, author, entry, client.createdAt),
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
  const entry: AuditEntry = { action: "change-client", websiteId, clientId, ...changeOf(present, change) };
  const [updated] = await runBatch(db, [
    db
      .prepare(
        `UPDATE clients SET callback_url = iif(?2 = 1, ?3, callback_url), operations = coalesce(?4, operations),
           suspended = coalesce(?5, suspended), events = iif(?8 = 1, ?9, events),
           name = iif(?10 = 1, ?11, name), changed_at = max(?6, changed_at + 1), copied_at = NULL
         WHERE client_id = ?1 AND changed_at = ?7 RETURNING *`,
      )
      .bind(
        clientId,
        change.callbackUrl === undefined ? 0 : 1,
        change.callbackUrl ?? null,
        change.operations ? JSON.stringify(change.operations) : null,
        change.suspended === undefined ? null : Number(change.suspended),
        now,
        changedAt,
        change.events === undefined ? 0 : 1,
        change.events === undefined ? null : eventsColumn(change.events),
        change.name === undefined ? 0 : 1,
        change.name ?? null,
      ),
    auditStatement(db, author, entry, now),
  ]);
  const [row] = (updated?.results ?? []) as ClientRow[];
  return row && toClient(row);
}

/**
 * A second rotation within this time replaces the first, whose response may have been lost: the original pair keeps its grace
 * period.
 */
const REPEATED_ROTATION_MILLISECONDS = 10 * 60_000;

/**
 * Sets a new pair of secrets. The present pair (of a repeated rotation, the original pair) stays valid until `oldUntil`.
 * Idempotent for the same pair. For late calls, see updateClient.
 * @returns whether the pair is set; false when the client has changed since it was read
 */
export async function rotateSecrets(
  db: D1Database,
  author: Author,
  { clientId, websiteId, changedAt }: Client,
  pair: { secretHash: string; callbackSecret: string; oldUntil: number },
  now: number,
): Promise<boolean> {
  const old = (column: string) => `iif(rotated_at > ?6 AND old_until > ?5, old_${column}, ${column})`;
  const rows = await runNamed(db, {
    rotated: db
      .prepare(
        `UPDATE clients SET old_secret_hash = ${old("secret_hash")}, old_callback_secret = ${old("callback_secret")},
           old_until = ?4, rotated_at = ?5, secret_hash = ?2, callback_secret = ?3, changed_at = max(?5, changed_at + 1),
           copied_at = NULL
         WHERE client_id = ?1 AND changed_at = ?7`,
      )
      .bind(
        clientId,
        pair.secretHash,
        pair.callbackSecret,
        pair.oldUntil,
        now,
        now - REPEATED_ROTATION_MILLISECONDS,
        changedAt,
      ),
    audited: auditStatement(
      db,
      author,
      { action: "rotate-client", websiteId, clientId, after: { oldPairEndsAt: pair.oldUntil } },
      now,
    ),
    isSet: db
      .prepare("SELECT 1 FROM clients WHERE client_id = ?1 AND secret_hash = ?2")
      .bind(clientId, pair.secretHash),
  });
  return rows.isSet.length === 1;
}

export async function findClient(db: D1Database, clientId: string): Promise<Client | undefined> {
  const [row] = await runQuery<ClientRow>(db.prepare("SELECT * FROM clients WHERE client_id = ?1").bind(clientId));
  return row && toClient(row);
}

export async function listClients(db: D1Database, websiteId: string): Promise<Client[]> {
  const query = db
    .prepare("SELECT * FROM clients WHERE website_id = ?1 ORDER BY created_at, client_id")
    .bind(websiteId);
  return (await runQuery<ClientRow>(query)).map(toClient);
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
