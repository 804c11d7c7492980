import type { NewMessage } from "../../domain/message.ts";
import { runBatch, runNamed } from "./database.ts";
import { type DueEvent, dueEvents, recordEvents } from "./events.ts";

/** Makes a request, or a part of one, happen once: until it expires, whoever comes with the key again finds what it did. */
export interface OnceKey {
  key: string;
  /** SHA-256 of what the key is bound to. */
  bodyHash: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
  /** Names this attempt: what another has stored is not stored again. Of a single message, its id. */
  attempt: string;
  /** A key that, once it is taken, lets no new key be taken: the request is complete. */
  closedBy?: string;
}

/** What the messages of one call have in common. */
export interface StoreOptions {
  websiteId: string;
  clientId: string;
  /** Milliseconds since 1970. */
  acceptedAt: number;
  once: OnceKey | null;
  /** Until when the same number, text and purpose is one message; null where duplicates are not suppressed. */
  duplicatesUntil: number | null;
}

export type StoredMessage = NewMessage & {
  /** SHA-256 of text and purpose; null where duplicates are not suppressed. */
  sameHash: string | null;
};

export type Stored =
  | {
      kind: "stored";
      /** Ids of all that may wait to be delivered: the rest has its final status already. */
      pending: string[];
      due: DueEvent[];
      /** The id of each that was not stored because it repeats one, and the id of that one. */
      duplicates: Map<string, string>;
    }
  /** Another attempt has stored this; of a single message, `attempt` is its id. */
  | { kind: "repeated"; attempt: string; duplicates: Map<string, string> }
  /** The key was used with another body. */
  | { kind: "conflict" };

/**
 * Stores messages with their first statuses, which the recipients' subscriptions decide, and the events of those that are
 * final, in one transaction. However many identical requests come at once, one is stored.
 * @param messages together below the 2,000,000 bytes that D1 takes in one value
 */
export async function storeMessages(db: D1Database, options: StoreOptions, messages: StoredMessage[]): Promise<Stored> {
  const { once } = options;
  const ids = messages.map(({ messageId }) => messageId);
  const list = JSON.stringify(messages.map(toRow));
  const suppresses = options.duplicatesUntil !== null;
  const isSingle = once?.attempt === ids[0];
  const rows = await runNamed(db, {
    claim: once && claimOnce(db, options, once),
    claimSame: suppresses ? claimSame(db, options, list) : null,
    insert: insert(db, options, list),
    events: recordEvents(db, ids, options.acceptedAt),
    links: messages.some(({ linkCode }) => linkCode !== null) ? insertLinks(db, list) : null,
    point: once && suppresses && isSingle ? pointToFirst(db, options, once, list) : null,
    keep: once && suppresses && !isSingle ? keepDuplicates(db, options, once, list) : null,
    once: once && selectOnce(db, options, once),
    duplicates: suppresses ? selectDuplicates(db, options, list, once !== null && !isSingle) : null,
  });
  const duplicates = new Map(rows.duplicates.map((row) => [String(row.id), String(row.first_id)]));
  const [holder] = rows.once;
  if (once && holder?.body_hash !== once.bodyHash) return { kind: "conflict" };
  if (once && holder?.message_id !== once.attempt) {
    return { kind: "repeated", attempt: String(holder?.message_id), duplicates };
  }
  // What was stored has its event if its status is final. After a transaction that took effect and was run again, the
  // events are not told a second time: then a job finds nothing to do, and the sweep queues the callbacks.
  const final = new Set(rows.events.map((row) => String(row.message_id)));
  const pending = ids.filter((id) => !final.has(id) && !duplicates.has(id));
  return { kind: "stored", pending, due: dueEvents(rows.events), duplicates };
}

function toRow(message: StoredMessage) {
  return [
    message.messageId,
    message.phone,
    message.email,
    message.text,
    message.mediaUrl,
    message.clickUrl,
    message.callbackData,
    message.sendPurpose,
    message.encoding,
    message.segments,
    message.sameHash,
    message.linkCode,
  ];
}

/** The rows of ?1, each with its recipient's number in the website ?2: given, or found by the e-mail address. */
const RECIPIENTS = `WITH given AS (
    SELECT value ->> 0 AS id, value ->> 1 AS given_phone, value ->> 2 AS email, value FROM json_each(?1)
  ), recipients AS (
    SELECT id, email, value, iif(email IS NULL, given_phone, (SELECT phone FROM subscriptions
      WHERE website_id = ?2 AND email = given.email AND subscribed = 1 ORDER BY change_id DESC LIMIT 1)) AS phone
    FROM given
  )`;

