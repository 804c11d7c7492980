import { toDigits } from "../../domain/phone.ts";
import { runBatch, runQuery } from "./database.ts";

/**
 * Which of the numbers are subscribed to the website's text program, in one query.
 * @param phones E.164, distinct
 */
export async function findSubscribed(db: D1Database, websiteId: string, phones: string[]): Promise<Set<number>> {
  // Sorted keys walk the index from one end to the other, and one JSON value comes back in place of a row each.
  const sorted = Float64Array.from(phones, toDigits).sort();
  const [row] = await runQuery(
    db
      .prepare(
        `SELECT json_group_array(s.phone) AS phones FROM json_each(?2) j
         CROSS JOIN subscriptions s ON s.website_id = ?1 AND s.phone = j.value WHERE s.subscribed = 1`,
      )
      .bind(websiteId, `[${sorted.join(",")}]`),
  );
  return new Set(JSON.parse((row?.phones as string | undefined) ?? "[]") as number[]);
}

/** The number of an e-mail address: of several, the one subscribed last; null without one. */
export async function findPhoneByEmail(db: D1Database, websiteId: string, email: string): Promise<number | null> {
  const [row] = await runQuery(
    db
      .prepare(
        `SELECT phone FROM subscriptions WHERE website_id = ?1 AND email = ?2 AND subscribed = 1
         ORDER BY change_id DESC LIMIT 1`,
      )
      .bind(websiteId, email),
  );
  return (row?.phone as number | undefined) ?? null;
}

export interface SubscriptionChange {
  /** E.164 */
  phone: string;
  subscribed: boolean;
  /** Lower case; null keeps the address that the number has. */
  email: string | null;
}

/** Who changed a subscription, and what shows it: a request id, or the text of a message. */
export interface ChangeOrigin {
  source: "import" | "api" | "keyword" | "carrier";
  proof: string;
  now: number;
}

/** About 60 bytes each: well under D1's 2 MB for one value. */
const CHANGES_A_BATCH = 10_000;

/** Sets the state of numbers, in the order given, and adds what changes to the ledger. Repeating it changes nothing. */
export async function changeSubscriptions(
  db: D1Database,
  websiteId: string,
  changes: SubscriptionChange[],
  origin: ChangeOrigin,
): Promise<void> {
  for (let start = 0; start < changes.length; start += CHANGES_A_BATCH) {
    const rows = changes
      .slice(start, start + CHANGES_A_BATCH)
      .map(({ phone, subscribed, email }) => [toDigits(phone), subscribed ? 1 : 0, email]);
    const list = JSON.stringify(rows);
    await runBatch(db, [
      db
        .prepare(
          `INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof)
           SELECT ?1, j.value ->> 0, s.subscribed, j.value ->> 1, ?3, ?4, ?5
           FROM json_each(?2) j LEFT JOIN subscriptions s ON s.website_id = ?1 AND s.phone = j.value ->> 0
           WHERE s.subscribed IS NOT j.value ->> 1 ORDER BY j.key`,
        )
        .bind(websiteId, list, origin.now, origin.source, origin.proof),
      db
        .prepare(
          `INSERT INTO subscriptions (website_id, phone, subscribed, email, change_id)
           SELECT ?1, j.value ->> 0, j.value ->> 1, j.value ->> 2, (SELECT max(change_id) FROM subscription_changes c
             WHERE c.website_id = ?1 AND c.phone = j.value ->> 0)
           FROM json_each(?2) j WHERE true
           ON CONFLICT (website_id, phone) DO UPDATE SET subscribed = excluded.subscribed,
             email = coalesce(excluded.email, subscriptions.email), change_id = excluded.change_id`,
        )
        .bind(websiteId, list),
    ]);
  }
}
