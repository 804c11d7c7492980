import { runNamed } from "./database.ts";
import type { IdempotencyKeyRow } from "./rows.ts";
import { adoptBulk } from "./send-keys.ts";

/** Makes a request, or one part of a bulk request, happen once: a repetition finds what the first attempt stored. */
export interface IdempotencyKey {
  websiteId: string;
  clientId: string;
  /** The value of the header. */
  key: string;
  /** SHA-256 of the body, or of the part. */
  bodyHash: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
  /** The id of this attempt; for a single message, the message id. */
  attempt: string;
  /** null for a single message. */
  part: BulkPart | null;
}

export interface BulkPart {
  /** The id of the request's first message, which identifies the request. */
  firstId: string;
  /** From 0, or END_PART. */
  number: number;
}

/** Ends a request: no part is added after it, so a longer body under the same key is a conflict. */
export const END_PART = -1;

/** Parts are kept longer than their request: a repetition that began before its key expired still finds them. */
const PART_MARGIN_MILLISECONDS = 24 * 3_600_000;

/** An SQL condition on the parameters ?3, ?4 and ?5. */
export interface Guard {
  condition: string;
  values: [string | null, string | number | null, string | null];
}

/** Whether this attempt holds the key. */
export function isOurs(key: IdempotencyKey | null): Guard {
  if (!key) return { condition: "(?3 IS NULL AND ?4 IS NULL AND ?5 IS NULL)", values: [null, null, null] };
  const { part, clientId, attempt } = key;
  return part
    ? {
        condition: "EXISTS (SELECT 1 FROM bulk_parts WHERE first_id = ?3 AND part = ?4 AND attempt = ?5)",
        values: [part.firstId, part.number, attempt],
      }
    : {
        condition: `EXISTS (SELECT 1 FROM idempotency_keys
          WHERE client_id = ?3 AND operation = 'send' AND idempotency_key = ?4 AND message_id = ?5)`,
        values: [clientId, key.key, attempt],
      };
}

/** Claims the key for this attempt, unless another attempt holds it. */
export function claimKey(db: D1Database, key: IdempotencyKey, now: number): D1PreparedStatement {
  const { part, clientId, bodyHash, attempt, expiresAt } = key;
  return part
    ? db
        .prepare(
          `INSERT INTO bulk_parts (first_id, part, body_hash, attempt, expires_at) SELECT ?1, ?2, ?3, ?4, ?5
           WHERE NOT EXISTS (SELECT 1 FROM bulk_parts WHERE first_id = ?1 AND part = ${END_PART})
           ON CONFLICT (first_id, part) DO NOTHING`,
        )
        .bind(part.firstId, part.number, bodyHash, attempt, expiresAt + PART_MARGIN_MILLISECONDS)
    : db
        .prepare(
          `INSERT INTO idempotency_keys (client_id, operation, idempotency_key, body_hash, message_id, expires_at)
           VALUES (?1, 'send', ?2, ?3, ?4, ?5)
           ON CONFLICT (client_id, operation, idempotency_key) DO UPDATE SET body_hash = ?3, message_id = ?4,
             expires_at = ?5 WHERE idempotency_keys.expires_at <= ?6`,
        )
        .bind(clientId, key.key, bodyHash, attempt, expiresAt, now);
}

/** The body hash and the attempt that hold the key, as `body_hash` and `attempt`. */
export function selectHolder(db: D1Database, { part, clientId, key }: IdempotencyKey): D1PreparedStatement {
  return part
    ? db
        .prepare("SELECT body_hash, attempt FROM bulk_parts WHERE first_id = ?1 AND part = ?2")
        .bind(part.firstId, part.number)
    : db
        .prepare(
          `SELECT body_hash, message_id AS attempt FROM idempotency_keys
           WHERE client_id = ?1 AND operation = 'send' AND idempotency_key = ?2`,
        )
        .bind(clientId, key);
}

/**
 * Starts a bulk request, or finds the request that holds the key. A repeated request gets the same message ids until the key
 * expires; the next request under the key gets new ones.
 * @param newId the id of the first message of a new request
 * @param expiresAt milliseconds since 1970
 */
export async function beginBulk(
  db: D1Database,
  bulk: { websiteId: string; clientId: string; key: string; newId: string; expiresAt: number; now: number },
): Promise<{ firstId: string; expiresAt: number }> {
  const { clientId, key, newId, expiresAt, now } = bulk;
  const { holder } = await runNamed(db, {
    ...(await adoptBulk(db, bulk)),
    claim: db
      .prepare(
        `INSERT INTO idempotency_keys (client_id, operation, idempotency_key, body_hash, message_id, expires_at)
         VALUES (?1, 'bulk', ?2, '', ?3, ?4)
         ON CONFLICT (client_id, operation, idempotency_key) DO UPDATE SET message_id = ?3, expires_at = ?4
         WHERE idempotency_keys.expires_at <= ?5`,
      )
      .bind(clientId, key, newId, expiresAt, now),
    holder: db
      .prepare(
        `SELECT message_id, expires_at FROM idempotency_keys
         WHERE client_id = ?1 AND operation = 'bulk' AND idempotency_key = ?2`,
      )
      .bind(clientId, key),
  });
  const [kept] = holder as [IdempotencyKeyRow];
  return { firstId: kept.message_id, expiresAt: kept.expires_at };
}
