import type { MessageStatus, NewMessage } from "../../domain/message.ts";
import { type Row, runBatch } from "./database.ts";
import { type DueEvent, dueEvents, recordEvents } from "./events.ts";
import { insertMessage, selectStatus } from "./messages.ts";

/** What makes a send request the repetition of an earlier one, until it expires. Unique within a website. */
export interface SendKey {
  key: string;
  /** SHA-256 of the request's body: the same key with another body is a mistake of the caller's. */
  bodyHash: string;
  expiresAt: number;
}

export interface SendKeys {
  /** From the Idempotency-Key header. */
  idempotency?: SendKey | undefined;
  /** From number, text and purpose, where the website suppresses duplicates. */
  duplicate?: SendKey | undefined;
}

export type Acceptance =
  | { kind: "stored"; status: MessageStatus; due: DueEvent[] }
  | { kind: "repeated"; messageId: string }
  | { kind: "conflict" };

/**
 * Stores a message with its first status, and its event if that status is final, in one transaction; or finds the
 * message of which this one is a repetition. However many identical requests come at once, one is stored.
 */
export async function storeMessage(db: D1Database, message: NewMessage, keys: SendKeys): Promise<Acceptance> {
  const { idempotency, duplicate } = keys;
  const present = [idempotency, duplicate].filter((key) => key !== undefined);
  const isRepeated =
    "EXISTS (SELECT 1 FROM send_keys WHERE website_id = ?2 AND send_key IN (?14, ?15) AND message_id <> ?1)";
  const results = await runBatch(db, [
    ...(idempotency ? [claimKey(db, message, idempotency)] : []),
    ...(duplicate ? [claimKey(db, message, duplicate, idempotency)] : []),
    present.length === 0
      ? insertMessage(db, message)
      : insertMessage(db, message, isRepeated, idempotency?.key ?? null, duplicate?.key ?? null),
    recordEvents(db, [message.messageId], message.acceptedAt),
    ...(idempotency && duplicate ? [pointToDuplicate(db, message, idempotency, duplicate)] : []),
    ...(present.length > 0 ? [selectKeys(db, message.websiteId, present)] : []),
    selectStatus(db, message.messageId),
  ]);
  const status = results.at(-1)?.results[0]?.status;
  if (status)
    return { kind: "stored", status: status as MessageStatus, due: dueEvents(results.at(present.length + 1)) };
  return repetition(results.at(-2)?.results ?? [], keys);
}

/** Takes a key that is new or has expired. @param after a key that must be this message's for this one to be taken */
function claimKey(db: D1Database, message: NewMessage, key: SendKey, after?: SendKey): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO send_keys (website_id, send_key, body_hash, message_id, expires_at)
       SELECT ?1, ?2, ?3, ?4, ?5
       WHERE ?7 IS NULL OR EXISTS (SELECT 1 FROM send_keys WHERE website_id = ?1 AND send_key = ?7 AND message_id = ?4)
       ON CONFLICT (website_id, send_key) DO UPDATE SET body_hash = excluded.body_hash,
         message_id = excluded.message_id, expires_at = excluded.expires_at
       WHERE send_keys.expires_at <= ?6`,
    )
    .bind(
      message.websiteId,
      key.key,
      key.bodyHash,
      message.messageId,
      key.expiresAt,
      message.acceptedAt,
      after?.key ?? null,
    );
}

/** A new Idempotency-Key on a duplicate stands for the message that the duplicate repeats. */
function pointToDuplicate(
  db: D1Database,
  message: NewMessage,
  idempotency: SendKey,
  duplicate: SendKey,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE send_keys SET message_id =
         (SELECT d.message_id FROM send_keys d WHERE d.website_id = ?1 AND d.send_key = ?3)
       WHERE website_id = ?1 AND send_key = ?2 AND message_id = ?4`,
    )
    .bind(message.websiteId, idempotency.key, duplicate.key, message.messageId);
}

function selectKeys(db: D1Database, websiteId: string, keys: SendKey[]): D1PreparedStatement {
  return db
    .prepare(
      `SELECT send_key, body_hash, message_id FROM send_keys
       WHERE website_id = ?1 AND send_key IN (SELECT value FROM json_each(?2))`,
    )
    .bind(websiteId, JSON.stringify(keys.map(({ key }) => key)));
}

function repetition(rows: Row[], { idempotency, duplicate }: SendKeys): Acceptance {
  const same = rows.find((row) => row.send_key === idempotency?.key);
  if (same && same.body_hash !== idempotency?.bodyHash) return { kind: "conflict" };
  const first = same ?? rows.find((row) => row.send_key === duplicate?.key);
  if (!first) throw new Error("a message was neither stored nor found to be a repetition");
  return { kind: "repeated", messageId: first.message_id as string };
}

export async function purgeExpiredKeys(db: D1Database, now: number): Promise<void> {
  await runBatch(db, [db.prepare("DELETE FROM send_keys WHERE expires_at <= ?1").bind(now)]);
}
