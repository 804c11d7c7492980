import type { DueEvent } from "../../domain/callbacks/callback.ts";
import type { Author } from "../../domain/operations/audit.ts";
import { maskNumbers } from "../../domain/operations/mask.ts";
import type { Consent } from "../../domain/people/consent.ts";
import type { PhoneList } from "../../domain/people/number-list/distinct-phones.ts";
import { toSortedJson } from "../../domain/people/number-list/sorted-json.ts";
import { dueEvents } from "../callbacks/events.ts";
import { runNamed, runQuery, toJsonLists } from "../database.ts";
import type { NumberFaults } from "../messages/number-faults.ts";
import { auditStatement, runAudited } from "../operations/audit.ts";
import { countOptedOut } from "../operations/count-ledgers.ts";
import { IS_COUNTED } from "../operations/daily-counts.ts";
import type { ChangeSource, SubscriptionChangeRow, SubscriptionRow } from "../rows.ts";
import { prepare, sql } from "../sql.ts";
import { optOutStatements } from "./last-word.ts";

/**
 * Looks up which numbers are subscribed to the website's text program, in one query.
 * @param phones distinct
 * @returns 1 (subscribed) or 0 per number, in the order of `phones.valid`
 */
export async function findSubscribed(
  db: D1Database,
  websiteId: string,
  phones: Pick<PhoneList, "valid" | "order">,
): Promise<Uint8Array> {
  // Sorted keys read the index sequentially. The positions come back as one value instead of one row each.
  const [row] = await runQuery<{ places: string }>(
    prepare(
      db,
      sql`SELECT json_group_array(j.key) AS places FROM json_each(${toSortedJson(phones)}) j
        CROSS JOIN subscriptions s ON s.website_id = ${websiteId} AND s.phone = j.value WHERE s.subscribed = 1`,
    ),
  );
  const subscribed = new Uint8Array(phones.valid.length);
  for (const place of JSON.parse(row?.places ?? "[]") as number[]) subscribed[phones.order[place] as number] = 1;
  return subscribed;
}

/** The numbers (as digits) that the website has subscribed or texted. No query for an empty list. */
export async function findStored(db: D1Database, websiteId: string, phones: number[]): Promise<number[]> {
  const found: number[] = [];
  for (const list of toJsonLists(phones)) {
    const rows = await runQuery<Pick<SubscriptionRow, "phone">>(
      prepare(
        db,
        sql`SELECT j.value AS phone FROM json_each(${list}) j
          WHERE EXISTS (SELECT 1 FROM subscriptions s WHERE s.website_id = ${websiteId} AND s.phone = j.value)
            OR EXISTS (SELECT 1 FROM messages m WHERE m.website_id = ${websiteId} AND m.phone = j.value)`,
      ),
    );
    found.push(...rows.map(({ phone }) => phone));
  }
  return found;
}

/** Source of a change, and its proof: a request id, or the text of a message. */
export interface ChangeOrigin {
  source: ChangeSource;
  proof: string;
  now: number;
  /** The client that made it: it is not told. */
  clientId?: string;
  /** Kept with each number that it subscribes. */
  consent?: Consent;
}

/** The recipient of a message. */
export interface Recipient {
  websiteId: string;
  /** As digits. */
  phone: number;
  carrier: string | null;
  /** Whether a client of the website may want notices. */
  hasListeners: boolean;
}

/** undefined: there is no such message, or it has no number. */
export async function findRecipient(db: D1Database, messageId: string): Promise<Recipient | undefined> {
  const [row] = await runQuery<Omit<Recipient, "hasListeners"> & { has_listeners: 0 | 1 }>(
    prepare(
      db,
      sql`SELECT m.website_id AS websiteId, m.phone, m.carrier, EXISTS (SELECT 1 FROM clients c INDEXED BY clients_with_events
          WHERE c.website_id = m.website_id AND c.events IS NOT NULL) AS has_listeners
        FROM messages m WHERE m.message_id = ${messageId} AND m.phone IS NOT NULL`,
    ),
  );
  return row && { ...row, hasListeners: row.has_listeners === 1 };
}

/**
 * Opts out the recipient of a message because its carrier reports an opt-out. Takes effect once per message. If the person had opted out
 * before, as a carrier says of the confirmation of a STOP, the report counts none.
 * @param run names its notices; null: no event is posted
 */
export async function optOutRecipient(
  db: D1Database,
  messageId: string,
  { websiteId, phone }: Pick<Recipient, "websiteId" | "phone">,
  origin: ChangeOrigin,
  run: string | null,
): Promise<DueEvent[]> {
  // The first statement notes with -1 that the person was subscribed, and the last one makes it 1, or 2. A 3 is counted already.
  const isNew = sql`EXISTS (SELECT 1 FROM messages WHERE message_id = ${messageId} AND opted_out IN (-1, 0, 3))`;
  const answered = sql`SELECT message_id FROM messages WHERE message_id = ${messageId} AND opted_out = -1`;
  const rows = await runNamed(db, {
    noted: prepare(
      db,
      sql`UPDATE messages SET opted_out = -1 WHERE message_id = ${messageId} AND opted_out = 0 AND EXISTS (
        SELECT 1 FROM subscriptions s WHERE s.website_id = ${websiteId} AND s.phone = ${phone} AND s.subscribed = 1)`,
    ),
    act: optOutStatements(db, { ...origin, websiteId, phones: [phone], isNew, text: null, isConfirmed: false, run }),
    counts: prepare(
      db,
      sql`UPDATE daily_counts SET opted_out = opted_out + 1 WHERE (website_id, day, send_purpose, status, reason) IN (
        SELECT m.website_id, m.day, m.send_purpose, m.status, m.reason FROM message_counts m
        WHERE m.message_id IN (${answered}) AND ${IS_COUNTED})`,
    ),
    responses: countOptedOut(db, answered, origin.now),
    message: prepare(
      db,
      sql`UPDATE messages SET opted_out = iif(opted_out = 0, 2, 1) WHERE message_id = ${messageId} AND opted_out IN (-1, 0, 3)`,
    ),
  });
  return dueEvents(rows.act);
}

