import { runNamed } from "../database.ts";
import { prepare, sql } from "../sql.ts";

/** What a claim has come to: where to post, or when to ask again (milliseconds since 1970). */
export type TestClaim = { callbackUrl: string | null; again?: never } | { again: number };

/**
 * Claims the test event that a client asks for: one in this time, however many requests come at once. A try whose answer is lost may
 * have claimed it; then no event is posted in this time.
 */
export async function claimTestEvent(
  db: D1Database,
  clientId: string,
  milliseconds: number,
  now: number,
): Promise<TestClaim> {
  const { claimed, latest } = await runNamed(db, {
    claimed: prepare(
      db,
      sql<{ callback_url: string | null }>`UPDATE clients SET test_event_at = ${now}
        WHERE client_id = ${clientId} AND coalesce(test_event_at, 0) <= ${now - milliseconds}
        RETURNING callback_url`,
    ),
    latest: prepare(
      db,
      sql<{ test_event_at: number | null }>`SELECT test_event_at FROM clients WHERE client_id = ${clientId}`,
    ),
  });
  const [own] = claimed;
  if (own) return { callbackUrl: own.callback_url };
  return { again: (latest[0]?.test_event_at ?? now) + milliseconds };
}
