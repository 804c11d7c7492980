import { NEVER_SENT } from "../../domain/messages/message.ts";
import { oneFormIn } from "../people/number-forms.ts";
import type { SuppressedMessageRow } from "../rows.ts";
import { piece, prepare, type Query, type Sql, sql } from "../sql.ts";
import { recipients } from "./recipients.ts";

/** The number of a recipient `r` as keys of content have it; NULL: its message may repeat another. */
export const PHONE_OF_KEY = sql`iif(r.value ->> 'dedupeHash' IS NULL, NULL, ${oneFormIn(piece("r.phone"))})`;

/** Joins the key of the content of a recipient `r` as `k`. */
export const KEY_OF_CONTENT = sql`k.website_id = r.website_id AND k.phone = ${PHONE_OF_KEY}
  AND k.content_hash = r.value ->> 'dedupeHash'`;

/** Condition: the recipient's message is the first of its content. Only that one is stored. */
export const IS_FIRST = sql`(r.phone IS NULL OR r.value ->> 'dedupeHash' IS NULL
  OR EXISTS (SELECT 1 FROM duplicate_keys k WHERE ${KEY_OF_CONTENT} AND k.message_id = r.message_id))`;

/**
 * Claims the content keys of a list of messages. The first message of a key gets it. An existing key is replaced if it has
 * expired, or if its message was certainly never sent. Any other existing key stays, and `was_repeated` notes that a client now has the id
 * of its message as the answer to another request: cancelUnconfirmed leaves such a message alone.
 * @param list see recipients; each item has `duplicatesUntil`, in milliseconds since 1970
 * @param condition on the recipient `r`
 */
export function claimDuplicates(db: D1Database, list: string, now: number, condition: Sql): D1PreparedStatement {
  const givesWay = sql`(duplicate_keys.expires_at <= ${now} OR EXISTS (SELECT 1 FROM messages m
    WHERE m.message_id = duplicate_keys.message_id AND m.status IN (SELECT value FROM json_each(${JSON.stringify(NEVER_SENT)}))))`;
  return prepare(
    db,
    sql`${recipients(list)} INSERT INTO duplicate_keys (website_id, phone, content_hash, message_id, expires_at)
      SELECT r.website_id, ${PHONE_OF_KEY}, r.value ->> 'dedupeHash', r.message_id, r.value ->> 'duplicatesUntil' FROM recipients r
      WHERE r.phone IS NOT NULL AND r.value ->> 'dedupeHash' IS NOT NULL AND ${condition}
      ON CONFLICT (website_id, phone, content_hash) DO UPDATE SET
        message_id = iif(${givesWay}, excluded.message_id, message_id),
        expires_at = iif(${givesWay}, excluded.expires_at, expires_at), was_repeated = 1 - ${givesWay}
      WHERE duplicate_keys.message_id <> excluded.message_id`,
  );
}

/** Keeps each duplicate of a bulk request with an Idempotency-Key with the message that it repeats. */
export function keepSuppressed(db: D1Database, list: string, expiresAt: number): D1PreparedStatement {
  return prepare(
    db,
    sql`${recipients(list)} INSERT INTO suppressed_messages (message_id, first_id, expires_at)
      SELECT r.message_id, k.message_id, ${expiresAt} FROM recipients r CROSS JOIN duplicate_keys k ON ${KEY_OF_CONTENT}
      WHERE k.message_id <> r.message_id
      ON CONFLICT (message_id) DO NOTHING`,
  );
}

/** Each message that repeats another, as `message_id` and `first_id`. */
export function selectDuplicates(
  db: D1Database,
  list: string,
): Query<Pick<SuppressedMessageRow, "message_id" | "first_id">> {
  return prepare(
    db,
    sql`${recipients(list)} SELECT r.message_id, k.message_id AS first_id
      FROM recipients r CROSS JOIN duplicate_keys k ON ${KEY_OF_CONTENT} WHERE k.message_id <> r.message_id`,
  );
}
