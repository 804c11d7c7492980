// The transaction of a part of a bulk request. A single send has another: see sends.ts.
import type { DueEvent } from "../../domain/callbacks/callback.ts";
import { isScheduled } from "../../domain/messages/retry-policy.ts";
import type { AcceptedMessage } from "../../domain/messages/send.ts";
import { dueEvents, recordEvents } from "../callbacks/events.ts";
import { RowExistsError, runNamedResults, runQuery, toJsonLists } from "../database.ts";
import { piece, prepare, sql } from "../sql.ts";
import { claimDuplicates, IS_FIRST, keepSuppressed, selectDuplicates } from "./duplicates.ts";
import { type BulkPart, insertPart, keptUntil, readHolder } from "./idempotency-keys.ts";
import { explainRefused, failUnconfirmed, insertLinks, insertMessages, isRefused } from "./insert-messages.ts";
import { findSchedule } from "./scheduled.ts";

/** Common properties of the messages of a bulk request. */
interface StoreOptions {
  websiteId: string;
  clientId: string;
  /** Milliseconds since 1970. */
  acceptedAt: number;
  part: BulkPart | null;
  /** End of the window in which the same content to the same person is a duplicate; null: duplicates are not suppressed. */
  duplicatesUntil: number | null;
}

export type Stored =
  | {
      kind: "stored";
      /**
       * The messages to deliver. The others have a final status, or no job yet (see isScheduled), or another attempt has stored the part: then
       * there are none.
       */
      pending: AcceptedMessage[];
      due: DueEvent[];
      answered: Answered;
      schedule: Schedule;
      /** How many this attempt has stored that may go, at once or at their time. */
      texts: number;
    }
  /** The key was used with another body. */
  | { kind: "conflict" };

/** The id that is answered for each message: its own, or that of the first message of its content. */
type Answered = ReadonlyMap<string, string>;

/** By the id of a message that does not go at once, when it may go: milliseconds since 1970. */
type Schedule = ReadonlyMap<string, number>;

/**
 * Stores messages with their first statuses, which the recipients' subscriptions decide, and the events of messages that are
 * final, in one transaction. However many identical requests come at once, one is stored.
 */
export async function storeMessages(
  db: D1Database,
  options: StoreOptions,
  messages: AcceptedMessage[],
): Promise<Stored> {
  const results = await runNamedResults(db, statements(db, options, messages)).catch((error: unknown) => {
    if (error instanceof RowExistsError) return null;
    throw error;
  });
  if (!results) return readPart(db, options.part as BulkPart, messages);
  const duplicates = new Map(results.duplicates.results.map((row) => [row.message_id, row.first_id]));
  const isStored = results.insert.changes + duplicates.size >= messages.length;
  if (!isStored) await requireStored(db, options, messages, duplicates);
  const answered = new Map(messages.map(({ messageId: id }) => [id, duplicates.get(id) ?? id]));
  // A message with a final status has its event. If the transaction took effect and ran again, the second run does not
  // return the events: then the delivery job finds nothing to do, and the sweep queues the callbacks.
  const events = results.events.results;
  const final = new Set(events.map((row) => row.message_id));
  const waiting = messages.filter(({ messageId }) => !final.has(messageId) && !duplicates.has(messageId));
  const pending = waiting.filter(({ sendAt, acceptedAt }) => !isScheduled(sendAt, acceptedAt));
  const asked = new Map(
    waiting.flatMap(({ messageId, sendAt }) => (sendAt === undefined ? [] : [[messageId, sendAt]])),
  );
  const schedule = await findSchedule(db, [...asked.keys(), ...duplicates.values()], asked);
  return { kind: "stored", pending, due: dueEvents(events), answered, schedule, texts: waiting.length };
}