/** The key under which a recipient's message is known as the same. */
const SAME_KEY = "'same:' || (value ->> 10) || ':' || phone";

/** Whether a column holds such a key. */
const isSameKey = (column: string) => `${column} >= 'same:' AND ${column} < 'same;'`;

/** Whether this attempt is the one that stores: ?3 is the key or NULL, ?4 the attempt. */
const IS_OURS = `(?3 IS NULL OR EXISTS (SELECT 1 FROM send_keys
  WHERE website_id = ?2 AND send_key = ?3 AND message_id = ?4))`;

const ours = ({ once }: StoreOptions) => [once?.key ?? null, once?.attempt ?? null] as const;

function claimOnce(db: D1Database, { websiteId, acceptedAt }: StoreOptions, once: OnceKey): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO send_keys (website_id, send_key, body_hash, message_id, expires_at) SELECT ?1, ?2, ?3, ?4, ?5
       WHERE NOT EXISTS (SELECT 1 FROM send_keys WHERE website_id = ?1 AND send_key = ?7 AND expires_at > ?6)
       ON CONFLICT (website_id, send_key) DO UPDATE SET body_hash = ?3, message_id = ?4, expires_at = ?5
       WHERE send_keys.expires_at <= ?6`,
    )
    .bind(websiteId, once.key, once.bodyHash, once.attempt, once.expiresAt, acceptedAt, once.closedBy ?? null);
}

/** What body_hash says of a same key with which somebody came again: its message was answered, and is not to be taken back. */
const REPEATED = "repeated";

/** Of several with the same key, the first takes it. */
function claimSame(db: D1Database, options: StoreOptions, list: string): D1PreparedStatement {
  return db
    .prepare(
      `${RECIPIENTS} INSERT INTO send_keys (website_id, send_key, body_hash, message_id, expires_at)
       SELECT ?2, ${SAME_KEY}, '', id, ?5 FROM recipients WHERE phone IS NOT NULL AND ${IS_OURS}
       ON CONFLICT (website_id, send_key) DO UPDATE SET
         message_id = iif(expires_at <= ?6, excluded.message_id, message_id),
         expires_at = iif(expires_at <= ?6, excluded.expires_at, expires_at),
         body_hash = iif(expires_at <= ?6, '', '${REPEATED}')
       WHERE message_id <> excluded.message_id`,
    )
    .bind(list, options.websiteId, ...ours(options), options.duplicatesUntil, options.acceptedAt);
}

function insert(db: D1Database, options: StoreOptions, list: string): D1PreparedStatement {
  const isFirst = `(value ->> 10 IS NULL OR phone IS NULL OR EXISTS (SELECT 1 FROM send_keys
    WHERE website_id = ?2 AND send_key = ${SAME_KEY} AND message_id = id))`;
  return db
    .prepare(
      `${RECIPIENTS} INSERT INTO messages (message_id, website_id, client_id, phone, email, text, media_url, click_url,
         callback_data, send_purpose, encoding, segments, status, accepted_at, updated_at, queued_at)
       SELECT id, ?2, ?5, phone, email, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8,
         value ->> 9, CASE WHEN phone IS NULL THEN 'FAILED_TO_MATCH' ELSE
           CASE (SELECT subscribed FROM subscriptions s WHERE s.website_id = ?2 AND s.phone = recipients.phone)
             WHEN 1 THEN 'PENDING_TO_SEND' WHEN 0 THEN 'NOT_SUBSCRIBED' ELSE 'NOT_FOUND' END END, ?6, ?6, ?6
       FROM recipients WHERE ${IS_OURS} AND ${isFirst}
       ON CONFLICT (message_id) DO NOTHING`,
    )
    .bind(list, options.websiteId, ...ours(options), options.clientId, options.acceptedAt);
}

function insertLinks(db: D1Database, list: string): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO links (code, message_id, url) SELECT j.value ->> 11, m.message_id, m.click_url
       FROM json_each(?1) j CROSS JOIN messages m ON m.message_id = j.value ->> 0
       WHERE j.value ->> 11 IS NOT NULL AND NOT EXISTS (SELECT 1 FROM links l WHERE l.message_id = m.message_id)`,
    )
    .bind(list);
}

