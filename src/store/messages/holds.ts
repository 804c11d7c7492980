// An operator holds, releases and cancels the waiting messages of a website, by their purpose and client. All of them are looked at,
// in steps, however many other websites have.

import type { Hold, MessageFilter } from "../../domain/messages/hold.ts";
import type { Author } from "../../domain/operations/audit.ts";
import { parseJsonColumn, runBatch, runQuery } from "../database.ts";
import { auditStatement } from "../operations/audit.ts";

/**
 * SQL condition: whether an operator holds the message. A reply to a keyword is never held.
 * @param message the name or alias of the row of messages
 */
export const isHeld = (message: string) => `(${message}.is_reply = 0 AND EXISTS (SELECT 1 FROM websites hw
  CROSS JOIN json_each(hw.holds) h WHERE hw.website_id = ${message}.website_id
    AND coalesce(h.value ->> 'sendPurpose', ${message}.send_purpose) = ${message}.send_purpose
    AND coalesce(h.value ->> 'clientId', ${message}.client_id) = ${message}.client_id))`;

/** The operator sees it with the message. */
export const HELD = "held by an operator";

const IS_SAME = "h.value ->> 'sendPurpose' IS ?2 AND h.value ->> 'clientId' IS ?3";

/** Holding what is held changes nothing. */
export async function addHold(
  db: D1Database,
  author: Author,
  websiteId: string,
  filter: MessageFilter,
  now: number,
): Promise<void> {
  const hold: Hold = { ...filter, since: now };
  await runBatch(db, [
    db
      .prepare(
        `UPDATE websites SET holds = json_insert(coalesce(holds, '[]'), '$[#]', json(?4)) WHERE website_id = ?1
         AND NOT EXISTS (SELECT 1 FROM json_each(coalesce(holds, '[]')) h WHERE ${IS_SAME})`,
      )
      .bind(websiteId, filter.sendPurpose, filter.clientId, JSON.stringify(hold)),
    auditStatement(db, author, { action: "hold", websiteId, after: { ...filter } }, now),
  ]);
}

/** Ends the hold with the same filter; a filter of nothing ends all of them. */
export async function removeHolds(db: D1Database, websiteId: string, filter: MessageFilter): Promise<void> {
  await runBatch(db, [
    db
      .prepare(
        `UPDATE websites SET holds = (SELECT iif(count(*) = 0, NULL, json_group_array(json(h.value))) FROM json_each(holds) h
           WHERE NOT (${IS_SAME}) AND NOT (?2 IS NULL AND ?3 IS NULL))
         WHERE website_id = ?1 AND holds IS NOT NULL`,
      )
      .bind(websiteId, filter.sendPurpose, filter.clientId),
  ]);
}

export function toHolds(column: string | null): Hold[] {
  return column === null ? [] : parseJsonColumn<Hold[]>(column, []);
}

/** Pending messages that one statement counts: a tenth of a second. */
const COUNTED = 10_000;

/** Pending messages that one statement looks through for those that are worked on in one transaction. */
const LOOKED_THROUGH = 2000;

/**
 * Pending messages `m` of the website ?1, in the order of their ids, after ?2. An id means the same in every database, so a call goes
 * on where it was, even if the website moves meanwhile. Messages of other websites are not read.
 */
const PENDING = (
  most: number,
) => `(SELECT message_id, website_id, client_id, send_purpose, claimed_at, is_reply, due_at, reason
  FROM messages INDEXED BY messages_pending_by_website
  WHERE website_id = ?1 AND status = 'PENDING_TO_SEND' AND message_id > ?2 ORDER BY message_id LIMIT ${most}) m`;

/** Whether the message is unclaimed, no reply, and what the filter asks for. */
const IS_ASKED_FOR = `m.claimed_at IS NULL AND m.is_reply = 0
  AND m.send_purpose = coalesce(?3, m.send_purpose) AND m.client_id = coalesce(?4, m.client_id)`;