/** What an attempt before has stored of a part, or an earlier try of this one, whose answer was lost. null: nothing. */
export async function findPart(db: D1Database, part: BulkPart, messages: AcceptedMessage[]): Promise<Stored | null> {
  const holder = await readHolder(db, part).catch(failUnconfirmed);
  if (!holder) return null;
  if (holder.body_hash !== part.bodyHash) return { kind: "conflict" };
  const answered = await readAnswered(db, part);
  const schedule = await findSchedule(db, [...answered.values()]);
  const ours = holder.attempt === part.attempt ? messages.filter(({ messageId: id }) => answered.get(id) === id) : [];
  const pending = ours.filter(({ sendAt, acceptedAt }) => !isScheduled(sendAt, acceptedAt));
  return { kind: "stored", pending, due: [], answered, schedule, texts: ours.length };
}

async function readPart(db: D1Database, part: BulkPart, messages: AcceptedMessage[]): Promise<Stored> {
  const stored = await findPart(db, part, messages);
  if (!stored) throw new Error(`part ${part.number} of a bulk request exists and is not found`);
  return stored;
}

/**
 * The ids of the stored messages of a part. A message may break a rule now that it did not break then, or the other way round: the
 * settings of its website may have changed. One that has a tombstone was stored, and erased with its recipient since.
 */
async function readAnswered(db: D1Database, { ids }: BulkPart): Promise<Answered> {
  const rows = await runQuery<{ message_id: string; answered: string }>(
    prepare(
      db,
      sql`SELECT j.value AS message_id, coalesce(d.first_id, j.value) AS answered
        FROM json_each(${JSON.stringify(ids)}) j LEFT JOIN suppressed_messages d ON d.message_id = j.value
        WHERE d.first_id IS NOT NULL OR EXISTS (SELECT 1 FROM messages m WHERE m.message_id = j.value)
          OR EXISTS (SELECT 1 FROM cancelled_messages c WHERE c.message_id = j.value)`,
    ),
  ).catch(failUnconfirmed);
  return new Map(rows.map((row) => [row.message_id, row.answered]));
}

function statements(db: D1Database, options: StoreOptions, messages: AcceptedMessage[]) {
  const { part, acceptedAt: now, duplicatesUntil } = options;
  // A part of a bulk request may be too long for one value of D1 once the links and the other stored fields are added.
  const lists = [...toJsonLists(messages.map((message) => ({ ...message, duplicatesUntil })))];
  const ids = messages.map(({ messageId }) => messageId);
  const suppresses = duplicatesUntil !== null;
  return {
    part: part && insertPart(db, part),
    claimDuplicates: suppresses ? lists.map((list) => claimDuplicates(db, list, now, piece("true"))) : null,
    insert: lists.map((list) => prepare(db, insertMessages(list, IS_FIRST))),
    refused: messages.some(isRefused) ? lists.map((list) => explainRefused(db, list)) : null,
    events: recordEvents(db, ids, now),
    links: messages.some(({ linkCode }) => linkCode !== null)
      ? lists.map((list) => insertLinks(db, list, piece("true")))
      : null,
    keep: suppresses && part ? lists.map((list) => keepSuppressed(db, list, keptUntil(part.expiresAt))) : null,
    duplicates: suppresses ? lists.map((list) => selectDuplicates(db, list)) : null,
  };
}

/**
 * A transaction that took effect and ran again inserts nothing the second time. Between the two, a recipient may be erased. In any other
 * case, missing rows are an error that must not be reported as a success.
 * @throws Error unless every message is stored that is no duplicate
 */
async function requireStored(
  db: D1Database,
  { clientId }: StoreOptions,
  messages: AcceptedMessage[],
  duplicates: Map<string, string>,
): Promise<void> {
  const ids = messages.map(({ messageId }) => messageId).filter((id) => !duplicates.has(id));
  const [row] = await runQuery<{ count: number }>(
    prepare(
      db,
      sql`SELECT (SELECT count(*) FROM json_each(${JSON.stringify(ids)}) j CROSS JOIN messages m ON m.message_id = j.value
          WHERE m.client_id = ${clientId})
        + (SELECT count(*) FROM json_each(${JSON.stringify(ids)}) j CROSS JOIN cancelled_messages c ON c.message_id = j.value) AS count`,
    ),
  ).catch(failUnconfirmed);
  if (row?.count !== ids.length) throw new Error(`${ids.length} messages were accepted, ${row?.count} are stored`);
}
