import type { DueEvent } from "../../domain/callbacks/callback.ts";
import type { MessageStatus } from "../../domain/messages/message.ts";
import { isScheduled } from "../../domain/messages/retry-policy.ts";
import type { Send, SendOutcome } from "../../domain/messages/send.ts";
import { dueEvents, recordEvents } from "../callbacks/events.ts";
import { runNamed, runQuery, toJsonLists } from "../database.ts";
import { piece, prepare, type Query, sql } from "../sql.ts";
import { claimDuplicates, IS_FIRST, KEY_OF_CONTENT } from "./duplicates.ts";
import { readKey } from "./idempotency-keys.ts";
import { explainRefused, failUnconfirmed, insertLinks, insertMessages, isRefused } from "./insert-messages.ts";
import { recipients } from "./recipients.ts";
import { findSchedule } from "./scheduled.ts";

/**
 * Stores single sends of a website in one transaction. Each has its own outcome, in the given order, as if they had
 * come one after another; only a duplicate repeats a message of its own group even if that message is never sent.
 * Safe to run again: a stored send stays as it is.
 */
export async function storeSends(db: D1Database, now: number, sends: readonly Send[]): Promise<SendOutcome[]> {
  const { inserted, events, holders } = await runNamed(db, statements(db, now, sends));
  const states = toStates(inserted, holders);
  const unknown = sends.filter(({ message }) => !states.has(message.messageId));
  // A transaction that took effect and ran again inserts nothing the second time.
  if (unknown.length > 0) for (const row of await readStates(db, unknown)) states.set(row.message_id, row);
  const due = Map.groupBy(dueEvents(events), (event) => event.slice(0, event.indexOf("_")));
  return addSchedule(
    db,
    sends.map((send) => toOutcome(send, states.get(send.message.messageId), due)),
  );
}

/** The earlier message that a send repeats by its key. The daily limit has refused the send, so it claims no key. null: it repeats none. */
export async function findRepeated(db: D1Database, { message, key }: Send, now: number): Promise<SendOutcome | null> {
  const held = key && (await readKey(db, message.clientId, key.value));
  if (!held || held.expires_at <= now) return null;
  if (held.body_hash !== key.bodyHash) return { kind: "conflict" };
  const [repeated] = await addSchedule(db, [{ kind: "repeated", messageId: held.message_id }]);
  return repeated ?? null;
}

/** Adds when repeated messages may go that do not go at once. */
async function addSchedule(db: D1Database, outcomes: SendOutcome[]): Promise<SendOutcome[]> {
  const ids = outcomes.flatMap((outcome) => (outcome.kind === "repeated" ? outcome.messageId : []));
  const schedule = await findSchedule(db, ids);
  return outcomes.map((outcome) => {
    const scheduledFor = outcome.kind === "repeated" ? schedule.get(outcome.messageId) : undefined;
    return scheduledFor === undefined ? outcome : { ...outcome, scheduledFor };
  });
}

/** How a send is stored. The columns of keys are there only if the list has keys. */
interface StateRow {
  message_id: string;
  /** null: not stored. */
  status: MessageStatus | null;
  body_hash?: string | null;
  holder?: string | null;
  first_id?: string | null;
}

/**
 * The states of the sends that the transaction has stored, or found stored, or found to repeat another message.
 * @param holders rows of selectHolders, which has one for each send if any send has a key of its own or of its content; else none
 */
function toStates(inserted: StateRow[], holders: StateRow[]): Map<string, StateRow> {
  const states =
    holders.length > 0 ? holders.filter(({ status, holder, first_id }) => status ?? holder ?? first_id) : inserted;
  return new Map(states.map((row) => [row.message_id, row]));
}

/** @throws Error when the send is not stored, and repeats none: that must not be reported as a success */
function toOutcome({ message, key }: Send, row: StateRow | undefined, due: Map<string, DueEvent[]>): SendOutcome {
  const { messageId, sendAt, acceptedAt } = message;
  if (key && row?.body_hash && row.body_hash !== key.bodyHash) return { kind: "conflict" };
  const first = key && row?.holder && row.holder !== messageId ? row.holder : row?.first_id;
  if (first && first !== messageId) return { kind: "repeated", messageId: first };
  if (!row?.status) throw new Error(`message ${messageId} was accepted and is not stored`);
  const waits = row.status === "PENDING_TO_SEND";
  const times = waits && sendAt !== undefined ? { scheduledFor: sendAt } : {};
  return {
    kind: "stored",
    isPending: waits && !isScheduled(sendAt, acceptedAt),
    due: due.get(messageId) ?? [],
    ...times,
  };
}

/** Joins the key of the recipient `r` as `i`. */
const KEY_OF_REQUEST = piece(
  "i.client_id = r.value ->> 'clientId' AND i.operation = 'send' AND i.idempotency_key = r.value ->> 'key'",
);

