import type { Client, ClientUse } from "../../domain/clients/client.ts";
import {
  CLIENT_REFUSALS,
  type ClientRefusal,
  REFUSED_AGAIN_MILLISECONDS,
  USED_AGAIN_MILLISECONDS,
} from "../../domain/clients/client-uses.ts";
import { runQuery, runWrite } from "../database.ts";
import type { ClientRow } from "../rows.ts";
import { prepare, sql } from "../sql.ts";
import { toClient } from "./clients.ts";

/** No row is written if another isolate has just stored a use of this secret. */
export async function storeUse(db: D1Database, clientId: string, secretHash: string, now: number): Promise<void> {
  await runWrite(
    db,
    prepare(
      db,
      sql`UPDATE clients SET used_at = ${now}, secret_used_at = iif(secret_hash = ${secretHash}, ${now}, secret_used_at),
          old_secret_used_at = iif(old_secret_hash = ${secretHash}, ${now}, old_secret_used_at)
        WHERE client_id = ${clientId}
          AND coalesce(CASE ${secretHash} WHEN secret_hash THEN secret_used_at WHEN old_secret_hash THEN old_secret_used_at
            ELSE used_at END, 0) <= ${now - USED_AGAIN_MILLISECONDS}`,
    ),
  );
}

/** No row is written if another isolate has just stored a refusal with this cause. */
export async function storeRefusal(db: D1Database, clientId: string, cause: ClientRefusal, now: number): Promise<void> {
  await runWrite(
    db,
    prepare(
      db,
      sql`UPDATE clients SET refused_at = ${now}, refusal = ${cause}
        WHERE client_id = ${clientId}
          AND (coalesce(refused_at, 0) <= ${now - REFUSED_AGAIN_MILLISECONDS} OR refusal <> ${cause})`,
    ),
  );
}

/** A client with what is known of its requests. */
export async function readClient(
  db: D1Database,
  clientId: string,
  now: number,
): Promise<(Client & ClientUse) | undefined> {
  const [row] = await runQuery<ClientRow>(prepare(db, sql`SELECT * FROM clients WHERE client_id = ${clientId}`));
  return row && { ...toClient(row), ...toUse(row, now) };
}

export async function listClientsWithUse(
  db: D1Database,
  websiteId: string,
  now: number,
): Promise<(Client & ClientUse)[]> {
  const query = prepare(db, sql`SELECT * FROM clients WHERE website_id = ${websiteId} ORDER BY created_at, client_id`);
  return (await runQuery<ClientRow>(query)).map((row) => ({ ...toClient(row), ...toUse(row, now) }));
}

function toUse(row: ClientRow, now: number): ClientUse {
  const { used_at, rotated_at, old_until, refused_at, refusal } = row;
  const cause = CLIENT_REFUSALS.find((it) => it === refusal);
  return {
    lastUsedAt: used_at,
    rotatedAt: rotated_at,
    oldPairUntil: old_until !== null && old_until > now ? old_until : null,
    secrets: toSecrets(row, now),
    lastRefusal: cause && refused_at !== null ? { at: refused_at, cause } : null,
  };
}

/** The newest first. */
function toSecrets(row: ClientRow, now: number): ClientUse["secrets"] {
  const { old_until: until, old_secret_since: since } = row;
  const present = {
    endsIn: row.secret_end,
    since: row.rotated_at ?? row.created_at,
    validUntil: null,
    lastUsedAt: row.secret_used_at,
  };
  if (until === null || until <= now || row.old_secret_end === null) return [present];
  const old = {
    endsIn: row.old_secret_end,
    since: since ?? row.created_at,
    validUntil: until,
    lastUsedAt: row.old_secret_used_at,
  };
  return [present, old];
}
