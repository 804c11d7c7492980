import { isStoreUnavailable, RequestFailure } from "../../domain/failure.ts";
import type { NewMessage } from "../../domain/message.ts";
import { runNamedResults, runQuery, toJsonLists } from "./database.ts";
import { claimDuplicates, IS_FIRST, keepSuppressed, selectDuplicates } from "./duplicates.ts";
import { type DueEvent, dueEvents, recordEvents } from "./events.ts";
import { type BulkPart, claimPart, isOurs, selectHolder } from "./idempotency-keys.ts";
import { RECIPIENTS } from "./recipients.ts";
import type { EventRow, SuppressedMessageRow } from "./rows.ts";

/** Common properties of the messages of a bulk request. */
interface StoreOptions {
  websiteId: string;
  clientId: string;
  /** Milliseconds since 1970. */
  acceptedAt: number;
  part: BulkPart | null;
  /** End of the window in which the same number, text and purpose is a duplicate; null: duplicates are not suppressed. */
  duplicatesUntil: number | null;
}

export type StoredMessage = NewMessage & {
  /** SHA-256 of text and purpose; null: duplicates are not suppressed. */
  dedupeHash: string | null;
};

export type Stored =
  | {
      kind: "stored";
      /** Ids of messages to deliver; the others already have a final status. */
      pending: string[];
      due: DueEvent[];
      /** From the id of each suppressed duplicate to the id of the first message. */
      duplicates: Map<string, string>;
    }
  /** Another attempt has stored these. */
  | { kind: "repeated"; duplicates: Map<string, string> }
  /** The key was used with another body. */
  | { kind: "conflict" };

/**
 * Stores messages with their first statuses, which the recipients' subscriptions decide, and the events of messages that are
 * final, in one transaction. However many identical requests come at once, one is stored.
 */
export async function storeMessages(db: D1Database, options: StoreOptions, messages: StoredMessage[]): Promise<Stored> {
  const { part } = options;
  const results = await runNamedResults(db, statements(db, options, messages));
  const duplicates = new Map(
    (results.duplicates.results as SuppressedMessageRow[]).map((row) => [row.message_id, row.first_id]),
  );
  const [holder] = results.holder.results as { body_hash: string; attempt: string }[];
  if (part && holder?.body_hash !== part.bodyHash) return { kind: "conflict" };
  if (part && holder?.attempt !== part.attempt) return { kind: "repeated", duplicates };
  const isStored = results.insert.changes + duplicates.size >= messages.length;
  if (!isStored) await requireStored(db, options, messages, duplicates);
  // A message with a final status has its event. If the transaction took effect and ran again, the second run does not
  // return the events: then the delivery job finds nothing to do, and the sweep queues the callbacks.
  const events = results.events.results;
  const final = new Set((events as Pick<EventRow, "message_id">[]).map((row) => row.message_id));
  const ids = messages.map(({ messageId }) => messageId);
  const pending = ids.filter((id) => !final.has(id) && !duplicates.has(id));
  return { kind: "stored", pending, due: dueEvents(events), duplicates };
}

function statements(db: D1Database, options: StoreOptions, messages: StoredMessage[]) {
  const { part, websiteId, clientId, acceptedAt: now, duplicatesUntil: until } = options;
  // Messages that are cut to chunks as given may be too long for one value as stored: with their links, and all that is added.
  const lists = [...toJsonLists(messages.map(toItem))];
  const ids = messages.map(({ messageId }) => messageId);
  const guard = isOurs(part);
  const run = (sql: string, ...values: unknown[]) =>
    lists.map((list) => db.prepare(sql).bind(list, websiteId, ...guard.values, ...values));
  const suppresses = until !== null;
  return {
    part: part && claimPart(db, part),
    claimDuplicates: suppresses
      ? run(claimDuplicates({ until: "?6", now: "?7", condition: guard.condition }), until, now)
      : null,
    insert: run(
      insertMessages({
        clientId: "?6",
        acceptedAt: "?7",
        condition: `${guard.condition} AND ${IS_FIRST}`,
      }),
      clientId,
      now,
    ),
    events: recordEvents(db, ids, now, guard),
    links: messages.some(({ linkCode }) => linkCode !== null) ? run(insertLinks(guard.condition)) : null,
    keep: suppresses && part ? lists.map((list) => keepSuppressed(db, list, websiteId, guard, part.expiresAt)) : null,
    holder: part && selectHolder(db, part),
    duplicates: suppresses ? lists.map((list) => selectDuplicates(db, list, websiteId, part !== null)) : null,
  };
}

