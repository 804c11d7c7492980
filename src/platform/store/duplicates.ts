import { NEVER_SENT } from "../../domain/message.ts";
import type { Guard } from "./idempotency-keys.ts";
import { RECIPIENTS } from "./recipients.ts";

/** The key of the content of a recipient `r`, joined as `k`. */
export const KEY_OF_CONTENT =
  "k.website_id = r.website_id AND k.phone = r.phone AND k.content_hash = r.value ->> 'dedupeHash'";

/** Whether the recipient's message is the first of its content: only that one is stored. */
export const IS_FIRST = `(r.phone IS NULL OR r.value ->> 'dedupeHash' IS NULL
  OR EXISTS (SELECT 1 FROM duplicate_keys k WHERE ${KEY_OF_CONTENT} AND k.message_id = r.message_id))`;

/**
 * Claims the content keys of the recipients `r`. The first message of a key gets it. An existing key is replaced if it has
 * expired, or if its message was certainly never sent.
 * @param sql `until` and `now` in milliseconds since 1970
 */
export function claimDuplicates(sql: Record<"until" | "now" | "condition", string>): string {
  const { until, now, condition } = sql;
  const givesWay = `(duplicate_keys.expires_at <= ${now} OR EXISTS (SELECT 1 FROM messages m
    WHERE m.message_id = duplicate_keys.message_id AND m.status IN (${NEVER_SENT.map((status) => `'${status}'`)})))`;
  const kept = (column: string) => `iif(${givesWay}, excluded.${column}, ${column})`;
  return `${RECIPIENTS} INSERT INTO duplicate_keys (website_id, phone, content_hash, message_id, expires_at)
    SELECT r.website_id, r.phone, r.value ->> 'dedupeHash', r.message_id, ${until} FROM recipients r
    WHERE r.phone IS NOT NULL AND r.value ->> 'dedupeHash' IS NOT NULL AND ${condition}
    ON CONFLICT (website_id, phone, content_hash) DO UPDATE SET message_id = ${kept("message_id")},
      expires_at = ${kept("expires_at")}, was_repeated = 1 - ${givesWay}
    WHERE duplicate_keys.message_id <> excluded.message_id`;
}

/** Of a bulk request with an Idempotency-Key, each duplicate is kept with the message that it repeats. */
export function keepSuppressed(
  db: D1Database,
  list: string,
  websiteId: string,
  guard: Guard,
  expiresAt: number,
): D1PreparedStatement {
  return db
    .prepare(
      `${RECIPIENTS} INSERT INTO suppressed_messages (message_id, first_id, expires_at)
       SELECT r.message_id, k.message_id, ?6 FROM recipients r CROSS JOIN duplicate_keys k ON ${KEY_OF_CONTENT}
       WHERE k.message_id <> r.message_id AND ${guard.condition}
       ON CONFLICT (message_id) DO NOTHING`,
    )
    .bind(list, websiteId, ...guard.values, expiresAt);
}

/** Each message that repeats another, as `message_id` and `first_id`. @param areKept by keepSuppressed */
export function selectDuplicates(
  db: D1Database,
  list: string,
  websiteId: string,
  areKept: boolean,
): D1PreparedStatement {
  if (!areKept) {
    return db
      .prepare(
        `${RECIPIENTS} SELECT r.message_id, k.message_id AS first_id
         FROM recipients r CROSS JOIN duplicate_keys k ON ${KEY_OF_CONTENT} WHERE k.message_id <> r.message_id`,
      )
      .bind(list, websiteId);
  }
  return db
    .prepare(
      `SELECT d.message_id, d.first_id FROM json_each(?1) j
       CROSS JOIN suppressed_messages d ON d.message_id = j.value ->> 'messageId'`,
    )
    .bind(list);
}
