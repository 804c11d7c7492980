import { oneFormOf } from "../../domain/people/two-form-numbers.ts";
import { runNamed, runQuery } from "../database.ts";
import { TOMBSTONE_MILLISECONDS } from "../messages/cancelled-messages.ts";
import { removeFaults } from "../messages/number-faults.ts";
import { removeCounted } from "../messages/retention.ts";
import { countBefore, stepBack } from "../operations/count-ledgers.ts";
import { piece, prepare, type Sql, sql } from "../sql.ts";
import type { PersonTable } from "./person-tables.ts";

/** What is kept of an erased number. */
export interface Tombstone {
  websiteId: string;
  /** HMAC-SHA-256 of the number, hex. */
  mark: string;
}

/** A website that has erased the number of a person who had opted out. */
export interface Erased {
  websiteId: string;
  /** When the person had last opted out: milliseconds since 1970. */
  lastStopAt: number;
}

/** The messages to a number, and those to its address. */
const messagesOf = (websiteId: string, phone: number): Sql =>
  sql`SELECT message_id FROM messages WHERE website_id = ${websiteId} AND phone = ${phone}
    UNION ALL SELECT message_id FROM messages WHERE website_id = ${websiteId} AND phone IS NULL
      AND email = (SELECT email FROM subscriptions WHERE website_id = ${websiteId} AND phone = ${phone})`;

/** How many messages an erasure would erase. @param phone as digits */
export async function countOfErasure(db: D1Database, websiteId: string, phone: number): Promise<number> {
  const count = prepare(db, sql`SELECT count(*) AS messages FROM (${messagesOf(websiteId, phone)})`);
  return (await runQuery<{ messages: number }>(count))[0]?.messages ?? 0;
}

/**
 * Ends the pending messages to a number before they are erased, so that no count has them as pending for good: the person is opted out. What
 * a run has claimed may go out. Then it counts what the ledgers have of the person.
 */
function endAndCount(db: D1Database, websiteId: string, phone: number, now: number) {
  const isPending = sql`website_id = ${websiteId} AND phone = ${phone} AND status = 'PENDING_TO_SEND'`;
  const status = piece("iif(claimed_at IS NULL, 'NOT_SUBSCRIBED', 'SENDING')");
  return {
    told: prepare(
      db,
      sql`INSERT INTO events (website_id, client_id, message_id, event, occurred_at)
        SELECT website_id, client_id, message_id, ${status}, ${now} FROM messages WHERE ${isPending} ON CONFLICT DO NOTHING`,
    ),
    ended: prepare(
      db,
      sql`UPDATE messages SET status = ${status}, reason_code = iif(claimed_at IS NULL, 'OPTED_OUT', 'OUTCOME_UNKNOWN'),
          due_at = NULL WHERE ${isPending}`,
    ),
    parted: prepare(
      db,
      sql`INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof)
        SELECT website_id, phone, 1, 0, ${now}, 'operator', 'erased' FROM subscriptions
        WHERE website_id = ${websiteId} AND phone = ${phone} AND subscribed = 1`,
    ),
    counted: countBefore(
      db,
      messagesOf(websiteId, phone),
      sql`l.website_id = ${websiteId} AND l.phone = ${phone}`,
      now,
    ),
  };
}

/**
 * Erases everything about a number in a website except its share of the report's counts, and a one-way hash that keeps it
 * opted out, with the date of its last STOP.
 * @param websiteId `""`: the texts that reached no website
 * @param phone as digits
 * @param tombstone a one-way hash of the number; null where websiteId is `""`
 * @returns the number of erased messages
 */