/** A new key on a duplicate stands for the message that the duplicate repeats. */
function pointToFirst(db: D1Database, options: StoreOptions, once: OnceKey, list: string): D1PreparedStatement {
  return db
    .prepare(
      `${RECIPIENTS} UPDATE send_keys SET message_id = coalesce((SELECT first.message_id FROM recipients JOIN send_keys first
         ON first.website_id = ?2 AND first.send_key = ${SAME_KEY}), message_id)
       WHERE website_id = ?2 AND send_key = ?3 AND message_id = ?4`,
    )
    .bind(list, options.websiteId, once.key, once.attempt);
}

function selectOnce(db: D1Database, { websiteId }: StoreOptions, once: OnceKey): D1PreparedStatement {
  return db
    .prepare("SELECT body_hash, message_id FROM send_keys WHERE website_id = ?1 AND send_key = ?2")
    .bind(websiteId, once.key);
}

/** Of many under one key, each duplicate is kept with the message that it repeats: asked again, the answer is the same. */
function keepDuplicates(db: D1Database, options: StoreOptions, once: OnceKey, list: string): D1PreparedStatement {
  return db
    .prepare(
      `${RECIPIENTS} INSERT INTO send_keys (website_id, send_key, body_hash, message_id, expires_at)
       SELECT ?2, 'duplicate:' || id, '', k.message_id, ?5 FROM recipients JOIN send_keys k
         ON k.website_id = ?2 AND k.send_key = ${SAME_KEY} WHERE k.message_id <> id AND ${IS_OURS}
       ON CONFLICT (website_id, send_key) DO NOTHING`,
    )
    .bind(list, options.websiteId, ...ours(options), once.expiresAt);
}

/** @param areKept by keepDuplicates */
function selectDuplicates(
  db: D1Database,
  { websiteId }: StoreOptions,
  list: string,
  areKept: boolean,
): D1PreparedStatement {
  const sql = areKept
    ? `SELECT value ->> 0 AS id, k.message_id AS first_id FROM json_each(?1) JOIN send_keys k
       ON k.website_id = ?2 AND k.send_key = 'duplicate:' || (value ->> 0)`
    : `${RECIPIENTS} SELECT id, k.message_id AS first_id FROM recipients JOIN send_keys k
       ON k.website_id = ?2 AND k.send_key = ${SAME_KEY} WHERE k.message_id <> id`;
  return db.prepare(sql).bind(list, websiteId);
}

/** A message whose submission has not begun, and for which no other has been taken to be a duplicate of it. */
const UNCONFIRMED = `m.claimed_at IS NULL AND m.carrier IS NULL AND NOT EXISTS (SELECT 1 FROM send_keys k
  WHERE k.message_id = m.message_id AND ${isSameKey("k.send_key")} AND k.body_hash = '${REPEATED}')`;

/** Of ?1 those that have gone. */
const GONE = `SELECT value FROM json_each(?1) WHERE value NOT IN (
  SELECT m.message_id FROM json_each(?1) j JOIN messages m ON m.message_id = j.value)`;

/** Takes back messages that their sender was told are not stored, unless their submission has begun or they were answered since. */
export async function removeUnconfirmed(db: D1Database, messageIds: string[]): Promise<void> {
  const list = JSON.stringify(messageIds);
  const unconfirmed = `SELECT m.message_id FROM json_each(?1) j JOIN messages m ON m.message_id = j.value WHERE ${UNCONFIRMED}`;
  const statements = {
    links: `DELETE FROM links WHERE message_id IN (${unconfirmed})`,
    messages: `DELETE FROM messages WHERE message_id IN (${unconfirmed})`,
    events: `DELETE FROM events WHERE message_id IN (${GONE})`,
    sameKeys: `DELETE FROM send_keys WHERE message_id IN (${GONE}) AND ${isSameKey("send_key")}`,
  };
  await runBatch(
    db,
    Object.values(statements).map((sql) => db.prepare(sql).bind(list)),
  );
}

export async function purgeExpiredKeys(db: D1Database, now: number): Promise<void> {
  await runNamed(db, { keys: db.prepare("DELETE FROM send_keys WHERE expires_at <= ?1").bind(now) });
}
