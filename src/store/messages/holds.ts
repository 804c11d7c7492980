// An operator holds, releases and cancels the waiting messages of a website, by their purpose and client. All of them are looked at,
// in steps, however many other websites have.

import type { Hold, MessageFilter } from "../../domain/messages/hold.ts";
import type { Author } from "../../domain/operations/audit.ts";
import { parseJsonColumn, runBatch, runQuery } from "../database.ts";
import { auditStatement, isNotMade, selectAudited } from "../operations/audit.ts";
import type { WebsiteRow } from "../rows.ts";
import { piece, prepare, type Sql, sql } from "../sql.ts";

/** Condition: an operator holds the message `m`. A reply to a keyword is never held. */
export const IS_HELD = piece(`(m.is_reply = 0 AND EXISTS (SELECT 1 FROM websites hw CROSS JOIN json_each(hw.holds) h
  WHERE hw.website_id = m.website_id AND coalesce(h.value ->> 'sendPurpose', m.send_purpose) = m.send_purpose
    AND coalesce(h.value ->> 'clientId', m.client_id) = m.client_id))`);

/** The hold because of which IS_HELD is true: JSON, the oldest of several; NULL: none. */
export const HOLD = piece(`iif(m.is_reply = 0, (SELECT h.value FROM websites hw CROSS JOIN json_each(hw.holds) h
  WHERE hw.website_id = m.website_id AND coalesce(h.value ->> 'sendPurpose', m.send_purpose) = m.send_purpose
    AND coalesce(h.value ->> 'clientId', m.client_id) = m.client_id LIMIT 1), NULL)`);

/** The operator sees it with the message. */
export const HELD = "held by an operator";

/**
 * Holding what is held changes nothing.
 * @param expected null: any. The transaction counts again, unless the website has very many pending messages: see COUNTED
 * @returns false: another count waits, and nothing is held
 */
export async function addHold(
  db: D1Database,
  author: Author,
  websiteId: string,
  { filter, reason, expected }: { filter: MessageFilter; reason: string | null; expected: number | null },
  now: number,
): Promise<boolean> {
  const hold: Hold = { ...filter, since: now, by: author.operator, reason };
  const isExpected = sql`(${expected} IS NULL
    OR (SELECT count(*) = ${COUNTED} OR count(*) FILTER (WHERE ${isWaiting(filter)}) = ${expected} FROM (${pendingOf(websiteId, "", COUNTED)}) m))`;
  const results = await runBatch(db, [
    prepare(
      db,
      sql`UPDATE websites SET holds = json_insert(coalesce(holds, '[]'), '$[#]', json(${JSON.stringify(hold)}))
        WHERE website_id = ${websiteId} AND NOT EXISTS (SELECT 1 FROM json_each(coalesce(holds, '[]')) h
          WHERE h.value ->> 'sendPurpose' IS ${filter.sendPurpose} AND h.value ->> 'clientId' IS ${filter.clientId})
          AND ${isExpected} AND ${isNotMade(author)}`,
    ),
    auditStatement(db, author, { action: "hold", websiteId, after: { ...filter, reason } }, now),
    // An earlier try of this transaction may have held them: more may wait since.
    selectAudited(db, author),
    prepare(db, sql`SELECT 1 WHERE ${isExpected}`),
  ]);
  return results.slice(-2).some((result) => result.results.length > 0);
}

/**
 * Ends the hold with the same filter; a filter of nothing ends all of them. It ends those that there are now: a try that D1 runs late ends
 * none that was made since.
 */
export async function removeHolds(db: D1Database, websiteId: string, filter: MessageFilter): Promise<void> {
  const { sendPurpose, clientId } = filter;
  const query = prepare(db, sql`SELECT holds FROM websites WHERE website_id = ${websiteId}`);
  const [website] = await runQuery<Pick<WebsiteRow, "holds">>(query);
  const times = JSON.stringify(toHolds(website?.holds ?? null).map(({ since }) => since));
  await runBatch(db, [
    prepare(
      db,
      sql`UPDATE websites SET holds = (
          SELECT iif(count(*) = 0, NULL, json_group_array(json(h.value))) FROM json_each(holds) h
          WHERE h.value ->> 'since' NOT IN (SELECT value FROM json_each(${times}))
            OR (NOT (h.value ->> 'sendPurpose' IS ${sendPurpose} AND h.value ->> 'clientId' IS ${clientId})
              AND NOT (${sendPurpose} IS NULL AND ${clientId} IS NULL)))
        WHERE website_id = ${websiteId} AND holds IS NOT NULL`,
    ),
  ]);
}

export function toHold(column: string | null): Hold | null {
  return column === null ? null : parseJsonColumn<Hold | null>(column, null);
}

