// What an operator holds, releases and cancels: waiting messages of a website, by their purpose and client.
import type { Author } from "../../domain/audit.ts";
import type { Hold, MessageFilter } from "../../domain/hold.ts";
import { auditStatement } from "./audit.ts";
import { parseJsonColumn, runBatch, runQuery } from "./database.ts";

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

/** Pending messages that a call looks through, of all websites: two million rows of a backlog would take a minute. */
export const LOOKED_THROUGH = 100_000;

/** Unclaimed messages of a website that are no replies, those whose job is due first in front. It finds watched messages alone: call `watch` first. */
const WAITING = `(SELECT message_id, website_id, client_id, send_purpose, claimed_at, is_reply, queued_at, retry_at
    FROM messages WHERE status = 'PENDING_TO_SEND' AND watched = 1 ORDER BY queued_at LIMIT ${LOOKED_THROUGH}) m
  WHERE m.website_id = ?1 AND m.claimed_at IS NULL AND m.is_reply = 0
    AND m.send_purpose = coalesce(?2, m.send_purpose) AND m.client_id = coalesce(?3, m.client_id)`;

export async function countWatched(db: D1Database, websiteId: string, filter: MessageFilter): Promise<number> {
  const [row] = await runQuery<{ count: number }>(
    db.prepare(`SELECT count(*) AS count FROM ${WAITING}`).bind(websiteId, filter.sendPurpose, filter.clientId),
  );
  return row?.count ?? 0;
}

const STEP = 1000;

export async function findWaitingIds(db: D1Database, websiteId: string, filter: MessageFilter): Promise<string[]> {
  const rows = await runQuery<{ message_id: string }>(
    db
      .prepare(`SELECT m.message_id FROM ${WAITING} LIMIT ${STEP}`)
      .bind(websiteId, filter.sendPurpose, filter.clientId),
  );
  return rows.map((row) => row.message_id);
}

/**
 * Makes released messages due now, but for those that wait for a retry.
 * @param mark the same in each step: a time just before now, by which the next step knows what this one has done
 * @returns those that were, at most STEP
 */
export async function takeReleased(
  db: D1Database,
  websiteId: string,
  filter: MessageFilter,
  mark: number,
): Promise<{ messageId: string; websiteId: string }[]> {
  const rows = await runQuery<{ message_id: string; website_id: string }>(
    db
      .prepare(
        `UPDATE messages SET queued_at = ?4, reason = iif(reason = '${HELD}', NULL, reason) WHERE message_id IN (
           SELECT m.message_id FROM ${WAITING} AND m.queued_at <> ?4 AND (m.retry_at IS NULL OR m.retry_at <= ?4)
           AND NOT ${isHeld("m")} LIMIT ${STEP})
         AND status = 'PENDING_TO_SEND' AND claimed_at IS NULL
         RETURNING message_id, website_id`,
      )
      .bind(websiteId, filter.sendPurpose, filter.clientId, mark),
  );
  return rows.map((row) => ({ messageId: row.message_id, websiteId: row.website_id }));
}
