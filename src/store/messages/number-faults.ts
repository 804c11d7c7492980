// Permanent faults of numbers, and how clients hear that a number has become unreachable. A text that is delivered writes no row: it
// removes one where its number has one.
import type { SubmissionRecord } from "../../domain/messages/job.ts";
import type { Author } from "../../domain/operations/audit.ts";
import { maskNumbers } from "../../domain/operations/mask.ts";
import { otherFormOf } from "../../domain/people/two-form-numbers.ts";
import { runQuery } from "../database.ts";
import { auditStatement, runAudited } from "../operations/audit.ts";
import { piece, prepare, type Query, type Sql, sql } from "../sql.ts";

/** A text that ends with a permanent fault of its number. */
export interface NumberFault {
  messageId: string;
  /** The carrier's code. */
  numberFault: string;
}

/** What a transaction has found about the numbers of its messages. */
export interface FoundFaults {
  faults: NumberFault[];
  /** Messages that are delivered. */
  delivered: string[];
  /** Messages that end because their number is unreachable: a lower unreachableAfter may have made it so. */
  unreachable?: string[];
}

/** What submissions have found. */
export const faultsOf = (records: SubmissionRecord[]): FoundFaults => ({
  faults: records.flatMap(({ messageId, numberFault }) => (numberFault ? { messageId, numberFault } : [])),
  delivered: [],
  unreachable: records.flatMap(({ messageId, code }) => (code === "UNREACHABLE" ? messageId : [])),
});

/** The latest texts to a number, in a row, that ended with a permanent fault of it. */
export interface NumberFaults {
  texts: number;
  /** The carrier's code of the latest. */
  code: string;
  /** Milliseconds since 1970; null: texts to the number still go. */
  unreachableSince: number | null;
}

/**
 * It runs before the statuses of the messages change, in the same transaction. Where a number has both a fault and a delivery, it is reachable.
 * @param isChanged condition on the message `m`: its status changes
 * @returns statements with rows for dueEvents
 */
export function faultStatements(
  db: D1Database,
  { faults, delivered, unreachable = [] }: FoundFaults,
  isChanged: Sql,
  now: number,
): D1PreparedStatement[] {
  const told = [...faults.map(({ messageId }) => messageId), ...unreachable];
  return [
    ...(faults.length > 0 ? [countFaults(db, faults, isChanged, now)] : []),
    ...(delivered.length > 0 ? [removeDelivered(db, delivered, isChanged)] : []),
    ...(told.length > 0 ? tellOfUnreachable(db, told, now) : []),
  ];
}

function countFaults(db: D1Database, faults: NumberFault[], isChanged: Sql, now: number): D1PreparedStatement {
  return prepare(
    db,
    sql`INSERT INTO number_faults (website_id, phone, failures, code, failed_at)
      SELECT m.website_id, m.phone, count(*), max(j.value ->> 'numberFault'), ${now}
      FROM json_each(${JSON.stringify(faults)}) j CROSS JOIN messages m ON m.message_id = j.value ->> 'messageId'
      WHERE m.phone IS NOT NULL AND ${isChanged} GROUP BY m.website_id, m.phone
      ON CONFLICT (website_id, phone) DO UPDATE SET failures = failures + excluded.failures, code = excluded.code,
        failed_at = excluded.failed_at`,
  );
}

function removeDelivered(db: D1Database, delivered: string[], isChanged: Sql): D1PreparedStatement {
  return prepare(
    db,
    sql`DELETE FROM number_faults WHERE (website_id, phone) IN (SELECT m.website_id, m.phone
      FROM json_each(${JSON.stringify(delivered)}) j CROSS JOIN messages m ON m.message_id = j.value WHERE ${isChanged})`,
  );
}

/** One event for each client that wants it, once until the number is reachable again. */
function tellOfUnreachable(db: D1Database, messageIds: string[], now: number): D1PreparedStatement[] {
  const ids = JSON.stringify(messageIds);
  const since = new Date(now).toISOString();
  return [
    prepare(
      db,
      sql`INSERT INTO events (message_id, client_id, website_id, event, phone, body, occurred_at, due_at)
        SELECT min(m.message_id) || '-' || c.client_id, c.client_id, c.website_id, 'number.unreachable', f.phone,
          json_object('phone', '+' || f.phone, 'code', f.code, 'since', ${since}), ${now}, iif(c.callback_url IS NULL, NULL, ${now})
        FROM json_each(${ids}) j CROSS JOIN messages m ON m.message_id = j.value
          CROSS JOIN number_faults f ON f.website_id = m.website_id AND f.phone = m.phone
          CROSS JOIN websites w ON w.website_id = m.website_id
          CROSS JOIN clients c INDEXED BY clients_with_events ON c.website_id = m.website_id
        WHERE f.told_at IS NULL AND f.failures >= w.settings ->> 'unreachableAfter'
          AND c.events IS NOT NULL AND instr(c.events, '"number.unreachable"') > 0
        GROUP BY f.website_id, f.phone, c.client_id
        ON CONFLICT (message_id, event) DO NOTHING RETURNING message_id, event, due_at`,
    ),
    prepare(
      db,
      sql`UPDATE number_faults SET told_at = ${now}
        WHERE (website_id, phone) IN (SELECT m.website_id, m.phone
            FROM json_each(${ids}) j CROSS JOIN messages m ON m.message_id = j.value)
          AND told_at IS NULL
          AND failures >= (SELECT w.settings ->> 'unreachableAfter' FROM websites w WHERE w.website_id = number_faults.website_id)`,
    ),
  ];
}

/** @param phones a query, or a list of JSON for json_each. @param condition when the numbers are reached */
export function removeFaults(db: D1Database, websiteId: string, phones: Sql, condition = piece("true")): Query {
  return prepare(
    db,
    sql`DELETE FROM number_faults WHERE website_id = ${websiteId} AND phone IN (${phones}) AND ${condition}`,
  );
}

/** A number in each of its forms, as a query. @param phone as digits */
export const formsOf = (phone: number): Sql =>
  sql`SELECT value FROM json_each(${JSON.stringify([phone, otherFormOf(phone) ?? phone])})`;

/**
 * Makes a number reachable in the websites of a database that know it.
 * @param phone as digits
 * @returns those that had faults of it
 */
export async function makeReachable(
  db: D1Database,
  author: Author,
  websiteIds: string[],
  phone: number,
  now: number,
): Promise<string[]> {
  const isOfThem = sql`website_id IN (SELECT value FROM json_each(${JSON.stringify(websiteIds)})) AND phone IN (${formsOf(phone)})`;
  const found = prepare(db, sql`SELECT DISTINCT website_id FROM number_faults WHERE ${isOfThem} ORDER BY website_id`);
  const websites = await runQuery<{ website_id: string }>(found);
  if (websites.length === 0) return [];
  const subject = maskNumbers(String(phone));
  await runAudited(db, {
    removed: prepare(db, sql`DELETE FROM number_faults WHERE ${isOfThem}`),
    audit: auditStatement(db, author, { action: "reachable", subject }, now),
  });
  return websites.map(({ website_id }) => website_id);
}
