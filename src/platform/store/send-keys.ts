// The table send_keys, in which the version before keeps what a repeated request must find again. Its rows are adopted into
// the tables of this version, and the rows of this version are mirrored for it, so that neither an upgrade nor a rollback
// forgets a key. All of this goes, with the table, in the next release.
import { sha256Hex } from "../secrets.ts";
import { RECIPIENTS } from "./recipients.ts";

/** See IdempotencyKey. */
interface Key {
  websiteId: string;
  clientId: string;
  key: string;
  bodyHash: string;
  expiresAt: number;
  attempt: string;
  part: { firstId: string; number: number } | null;
}

/** A key of send_keys belongs to a website; its message identifies the client. */
export function adoptKey(db: D1Database, key: Key, now: number): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO idempotency_keys (client_id, operation, idempotency_key, body_hash, message_id, expires_at)
       SELECT ?2, 'send', ?3, k.body_hash, k.message_id, k.expires_at
       FROM send_keys k CROSS JOIN messages m ON m.message_id = k.message_id
       WHERE k.website_id = ?1 AND k.send_key = 'key:' || ?3 AND k.expires_at > ?4 AND m.client_id = ?2
       ON CONFLICT (client_id, operation, idempotency_key) DO UPDATE SET body_hash = excluded.body_hash,
         message_id = excluded.message_id, expires_at = excluded.expires_at WHERE idempotency_keys.expires_at <= ?4`,
    )
    .bind(key.websiteId, key.clientId, key.key, now);
}

/** Mirrors the claim of this attempt. */
export function mirrorKey(db: D1Database, key: Key, now: number): D1PreparedStatement {
  const { part } = key;
  const claimed = part
    ? "bulk_parts WHERE first_id = ?6 AND part = ?7 AND attempt = ?4"
    : "idempotency_keys WHERE client_id = ?6 AND operation = 'send' AND idempotency_key = ?7 AND message_id = ?4";
  return db
    .prepare(
      `INSERT INTO send_keys (website_id, send_key, body_hash, message_id, expires_at)
       SELECT ?1, ?2, ?3, ?4, ?5 FROM ${claimed}
       ON CONFLICT (website_id, send_key) DO UPDATE SET body_hash = ?3, message_id = ?4, expires_at = ?5
       WHERE send_keys.expires_at <= ?8`,
    )
    .bind(
      key.websiteId,
      part ? `bulk:${part.number < 0 ? "end" : part.number}:${key.key}` : `key:${key.key}`,
      key.bodyHash,
      key.attempt,
      key.expiresAt,
      part ? part.firstId : key.clientId,
      part ? part.number : key.key,
      now,
    );
}

/** The previous version derives the message ids of a bulk request from website and key: such a message identifies the client. */
export async function adoptBulk(
  db: D1Database,
  { websiteId, clientId, key, now }: { websiteId: string; clientId: string; key: string; now: number },
): Promise<{ request: D1PreparedStatement; parts: D1PreparedStatement }> {
  const firstId = await firstIdOf(websiteId, key);
  const counted = firstId.slice(0, -8);
  return {
    request: db
      .prepare(
        `INSERT INTO idempotency_keys (client_id, operation, idempotency_key, body_hash, message_id, expires_at)
         SELECT ?2, 'bulk', ?3, '', ?4, k.expires_at FROM send_keys k
         WHERE k.website_id = ?1 AND k.send_key = 'bulk:0:' || ?3 AND k.expires_at > ?5 AND EXISTS (
           SELECT 1 FROM messages m WHERE m.message_id BETWEEN ?6 AND ?7 AND m.client_id = ?2 AND m.accepted_at > ?8)
         ON CONFLICT (client_id, operation, idempotency_key) DO UPDATE SET message_id = excluded.message_id,
           expires_at = excluded.expires_at WHERE idempotency_keys.expires_at <= ?5`,
      )
      .bind(websiteId, clientId, key, firstId, now, `${counted}00000000`, `${counted}ffffffff`, now - 24 * 3_600_000),
    parts: db
      .prepare(
        `INSERT INTO bulk_parts (first_id, part, body_hash, attempt, expires_at)
         SELECT ?4, iif(part = 'end', -1, CAST(part AS INTEGER)), body_hash, message_id, expires_at FROM (
           SELECT substr(send_key, 6, instr(substr(send_key, 6), ':') - 1) AS part, * FROM send_keys
           WHERE website_id = ?1 AND send_key >= 'bulk:' AND send_key < 'bulk;' AND expires_at > ?5)
         WHERE send_key = 'bulk:' || part || ':' || ?3 AND EXISTS (SELECT 1 FROM idempotency_keys
           WHERE client_id = ?2 AND operation = 'bulk' AND idempotency_key = ?3 AND message_id = ?4)
         ON CONFLICT (first_id, part) DO NOTHING`,
      )
      .bind(websiteId, clientId, key, firstId, now),
  };
}

async function firstIdOf(websiteId: string, key: string): Promise<string> {
  const hex = await sha256Hex(`bulk ${websiteId} ${key}`);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const SAME_KEY = "'same:' || (value ->> 'dedupeHash') || ':' || r.phone";

/** @param list see RECIPIENTS */
export function adoptDuplicates(db: D1Database, list: string, websiteId: string, now: number): D1PreparedStatement {
  return db
    .prepare(
      `${RECIPIENTS} INSERT INTO duplicate_keys (website_id, phone, content_hash, message_id, expires_at, was_repeated)
       SELECT ?2, r.phone, r.value ->> 'dedupeHash', k.message_id, k.expires_at, k.body_hash = 'repeated'
       FROM recipients r CROSS JOIN send_keys k ON k.website_id = ?2 AND k.send_key = ${SAME_KEY} WHERE k.expires_at > ?3
       ON CONFLICT (website_id, phone, content_hash) DO UPDATE SET message_id = excluded.message_id,
         expires_at = excluded.expires_at, was_repeated = excluded.was_repeated WHERE duplicate_keys.expires_at <= ?3`,
    )
    .bind(list, websiteId, now);
}

export function mirrorDuplicates(
  db: D1Database,
  list: string,
  websiteId: string,
  guard: { condition: string; values: unknown[] },
): D1PreparedStatement {
  return db
    .prepare(
      `${RECIPIENTS} INSERT INTO send_keys (website_id, send_key, body_hash, message_id, expires_at)
       SELECT ?2, ${SAME_KEY}, iif(k.was_repeated = 1, 'repeated', ''), k.message_id, k.expires_at
       FROM recipients r CROSS JOIN duplicate_keys k
         ON k.website_id = ?2 AND k.phone = r.phone AND k.content_hash = value ->> 'dedupeHash'
       WHERE ${guard.condition}
       ON CONFLICT (website_id, send_key) DO UPDATE SET body_hash = excluded.body_hash, message_id = excluded.message_id,
         expires_at = excluded.expires_at`,
    )
    .bind(list, websiteId, ...guard.values);
}

/** The duplicates of bulk requests, with the messages that they repeat. */
export function adoptSuppressed(db: D1Database, list: string, websiteId: string): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO suppressed_messages (message_id, first_id, expires_at)
       SELECT j.value ->> 'messageId', k.message_id, k.expires_at FROM json_each(?1) j
       CROSS JOIN send_keys k ON k.website_id = ?2 AND k.send_key = 'duplicate:' || (j.value ->> 'messageId') WHERE true
       ON CONFLICT (message_id) DO NOTHING`,
    )
    .bind(list, websiteId);
}

/** Whether a duplicate was answered with this message's id. */
export const WAS_REPEATED_BEFORE = (
  messageId: string,
) => `EXISTS (SELECT 1 FROM send_keys s WHERE s.message_id = ${messageId}
  AND s.send_key >= 'same:' AND s.send_key < 'same;' AND s.body_hash = 'repeated')`;
