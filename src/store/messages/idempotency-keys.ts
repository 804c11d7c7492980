// The Idempotency-Keys of bulk requests. sends.ts claims the keys of single sends. A key lives for 24 hours: see accept-message.ts in flows.
import { runNamed, runQuery, runWrite } from "../database.ts";
import type { IdempotencyKeyRow } from "../rows.ts";
import { prepare, sql } from "../sql.ts";

/** One part of a bulk request with an Idempotency-Key. It is stored once: a repetition finds what the first attempt stored. */
export interface BulkPart {
  /** The id of the request's first message, which identifies the request. */
  firstId: string;
  /** From 0. The last one has no message, and the count of all as its body: a longer or shorter body under the same key is a conflict. */
  number: number;
  /** The ids of its messages, also of those that break a rule. */
  ids: string[];
  /** SHA-256 of the part in its canonical form. */
  bodyHash: string;
  /** The id of this attempt. */
  attempt: string;
  /** The Idempotency-Key. */
  key: string;
  /** When the key expires: milliseconds since 1970. */
  expiresAt: number;
}

/**
 * Parts, and their duplicates, are kept longer than their key: a repetition that began before it expired still finds them, and so does one
 * whose key was kept because the daily limit refused it, some times over.
 */
const PART_MARGIN_MILLISECONDS = 7 * 24 * 3_600_000;

/** Until when a part and its duplicates are kept, by the end of its key. Milliseconds since 1970. */
export const keptUntil = (keyExpiresAt: number): number => keyExpiresAt + PART_MARGIN_MILLISECONDS;

/**
 * Begins the transaction that stores the part. If any attempt has stored the part, this row exists, and the transaction fails with a
 * RowExistsError.
 */
export function insertPart(db: D1Database, part: BulkPart): D1PreparedStatement {
  return prepare(
    db,
    sql`INSERT INTO bulk_parts (first_id, part, body_hash, attempt, expires_at)
      VALUES (${part.firstId}, ${part.number}, ${part.bodyHash}, ${part.attempt}, ${keptUntil(part.expiresAt)})`,
  );
}

/** Longer than any Retry-After of the daily limit: see COUNTED_MINUTES. */
export const REFUSED_MILLISECONDS = 48 * 3_600_000;

/**
 * The daily limit has refused a part, and its client comes again when there is room. That may be after the end of the key, and then all
 * parts that are stored would be stored once more, so the key is kept longer.
 */
export async function keepKey(
  db: D1Database,
  { clientId, key, firstId }: Pick<BulkPart, "key" | "firstId"> & { clientId: string },
  now: number,
): Promise<void> {
  await runWrite(
    db,
    prepare(
      db,
      sql`UPDATE idempotency_keys SET expires_at = max(expires_at, ${now + REFUSED_MILLISECONDS})
        WHERE client_id = ${clientId} AND operation = 'bulk' AND idempotency_key = ${key} AND message_id = ${firstId}`,
    ),
  );
}

/** The row of the part. undefined: no attempt has stored the part. */
export async function readHolder(
  db: D1Database,
  { firstId, number }: BulkPart,
): Promise<{ body_hash: string; attempt: string } | undefined> {
  const [holder] = await runQuery<{ body_hash: string; attempt: string }>(
    prepare(db, sql`SELECT body_hash, attempt FROM bulk_parts WHERE first_id = ${firstId} AND part = ${number}`),
  );
  return holder;
}

/** The key of a single send, which may have expired. undefined: nothing has it. */
export async function readKey(db: D1Database, clientId: string, key: string): Promise<IdempotencyKeyRow | undefined> {
  const [row] = await runQuery<IdempotencyKeyRow>(
    prepare(
      db,
      sql`SELECT * FROM idempotency_keys
        WHERE client_id = ${clientId} AND operation = 'send' AND idempotency_key = ${key}`,
    ),
  );
  return row;
}

/** A bulk request. Times in milliseconds since 1970. */
export interface Begun {
  /** The id of its first message. */
  firstId: string;
  /** When its key expires. */
  expiresAt: number;
  /** When it first came. */
  begunAt: number;
}

/**
 * Starts a bulk request, or finds the request that holds the key. A repeated request gets the same message ids until the key
 * expires; the next request under the key gets new ones.
 * @param newId the id of the first message of a new request
 * @param expiresAt milliseconds since 1970
 */
export async function beginBulk(
  db: D1Database,
  bulk: { clientId: string; key: string; newId: string; expiresAt: number; now: number },
): Promise<Begun> {
  const { clientId, key, newId, expiresAt, now } = bulk;
  const { holder } = await runNamed(db, {
    claim: prepare(
      db,
      sql`INSERT INTO idempotency_keys (client_id, operation, idempotency_key, body_hash, message_id, expires_at, begun_at)
        VALUES (${clientId}, 'bulk', ${key}, '', ${newId}, ${expiresAt}, ${now})
        ON CONFLICT (client_id, operation, idempotency_key)
        DO UPDATE SET message_id = ${newId}, expires_at = ${expiresAt}, begun_at = ${now}
        WHERE idempotency_keys.expires_at <= ${now}`,
    ),
    holder: prepare(
      db,
      sql<
        Pick<IdempotencyKeyRow, "message_id" | "expires_at" | "begun_at">
      >`SELECT message_id, expires_at, begun_at FROM idempotency_keys
        WHERE client_id = ${clientId} AND operation = 'bulk' AND idempotency_key = ${key}`,
    ),
  });
  const [kept] = holder;
  if (!kept) throw new Error("the key of a bulk request has no holder");
  return { firstId: kept.message_id, expiresAt: kept.expires_at, begunAt: kept.begun_at ?? now };
}
