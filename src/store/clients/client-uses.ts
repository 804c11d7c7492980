import type { Client, ClientUse } from "../../domain/clients/client.ts";
import {
  CLIENT_REFUSALS,
  type ClientRefusal,
  REFUSED_AGAIN_MILLISECONDS,
  USED_AGAIN_MILLISECONDS,
} from "../../domain/clients/client-uses.ts";
import { runQuery } from "../database.ts";
import { IS_OPEN } from "../databases/moving.ts";
import type { ClientRow } from "../rows.ts";
import { toClient } from "./clients.ts";

/** No row is written where another isolate has stored a use lately. */
export async function storeUse(db: D1Database, clientId: string, now: number): Promise<void> {
  const statement = db.prepare(
    `UPDATE clients SET used_at = ?2
     WHERE client_id = ?1 AND coalesce(used_at, 0) <= ?2 - ${USED_AGAIN_MILLISECONDS}
       AND ${IS_OPEN("clients.website_id")}`,
  );
  await runQuery(statement.bind(clientId, now));
}

/** No row is written where another isolate has stored a refusal of this cause lately. */
export async function storeRefusal(db: D1Database, clientId: string, cause: ClientRefusal, now: number): Promise<void> {
  const statement = db.prepare(
    `UPDATE clients SET refused_at = ?2, refusal = ?3
     WHERE client_id = ?1 AND (coalesce(refused_at, 0) <= ?2 - ${REFUSED_AGAIN_MILLISECONDS} OR refusal <> ?3)
       AND ${IS_OPEN("clients.website_id")}`,
  );
  await runQuery(statement.bind(clientId, now, cause));
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
