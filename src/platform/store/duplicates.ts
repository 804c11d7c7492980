import { NEVER_SENT } from "../../domain/message.ts";
import type { Guard } from "./idempotency-keys.ts";
import { RECIPIENTS } from "./recipients.ts";

/** The key of a recipient `r` and its content, joined as `k`. */
const KEY = "k.website_id = ?2 AND k.phone = r.phone AND k.content_hash = r.value ->> 'dedupeHash'";

/** Whether the recipient's message is the first of its content: only that one is stored. */
export const IS_FIRST = `(r.phone IS NULL OR EXISTS (SELECT 1 FROM duplicate_keys k WHERE ${KEY} AND k.message_id = r.message_id))`;

/** An existing key is replaced if it has expired, or if its message was certainly never sent. */
const GIVES_WAY = `(duplicate_keys.expires_at <= ?7 OR EXISTS (SELECT 1 FROM messages m
  WHERE m.message_id = duplicate_keys.message_id AND m.status IN (${NEVER_SENT.map((status) => `'${status}'`)})))`;

/**
 * Claims the content keys of the messages. The first message of a key gets it.
 * @param list see RECIPIENTS, each with its `dedupeHash`
 * @param until milliseconds since 1970
 */
export function claimDuplicates(
  db: D1Database,
  list: string,
  websiteId: string,
  guard: Guard,
  { until, now }: { until: number; now: number },
): D1PreparedStatement {
  const kept = (column: string) => `iif(${GIVES_WAY}, excluded.${column}, ${column})`;
  return db
    .prepare(
      `${RECIPIENTS} INSERT INTO duplicate_keys (website_id, phone, content_hash, message_id, expires_at)
       SELECT ?2, r.phone, r.value ->> 'dedupeHash', r.message_id, ?6 FROM recipients r
       WHERE r.phone IS NOT NULL AND ${guard.condition}
       ON CONFLICT (website_id, phone, content_hash) DO UPDATE SET message_id = ${kept("message_id")},
         expires_at = ${kept("expires_at")}, was_repeated = 1 - ${GIVES_WAY}
       WHERE duplicate_keys.message_id <> excluded.message_id`,
    )
    .bind(list, websiteId, ...guard.values, until, now);
}

/** An Idempotency-Key on a duplicate stands for the message that the duplicate repeats. */
export function pointToFirst(db: D1Database, list: string, websiteId: string, guard: Guard): D1PreparedStatement {
  return db
    .prepare(
      `${RECIPIENTS} UPDATE idempotency_keys SET message_id =
         coalesce((SELECT k.message_id FROM recipients r CROSS JOIN duplicate_keys k ON ${KEY}), message_id)
       WHERE client_id = ?3 AND operation = 'send' AND idempotency_key = ?4 AND message_id = ?5`,
    )
    .bind(list, websiteId, ...guard.values);
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
       SELECT r.message_id, k.message_id, ?6 FROM recipients r CROSS JOIN duplicate_keys k ON ${KEY}
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
         FROM recipients r CROSS JOIN duplicate_keys k ON ${KEY} WHERE k.message_id <> r.message_id`,
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
