import type { Client, ClientUse } from "../../domain/client.ts";
import {
  CLIENT_REFUSALS,
  REFUSED_AGAIN_MILLISECONDS,
  USED_AGAIN_MILLISECONDS,
  type Uses,
} from "../../domain/client-uses.ts";
import { toClient } from "./clients.ts";
import { runBatch, runQuery } from "./database.ts";
import { IS_OPEN } from "./moving.ts";
import type { ClientRow } from "./rows.ts";

/** One row for a client that another isolate has not stored lately; none for an id that no client has. */
export async function storeUses(db: D1Database, { used, refused }: Uses, now: number): Promise<void> {
  const uses = () =>
    db
      .prepare(
        `UPDATE clients SET used_at = ?2 WHERE client_id IN (SELECT value FROM json_each(?1))
           AND coalesce(used_at, 0) <= ?2 - ${USED_AGAIN_MILLISECONDS}
           AND ${IS_OPEN("clients.website_id")}`,
      )
      .bind(JSON.stringify(used), now);
  const cause = `json_extract(?1, '$."' || client_id || '"')`;
  const refusals = () =>
    db
      .prepare(
        `UPDATE clients SET refused_at = ?2, refusal = ${cause} WHERE client_id IN (SELECT key FROM json_each(?1))
           AND (coalesce(refused_at, 0) <= ?2 - ${REFUSED_AGAIN_MILLISECONDS} OR refusal <> ${cause})
           AND ${IS_OPEN("clients.website_id")}`,
      )
      .bind(JSON.stringify(refused), now);
  const isAny = Object.keys(refused).length > 0;
  await runBatch(db, [...(used.length > 0 ? [uses()] : []), ...(isAny ? [refusals()] : [])]);
}

/** A client with what is known of its requests. */
export async function readClient(
  db: D1Database,
  clientId: string,
  now: number,
): Promise<(Client & ClientUse) | undefined> {
  const [row] = await runQuery<ClientRow>(db.prepare("SELECT * FROM clients WHERE client_id = ?1").bind(clientId));
  return row && { ...toClient(row), ...toUse(row, now) };
}

function toUse({ used_at, rotated_at, old_until, refused_at, refusal }: ClientRow, now: number): ClientUse {
  const cause = CLIENT_REFUSALS.find((it) => it === refusal);
  return {
    lastUsedAt: used_at,
    rotatedAt: rotated_at,
    oldPairUntil: old_until !== null && old_until > now ? old_until : null,
    lastRefusal: cause && refused_at !== null ? { at: refused_at, cause } : null,
  };
}