export function toHolds(column: string | null): Hold[] {
  return column === null ? [] : parseJsonColumn<Hold[]>(column, []);
}

/** Pending messages that one statement counts: a tenth of a second. */
const COUNTED = 10_000;

/** Pending messages that one statement looks through for those that are worked on in one transaction. */
export const LOOKED_THROUGH = 2000;

/**
 * Pending messages of a website, in the order of their ids. An id means the same in every database, so a call goes on where it was, even
 * if the website moves meanwhile. Messages of other websites are not read.
 */
const pendingOf = (websiteId: string, after: string, limit: number): Sql =>
  sql`SELECT message_id, website_id, client_id, send_purpose, claimed_at, is_reply, due_at, send_at, reason
    FROM messages INDEXED BY messages_pending_by_website
    WHERE website_id = ${websiteId} AND status = 'PENDING_TO_SEND' AND message_id > ${after}
    ORDER BY message_id LIMIT ${limit}`;

/** Whether the pending message `m` waits, and is meant: no run has claimed it, and it is no reply. */
const isWaiting = ({ sendPurpose, clientId }: MessageFilter): Sql =>
  sql`(m.claimed_at IS NULL AND m.is_reply = 0 AND m.send_purpose = coalesce(${sendPurpose}, m.send_purpose)
    AND m.client_id = coalesce(${clientId}, m.client_id))`;

/** Counts the waiting messages of a website: unclaimed ones that are no replies. */
export async function countWaiting(db: D1Database, websiteId: string, filter: MessageFilter): Promise<number> {
  let count = 0;
  for (let after: string | null = ""; after !== null; ) {
    const query: D1PreparedStatement = prepare(
      db,
      sql`SELECT count(*) FILTER (WHERE ${isWaiting(filter)}) AS count, iif(count(*) = ${COUNTED}, max(m.message_id), NULL) AS next
        FROM (${pendingOf(websiteId, after, COUNTED)}) m`,
    );
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
  return readStep(
    db,
    sql`SELECT json_group_array(m.message_id) FILTER (WHERE ${isWaiting(filter)}) AS ids,
        iif(count(*) = ${LOOKED_THROUGH}, max(m.message_id), NULL) AS next
      FROM (${pendingOf(websiteId, after, LOOKED_THROUGH)}) m`,
  );
}

/** The waiting messages that may go now: they are not held, and wait for no retry and no time of theirs. @param after see findWaiting */
export function findReleased(
  db: D1Database,
  websiteId: string,
  filter: MessageFilter,
  after: string,
  now: number,
): Promise<WaitingStep> {
  return readStep(
    db,
    sql`SELECT json_group_array(m.message_id) FILTER (WHERE ${isWaiting(filter)}
          AND (m.due_at <= ${now} OR m.reason IS NULL OR m.reason = ${HELD}) AND coalesce(m.send_at, 0) <= ${now}
          AND NOT ${IS_HELD}) AS ids,
        iif(count(*) = ${LOOKED_THROUGH}, max(m.message_id), NULL) AS next
      FROM (${pendingOf(websiteId, after, LOOKED_THROUGH)}) m`,
  );
}

async function readStep(db: D1Database, query: Sql): Promise<WaitingStep> {
  const [row] = await runQuery<{ ids: string; next: string | null }>(prepare(db, query));
  return { messageIds: JSON.parse(row?.ids ?? "[]") as string[], next: row?.next ?? null };
}

/** Whose message it is, and whether it may be cancelled; undefined: unknown. */
export async function findWaitingMessage(
  db: D1Database,
  messageId: string,
): Promise<{ websiteId: string; waits: boolean } | undefined> {
  const [row] = await runQuery<{ website_id: string; waits: 0 | 1 }>(
    prepare(
      db,
      sql`SELECT website_id, status = 'PENDING_TO_SEND' AND claimed_at IS NULL AND is_reply = 0 AS waits
        FROM messages WHERE message_id = ${messageId}
        UNION ALL SELECT website_id, 1 FROM scheduled_messages WHERE message_id = ${messageId}`,
    ),
  );
  return row && { websiteId: row.website_id, waits: row.waits === 1 };
}

/** Makes released messages due now, or at their time. @returns those that still wait */
export async function makeDue(db: D1Database, messageIds: string[], now: number): Promise<string[]> {
  const rows = await runQuery<{ message_id: string }>(
    prepare(
      db,
      sql`UPDATE messages SET due_at = max(${now}, coalesce(send_at, 0)), reason = iif(reason = ${HELD}, NULL, reason)
        WHERE message_id IN (SELECT value FROM json_each(${JSON.stringify(messageIds)})) AND status = 'PENDING_TO_SEND'
          AND claimed_at IS NULL
        RETURNING message_id`,
    ),
  );
  return rows.map(({ message_id }) => message_id);
}