/** Condition: the recipient `r` holds its Idempotency-Key, or has none. */
const HOLDS_KEY = sql`(r.value ->> 'key' IS NULL OR EXISTS (SELECT 1 FROM idempotency_keys i
  WHERE ${KEY_OF_REQUEST} AND i.message_id = r.message_id))`;

function statements(db: D1Database, now: number, sends: readonly Send[]) {
  const lists = [...toJsonLists(sends.map(toItem))];
  const ids = sends.map(({ message }) => message.messageId);
  const hasKeys = sends.some(({ key }) => key);
  const suppresses = sends.some(({ message }) => message.dedupeHash !== null);
  const hasLinks = sends.some(({ message }) => message.linkCode !== null);
  const inEach = <Row>(work: (list: string) => Query<Row>) => lists.map(work);
  const isTaken = sql`${HOLDS_KEY} AND ${IS_FIRST}`;
  return {
    keys: hasKeys ? inEach((list) => claimKeys(db, list, now)) : null,
    duplicates: suppresses ? inEach((list) => claimDuplicates(db, list, now, HOLDS_KEY)) : null,
    inserted: inEach((list) =>
      prepare(db, sql<StateRow>`${insertMessages(list, isTaken)} RETURNING message_id, status`),
    ),
    refused: sends.some(({ message }) => isRefused(message)) ? inEach((list) => explainRefused(db, list)) : null,
    events: recordEvents(db, ids, now),
    links: hasLinks ? inEach((list) => insertLinks(db, list, piece("true"))) : null,
    point: hasKeys && suppresses ? inEach((list) => pointToFirst(db, list)) : null,
    holders: hasKeys || suppresses ? inEach((list) => selectHolders(db, list)) : null,
  };
}

/** Claims the Idempotency-Keys that no other message holds, or that have expired. */
function claimKeys(db: D1Database, list: string, now: number): D1PreparedStatement {
  return prepare(
    db,
    sql`INSERT INTO idempotency_keys (client_id, operation, idempotency_key, body_hash, message_id, expires_at)
      SELECT value ->> 'clientId', 'send', value ->> 'key', value ->> 'bodyHash', value ->> 'messageId',
        value ->> 'keyExpiresAt' FROM json_each(${list}) WHERE value ->> 'key' IS NOT NULL
      ON CONFLICT (client_id, operation, idempotency_key) DO UPDATE SET body_hash = excluded.body_hash,
        message_id = excluded.message_id, expires_at = excluded.expires_at WHERE idempotency_keys.expires_at <= ${now}`,
  );
}

/** The key of a duplicate leads to the message that the duplicate repeats. */
function pointToFirst(db: D1Database, list: string): D1PreparedStatement {
  return prepare(
    db,
    sql`${recipients(list)} UPDATE idempotency_keys SET message_id = f.first_id FROM (
        SELECT r.value ->> 'clientId' AS client_id, r.value ->> 'key' AS key, r.message_id, k.message_id AS first_id
        FROM recipients r CROSS JOIN duplicate_keys k ON ${KEY_OF_CONTENT} WHERE r.value ->> 'key' IS NOT NULL) f
      WHERE idempotency_keys.client_id = f.client_id AND operation = 'send' AND idempotency_key = f.key
        AND idempotency_keys.message_id = f.message_id`,
  );
}

function selectHolders(db: D1Database, list: string): Query<StateRow> {
  return prepare(
    db,
    sql`${recipients(list)} SELECT r.message_id, m.status, i.body_hash, i.message_id AS holder, k.message_id AS first_id
      FROM recipients r LEFT JOIN messages m ON m.message_id = r.message_id
        LEFT JOIN idempotency_keys i ON ${KEY_OF_REQUEST} LEFT JOIN duplicate_keys k ON ${KEY_OF_CONTENT}`,
  );
}

/** An item of a list. */
function toItem({ message, key, duplicatesUntil }: Send) {
  return { ...message, key: key?.value, bodyHash: key?.bodyHash, keyExpiresAt: key?.expiresAt, duplicatesUntil };
}

/** One that has a tombstone while its outcome is awaited was stored by an earlier try, and erased with its recipient since. */
async function readStates(db: D1Database, sends: Send[]): Promise<StateRow[]> {
  const ids = JSON.stringify(sends.map(({ message }) => message.messageId));
  return runQuery<StateRow>(
    prepare(
      db,
      sql`SELECT c.message_id, 'NOT_SUBSCRIBED' AS status
          FROM json_each(${ids}) j CROSS JOIN cancelled_messages c ON c.message_id = j.value
        UNION ALL SELECT m.message_id, m.status FROM json_each(${ids}) j CROSS JOIN messages m ON m.message_id = j.value`,
    ),
  ).catch(failUnconfirmed);
}