/** Where the next statement begins; null: all messages were looked at. */
const NEXT = (most: number) => `iif(count(*) = ${most}, max(m.message_id), NULL) AS next`;

/** Counts the waiting messages of a website: unclaimed ones that are no replies. */
export async function countWaiting(db: D1Database, websiteId: string, filter: MessageFilter): Promise<number> {
  const sql = `SELECT count(*) FILTER (WHERE ${IS_ASKED_FOR}) AS count, ${NEXT(COUNTED)} FROM ${PENDING(COUNTED)}`;
  let count = 0;
  for (let after: string | null = ""; after !== null; ) {
    const query: D1PreparedStatement = db.prepare(sql).bind(websiteId, after, filter.sendPurpose, filter.clientId);
    const [row] = await runQuery<{ count: number; next: string | null }>(query);
    count += row?.count ?? 0;
    after = row?.next ?? null;
  }
  return count;
}

/** Some of the waiting messages of a website. */
export interface WaitingStep {
  messageIds: string[];
  /** Where the next step begins; null: this was the last. */
  next: string | null;
}

/** @param after `next` of the step before; `""`: the first */
export function findWaiting(
  db: D1Database,
  websiteId: string,
  filter: MessageFilter,
  after: string,
): Promise<WaitingStep> {
  const sql = `SELECT json_group_array(m.message_id) FILTER (WHERE ${IS_ASKED_FOR}) AS ids, ${NEXT(LOOKED_THROUGH)}
    FROM ${PENDING(LOOKED_THROUGH)}`;
  return readStep(db.prepare(sql).bind(websiteId, after, filter.sendPurpose, filter.clientId));
}

/** The waiting messages that may go now: they are not held, and wait for no retry. @param after see findWaiting */
export function findReleased(
  db: D1Database,
  websiteId: string,
  filter: MessageFilter,
  after: string,
  now: number,
): Promise<WaitingStep> {
  const sql = `SELECT json_group_array(m.message_id) FILTER (WHERE ${IS_ASKED_FOR}
      AND (m.due_at <= ?5 OR m.reason IS NULL OR m.reason = '${HELD}') AND NOT ${isHeld("m")}) AS ids, ${NEXT(LOOKED_THROUGH)}
    FROM ${PENDING(LOOKED_THROUGH)}`;
  return readStep(db.prepare(sql).bind(websiteId, after, filter.sendPurpose, filter.clientId, now));
}

async function readStep(query: D1PreparedStatement): Promise<WaitingStep> {
  const [row] = await runQuery<{ ids: string; next: string | null }>(query);
  return { messageIds: JSON.parse(row?.ids ?? "[]") as string[], next: row?.next ?? null };
}

/** How many of these messages are cancelled. */
export async function countCancelled(db: D1Database, messageIds: string[]): Promise<number> {
  const [row] = await runQuery<{ count: number }>(
    db
      .prepare(
        `SELECT count(*) AS count FROM json_each(?1) j CROSS JOIN messages m ON m.message_id = j.value
         WHERE m.status = 'FAILED_TO_SEND' AND m.reason_code = 'CANCELLED'`,
      )
      .bind(JSON.stringify(messageIds)),
  );
  return row?.count ?? 0;
}

/** Makes released messages due now. @returns those that still wait */
export async function makeDue(db: D1Database, messageIds: string[], now: number): Promise<string[]> {
  const rows = await runQuery<{ message_id: string }>(
    db
      .prepare(
        `UPDATE messages SET due_at = ?2, reason = iif(reason = '${HELD}', NULL, reason)
         WHERE message_id IN (SELECT value FROM json_each(?1)) AND status = 'PENDING_TO_SEND' AND claimed_at IS NULL
         RETURNING message_id`,
      )
      .bind(JSON.stringify(messageIds), now),
  );
  return rows.map(({ message_id }) => message_id);
}
