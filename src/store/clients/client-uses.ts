import type { Client, ClientUse } from "../../domain/clients/client.ts";
import {
  CLIENT_REFUSALS,
  type ClientRefusal,
  REFUSED_AGAIN_MILLISECONDS,
  USED_AGAIN_MILLISECONDS,
} from "../../domain/clients/client-uses.ts";
import { runQuery } from "../database.ts";
import { STATE } from "../databases/moving.ts";
import type { ClientRow } from "../rows.ts";
import { prepare, sql } from "../sql.ts";
import { toClient } from "./clients.ts";

/** No row is written where another isolate has stored a use lately. */
export async function storeUse(db: D1Database, clientId: string, now: number): Promise<void> {
  await runQuery(
    prepare(
      db,
      sql`UPDATE clients AS c SET used_at = ${now}
        WHERE client_id = ${clientId} AND coalesce(used_at, 0) <= ${now - USED_AGAIN_MILLISECONDS}
          AND NOT EXISTS (SELECT 1 FROM moving v WHERE v.website_id = c.website_id AND v.state >= ${STATE.paused})`,
    ),
  );
}

/** No row is written where another isolate has stored a refusal of this cause lately. */
export async function storeRefusal(db: D1Database, clientId: string, cause: ClientRefusal, now: number): Promise<void> {
  await runQuery(
    prepare(
      db,
      sql`UPDATE clients AS c SET refused_at = ${now}, refusal = ${cause}
        WHERE client_id = ${clientId}
          AND (coalesce(refused_at, 0) <= ${now - REFUSED_AGAIN_MILLISECONDS} OR refusal <> ${cause})
          AND NOT EXISTS (SELECT 1 FROM moving v WHERE v.website_id = c.website_id AND v.state >= ${STATE.paused})`,
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

function toUse({ used_at, rotated_at, old_until, refused_at, refusal }: ClientRow, now: number): ClientUse {
  const cause = CLIENT_REFUSALS.find((it) => it === refusal);
  return {
    lastUsedAt: used_at,
    rotatedAt: rotated_at,
    oldPairUntil: old_until !== null && old_until > now ? old_until : null,
    lastRefusal: cause && refused_at !== null ? { at: refused_at, cause } : null,
  };
}