export async function erasePerson(
  db: D1Database,
  websiteId: string,
  phone: number,
  tombstone: string | null,
  now: number,
): Promise<number> {
  const { messages: stored, ...parts } = removeCounted(db, messagesOf(websiteId, phone));
  const removed = {
    ...parts,
    // The events of the messages, and the notices.
    events: [
      parts.events,
      prepare(db, sql`DELETE FROM events WHERE website_id = ${websiteId} AND phone = ${phone} AND body IS NOT NULL`),
    ],
    messages: stored,
    duplicate_keys: prepare(
      db,
      sql`DELETE FROM duplicate_keys WHERE website_id = ${websiteId} AND phone = ${oneFormOf(phone)}`,
    ),
    inbound_texts: prepare(
      db,
      sql`DELETE FROM inbound_texts WHERE (website_id, carrier, carrier_message_id) IN (
        SELECT website_id, carrier, carrier_message_id FROM inbound_texts
        WHERE website_id = ${websiteId} AND sender = ${`+${phone}`})`,
    ),
    number_faults: removeFaults(db, websiteId, sql`SELECT ${phone}`),
    subscription_changes: prepare(
      db,
      sql`DELETE FROM subscription_changes WHERE website_id = ${websiteId} AND phone = ${phone}`,
    ),
    subscriptions: prepare(db, sql`DELETE FROM subscriptions WHERE website_id = ${websiteId} AND phone = ${phone}`),
  } satisfies Record<PersonTable, unknown> & Record<string, unknown>;
  const rows = await runNamed(db, {
    never: keepFromStoring(db, websiteId, phone, now),
    tombstone: tombstone === null ? null : keepTombstone(db, { websiteId, mark: tombstone }, phone, now),
    ...endAndCount(db, websiteId, phone, now),
    ...removed,
    stepBack: stepBack(db),
  });
  return rows.messages.length;
}

/** A text, as cancelled_messages names it. All three are SQL. */
export const nameOfText = (websiteId: Sql, carrier: Sql, carrierMessageId: Sql): Sql =>
  sql`${websiteId} || '/' || ${carrier} || '/' || ${carrierMessageId}`;

/**
 * Neither does a client that repeats its request, because the answer was lost, store the latest messages again, nor a carrier that brings a text
 * again.
 */
function keepFromStoring(db: D1Database, websiteId: string, phone: number, now: number): D1PreparedStatement {
  const since = now - TOMBSTONE_MILLISECONDS;
  return prepare(
    db,
    sql`INSERT INTO cancelled_messages (message_id, cancelled_at)
      SELECT message_id, ${now} FROM messages
        WHERE message_id IN (${messagesOf(websiteId, phone)}) AND accepted_at > ${since}
      UNION ALL SELECT ${nameOfText(piece("website_id"), piece("carrier"), piece("carrier_message_id"))}, ${now} FROM inbound_texts
        WHERE website_id = ${websiteId} AND sender = ${`+${phone}`} AND received_at > ${since}
      ON CONFLICT DO NOTHING`,
  );
}

/** It runs before the ledger is erased. Run again after that, it keeps the date. */
function keepTombstone(
  db: D1Database,
  { websiteId, mark }: Tombstone,
  phone: number,
  now: number,
): D1PreparedStatement {
  return prepare(
    db,
    sql`INSERT INTO erased_people (website_id, mark, erased_at, last_stop_at)
      SELECT ${websiteId}, ${mark}, ${now}, (SELECT max(c.changed_at) FROM subscriptions s
        CROSS JOIN subscription_changes c INDEXED BY subscription_changes_by_phone
          ON c.website_id = s.website_id AND c.phone = s.phone
        WHERE s.website_id = ${websiteId} AND s.phone = ${phone} AND s.opted_out_by_person = 1
          AND c.subscribed = 0 AND c.source IN ('keyword', 'carrier'))
      WHERE true ON CONFLICT (website_id, mark) DO UPDATE SET erased_at = excluded.erased_at, last_stop_at = coalesce(excluded.last_stop_at, last_stop_at)`,
  );
}

/** The websites of a database that have erased anybody. @param websiteId null: any */
export async function websitesWithErased(db: D1Database, websiteId: string | null): Promise<string[]> {
  const isAsked = websiteId === null ? sql`true` : sql`w.website_id = ${websiteId}`;
  const rows = await runQuery<{ website_id: string }>(
    prepare(
      db,
      sql`SELECT w.website_id FROM websites w
        WHERE ${isAsked} AND EXISTS (SELECT 1 FROM erased_people e WHERE e.website_id = w.website_id)
        ORDER BY w.website_id`,
    ),
  );
  return rows.map((row) => row.website_id);
}

/** @returns the tombstones that are kept with the date of a STOP, and no others */
export async function findErased(db: D1Database, tombstones: Tombstone[]): Promise<Erased[]> {
  return runQuery<Erased>(
    prepare(
      db,
      sql`SELECT e.website_id AS websiteId, e.last_stop_at AS lastStopAt FROM json_each(${JSON.stringify(tombstones)}) j
        CROSS JOIN erased_people e ON e.website_id = j.value ->> 'websiteId' AND e.mark = j.value ->> 'mark'
        WHERE e.last_stop_at IS NOT NULL ORDER BY e.website_id`,
    ),
  );
}
