import { runQuery } from "../database.ts";
import type { ClientRow } from "../rows.ts";
import { prepare, sql } from "../sql.ts";

/** Encrypted: one, or two while a secret is being replaced. */
export async function readCallbackSecrets(db: D1Database, clientId: string, now: number): Promise<string[]> {
  const [row] = await runQuery<Pick<ClientRow, "callback_secret" | "old_callback_secret">>(
    prepare(
      db,
      sql`SELECT callback_secret, iif(old_until > ${now}, old_callback_secret, NULL) AS old_callback_secret
        FROM clients WHERE client_id = ${clientId}`,
    ),
  );
  return [row?.callback_secret, row?.old_callback_secret].filter((secret) => typeof secret === "string");
}