/** Common properties are bound once per call. */
function toItem({ websiteId, clientId, acceptedAt, ...item }: StoredMessage) {
  return item;
}

/**
 * Inserts the recipients `r` with the statuses that their subscriptions decide.
 * @param sql `acceptedAt` in milliseconds since 1970
 */
export function insertMessages(sql: Record<"clientId" | "acceptedAt" | "condition", string>): string {
  const field = (name: keyof StoredMessage) => `r.value ->> '${name}'`;
  const { clientId, acceptedAt, condition } = sql;
  return `${RECIPIENTS} INSERT INTO messages (message_id, website_id, client_id, phone, email, text, media_url, click_url,
      callback_data, send_purpose, encoding, segments, status, ignored_fields, accepted_at, updated_at, queued_at)
    SELECT r.message_id, r.website_id, ${clientId}, r.phone, ${field("email")}, ${field("text")}, ${field("mediaUrl")}, ${field("clickUrl")},
      ${field("callbackData")}, ${field("sendPurpose")}, ${field("encoding")}, ${field("segments")},
      CASE WHEN r.phone IS NULL THEN 'FAILED_TO_MATCH' ELSE
        CASE (SELECT subscribed FROM subscriptions s WHERE s.website_id = r.website_id AND s.phone = r.phone)
          WHEN 1 THEN 'PENDING_TO_SEND' WHEN 0 THEN 'NOT_SUBSCRIBED' ELSE 'NOT_FOUND' END END,
      ${field("ignoredFields")},
      ${acceptedAt}, ${acceptedAt}, ${acceptedAt}
    FROM recipients r WHERE ${condition} ON CONFLICT (message_id) DO NOTHING`;
}

/** The links of the messages of ?1, of the website ?2. @param condition SQL */
export function insertLinks(condition: string): string {
  return `INSERT INTO links (code, message_id, url) SELECT j.value ->> 'linkCode', m.message_id, m.click_url
    FROM json_each(?1) j CROSS JOIN messages m ON m.message_id = j.value ->> 'messageId'
    WHERE j.value ->> 'linkCode' IS NOT NULL AND m.website_id = ?2 AND m.click_url IS NOT NULL
      AND ${condition} AND NOT EXISTS (SELECT 1 FROM links l WHERE l.message_id = m.message_id)`;
}

/**
 * A transaction that took effect and ran again inserts nothing the second time. In any other case, missing rows are an error
 * that must not be reported as a success.
 * @throws Error unless this call has stored every message that is no duplicate
 */
async function requireStored(
  db: D1Database,
  { clientId, acceptedAt }: StoreOptions,
  messages: StoredMessage[],
  duplicates: Map<string, string>,
): Promise<void> {
  const ids = messages.map(({ messageId }) => messageId).filter((id) => !duplicates.has(id));
  const [row] = await runQuery<{ count: number }>(
    db
      .prepare(
        `SELECT count(*) AS count FROM json_each(?1) j CROSS JOIN messages m ON m.message_id = j.value
         WHERE m.client_id = ?2 AND m.accepted_at = ?3`,
      )
      .bind(JSON.stringify(ids), clientId, acceptedAt),
  ).catch(failUnconfirmed);
  if (row?.count !== ids.length) throw new Error(`${ids.length} messages were accepted, ${row?.count} are stored`);
}

/** A refused question does not tell what the transaction before it has stored. */
export function failUnconfirmed(error: unknown): never {
  throw isStoreUnavailable(error) ? new RequestFailure({ kind: "store-unavailable" }, { cause: error }) : error;
}
