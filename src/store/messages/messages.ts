import type { DueEvent } from "../../domain/callbacks/callback.ts";
import { ALLOWED_FROM, type MessageStatus } from "../../domain/messages/message.ts";
import type { Reason } from "../../domain/messages/reason.ts";
import { dueEvents, recordEvents } from "../callbacks/events.ts";
import { runBatch, runQuery } from "../database.ts";
import { prepare, type Sql, sql } from "../sql.ts";
import { HELD } from "./holds.ts";

/** Unclaimed pending messages of a website, in the given order. */
export interface WaitingMessages {
  carrier: string;
  /** Its sender, if that has a pace. */
  paced: string | null;
  /** Its sender has paused, and has not worked since; the website has no fallback. */
  hasPaused: boolean;
  websiteId: string;
  messageIds: string[];
}

/** The unclaimed pending messages among `ids`, by website. */
export async function findWaiting(db: D1Database, ids: string[]): Promise<WaitingMessages[]> {
  const rows = await runQuery<{
    carrier: string;
    website_id: string;
    paced: string | null;
    has_paused: 0 | 1;
    places: string;
  }>(
    prepare(
      db,
      sql`SELECT w.carrier, w.website_id, json_group_array(j.key) AS places,
          (SELECT s.sender FROM sender_paces s WHERE s.carrier = w.carrier AND s.sender = w.sender) AS paced, EXISTS (SELECT 1 FROM carrier_pauses p
          WHERE p.carrier = w.carrier AND p.sender = w.sender AND p.openings > 0)
            AND w.settings -> '$.fallback' ->> 'carrier' IS NULL AS has_paused
        FROM json_each(${JSON.stringify(ids)}) j CROSS JOIN messages m ON m.message_id = j.value JOIN websites w USING (website_id)
        WHERE m.status = 'PENDING_TO_SEND' AND m.claimed_at IS NULL GROUP BY w.website_id`,
    ),
  );
  const toIds = (places: number[]) => places.sort((a, b) => a - b).map((place) => ids[place] as string);
  return rows.map((row) => ({
    carrier: row.carrier,
    paced: row.paced,
    hasPaused: row.has_paused === 1,
    websiteId: row.website_id,
    messageIds: toIds(JSON.parse(row.places)),
  }));
}

/** Releases the messages of a claim, which must not have been submitted. The next sweep queues them again. */
export async function releaseClaim(db: D1Database, claim: string, messageIds: string[]): Promise<void> {
  await runBatch(db, [
    prepare(
      db,
      sql`UPDATE messages SET claimed_at = NULL, claim = NULL, attempts = attempts - 1, due_at = 0
        WHERE message_id IN (SELECT value FROM json_each(${JSON.stringify(messageIds)})) AND status = 'PENDING_TO_SEND'
          AND claimed_at IS NOT NULL AND claim = ${claim}`,
    ),
  ]);
}

/** The reason for which a message waits, in words: at its deadline, its code follows from it. */
export const notSetUp = (carrier: string) => `carrier ${carrier} is not set up`;

/**
 * Moves messages to `status` where their current status allows it, and writes the events in the same transaction.
 * A late, repeated or out-of-order report changes nothing.
 */
export async function changeStatus(db: D1Database, change: StatusChange): Promise<DueEvent[]> {
  const results = await runBatch(db, changeStatements(db, change));
  return dueEvents(results.flatMap(({ results }) => results));
}

/** The statements of changeStatus, for a transaction that changes more. The rows of the last one are for dueEvents. */
export function changeStatements(db: D1Database, change: StatusChange): D1PreparedStatement[] {
  const { ids, status, code, reason, keepsReason, onlyUnclaimed, claimedBefore, carrier, websiteId, now } = change;
  const isChanged = sql`message_id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))
    AND status IN (SELECT value FROM json_each(${JSON.stringify(ALLOWED_FROM[status])}))
    AND (NOT ${onlyUnclaimed ? 1 : 0} OR claimed_at IS NULL)
    AND (${claimedBefore ?? null} IS NULL OR claimed_at <= ${claimedBefore ?? null})
    AND (${carrier ?? null} IS NULL OR carrier = ${carrier ?? null})
    AND (${websiteId ?? null} IS NULL OR website_id = ${websiteId ?? null})`;
  return [
    prepare(
      db,
      sql`UPDATE messages SET status = ${status}, updated_at = ${now}, due_at = NULL,
          reason_code = CASE WHEN reason = ${HELD} THEN 'CANCELLED'
            WHEN ${code} = 'CARRIER_UNAVAILABLE' AND iif(expires_at IS NULL, send_at IS NOT NULL, expires_at <= ${now})
              THEN 'EXPIRED'
            WHEN ${code} = 'CARRIER_UNAVAILABLE' AND reason LIKE ${`%${notSetUp("%")}%`} THEN 'CARRIER_NOT_SET_UP'
            WHEN ${code} = 'CARRIER_UNAVAILABLE' AND reason_code = 'SENDER_LIMIT' THEN 'SENDER_LIMIT' ELSE ${code} END,
          reason = iif(${keepsReason ? 1 : 0} AND reason IS NOT NULL, ${reason} || ' (before: ' || reason || ')', ${reason})
        WHERE ${isChanged}`,
    ),
    recordEvents(db, ids, now),
  ];
}

export interface StatusChange {
  ids: string[];
  status: MessageStatus;
  /** In words, for the operator. */
  reason: string | null;
  code: Reason | null;
  now: number;
  /** Appends the previous words. */
  keepsReason?: boolean;
  /** Skips messages whose submission has started. */
  onlyUnclaimed?: boolean;
  /** Skips messages that were claimed after this time, or not at all. */
  claimedBefore?: number;
  /** Skips messages of other carriers. */
  carrier?: string | undefined;
  /** Skips messages of other websites. */
  websiteId?: string | undefined;
}

/**
 * When a message `m` is given up at the latest.
 * @param longestWait of a message that has no time at which it expires: milliseconds since it might go first
 */
export const deadlineOf = (longestWait: number): Sql =>
  sql`coalesce(m.expires_at, coalesce(m.send_at, m.accepted_at) + ${longestWait})`;