/** A present or former subscriber of a website. */
export interface Person {
  subscribed: boolean;
  email: string | null;
  /** The person opted out by a keyword or at the carrier: only START undoes it. */
  optedOutByPerson: boolean;
  /** Milliseconds since 1970. */
  optOutConfirmedAt: number | null;
  faults: NumberFaults | null;
  changes: SubscriptionEntry[];
}

/** One row of the ledger. */
export interface SubscriptionEntry {
  /** Its number in the ledger. */
  changeId: number;
  /** null: the number was new. */
  wasSubscribed: boolean | null;
  subscribed: boolean;
  /** Milliseconds since 1970. */
  changedAt: number;
  addressChanged: boolean;
  /** The address that an import has replaced, for its undo. Left out where there was none. */
  emailBefore?: string;
  source: ChangeSource;
  proof: string;
  /** Milliseconds since 1970. Left out, as the next, where none was told. */
  consentedAt?: number;
  evidence?: string;
}

/** undefined: the number was never subscribed or opted out. */
export async function readPerson(db: D1Database, websiteId: string, phone: number): Promise<Person | undefined> {
  return toPerson(await runNamed(db, selectPerson(db, websiteId, phone)));
}

export function selectPerson(db: D1Database, websiteId: string, phone: number) {
  return {
    subscriptions: prepare(db, sql`SELECT * FROM subscriptions WHERE website_id = ${websiteId} AND phone = ${phone}`),
    subscription_changes: prepare(
      db,
      sql`SELECT * FROM subscription_changes WHERE website_id = ${websiteId} AND phone = ${phone} ORDER BY change_id`,
    ),
    number_faults: prepare(
      db,
      sql<NumberFaults>`SELECT f.failures AS texts, f.code,
          iif(f.failures >= w.settings ->> 'unreachableAfter', coalesce(f.told_at, f.failed_at), NULL) AS unreachableSince
        FROM number_faults f CROSS JOIN websites w ON w.website_id = f.website_id
        WHERE f.website_id = ${websiteId} AND f.phone = ${phone}`,
    ),
  };
}

/** @param rows of selectPerson: there is no subscription where an undo has taken back the import that added the number */
export function toPerson(rows: {
  subscriptions: unknown[];
  subscription_changes: unknown[];
  number_faults: NumberFaults[];
}): Person | undefined {
  const [row] = rows.subscriptions as SubscriptionRow[];
  const changes = (rows.subscription_changes as SubscriptionChangeRow[]).map(toSubscriptionEntry);
  const [faults = null] = rows.number_faults;
  if (!row && changes.length === 0 && !faults) return undefined;
  return {
    subscribed: row?.subscribed === 1,
    email: row?.email ?? null,
    optedOutByPerson: row?.opted_out_by_person === 1,
    optOutConfirmedAt: row?.opt_out_confirmed_at ?? null,
    faults,
    changes,
  };
}

export function toSubscriptionEntry(row: SubscriptionChangeRow): SubscriptionEntry {
  return {
    wasSubscribed: row.was_subscribed === null ? null : row.was_subscribed === 1,
    subscribed: row.subscribed === 1,
    changeId: row.change_id,
    changedAt: row.changed_at,
    addressChanged: row.was_email !== null,
    ...(row.was_email ? { emailBefore: row.was_email } : {}),
    source: row.source,
    proof: row.proof,
    ...(row.consented_at === null ? {} : { consentedAt: row.consented_at }),
    ...(row.evidence === null ? {} : { evidence: row.evidence }),
  };
}

/** An undo of an import does not bring the address back. @returns false: unknown number */
export async function removeEmail(
  db: D1Database,
  author: Author,
  websiteId: string,
  phone: number,
  now: number,
): Promise<boolean> {
  const subject = maskNumbers(String(phone));
  const rows = await runAudited(db, {
    forgotten: prepare(
      db,
      sql`UPDATE subscription_changes SET was_email = ''
        WHERE website_id = ${websiteId} AND phone = ${phone} AND was_email <> ''`,
    ),
    change: prepare(
      db,
      sql`INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof, was_email)
        SELECT website_id, phone, subscribed, subscribed, ${now}, 'operator', ${author.requestId}, '' FROM subscriptions
        WHERE website_id = ${websiteId} AND phone = ${phone} AND email IS NOT NULL`,
    ),
    removed: prepare(
      db,
      sql`UPDATE subscriptions SET email = NULL, change_id = coalesce((SELECT max(c.change_id) FROM subscription_changes c
          WHERE c.website_id = ${websiteId} AND c.phone = ${phone}), change_id)
        WHERE website_id = ${websiteId} AND phone = ${phone} RETURNING phone`,
    ),
    audit: auditStatement(db, author, { action: "remove-email", websiteId, subject }, now),
  });
  return rows === "made" || rows.removed.length === 1;
}
