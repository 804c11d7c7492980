// An operator holds, releases and cancels the pending messages of a website, by their purpose and client. All of them are looked at,
// in steps, however many other websites have.
import { covers, type MessageFilter } from "../../domain/messages/hold.ts";
import { runQuery, runWrite } from "../database.ts";
import { piece, prepare, type Sql, sql } from "../sql.ts";
import { HELD, IS_HELD } from "./holds.ts";

/** Pending messages that one statement counts: a tenth of a second. */
const COUNTED = 10_000;

/** Pending messages that one statement looks through for those that are worked on in one transaction. */
export const LOOKED_THROUGH = 2000;

/** The two parts of the pending messages: those that have a job, and those whose time is some minutes ahead (see isScheduled). */
export const PENDING_PARTS = ["waiting", "scheduled"] as const;

export type PendingPart = (typeof PENDING_PARTS)[number];

/** The messages of a part, and how they are found by their website: FROM and WHERE. */
export const PENDING: Record<PendingPart, Sql> = {
  waiting: sql`messages INDEXED BY messages_pending_by_website WHERE due_at IS NOT NULL`,
  scheduled: sql`messages INDEXED BY messages_scheduled_by_website WHERE status = 'PENDING_TO_SEND' AND due_at IS NULL`,
};

/** Messages of a part of a website, in the order of their ids. Messages of other websites are not read. */
const pendingOf = (websiteId: string, part: PendingPart, after: string, limit: number): Sql =>
  sql`SELECT message_id, website_id, client_id, send_purpose, claimed_at, is_reply, due_at, send_at, reason
    FROM ${PENDING[part]} AND website_id = ${websiteId} AND message_id > ${after} ORDER BY message_id LIMIT ${limit}`;

/** Whether the pending message `m` waits: no run has claimed it, and it is no reply. */
const WAITS = piece("(m.claimed_at IS NULL AND m.is_reply = 0)");

/** Whether the pending message `m` waits, and one of the filters covers it. */
const isWaiting = (filters: readonly MessageFilter[]): Sql =>
  sql`(${WAITS} AND EXISTS (SELECT 1 FROM json_each(${JSON.stringify(filters)}) f
    WHERE m.send_purpose = coalesce(f.value ->> 'sendPurpose', m.send_purpose)
      AND m.client_id = coalesce(f.value ->> 'clientId', m.client_id)))`;

/** Waiting messages of one purpose and client. */
interface Counted {
  sendPurpose: string;
  clientId: string;
  count: number;
}

/** How many messages wait. `atLeast`: not all were looked at. */
export interface WaitingCount {
  count: number;
  atLeast: boolean;
}

/**
 * Counts the waiting messages of a part of a website: unclaimed ones that are no replies.
 * @param goesOn whether another step is made after the first
 * @returns the count of each filter
 */
export async function countWaiting(
  db: D1Database,
  websiteId: string,
  part: PendingPart,
  filters: readonly MessageFilter[],
  goesOn: () => boolean = () => true,
): Promise<WaitingCount[]> {
  const counts = filters.map(() => 0);
  let after: string | null = "";
  do {
    const { groups, next } = await countStep(db, websiteId, part, after);
    filters.forEach((filter, index) => {
      for (const group of groups) if (covers(filter, group)) counts[index] = (counts[index] ?? 0) + group.count;
    });
    after = next;
  } while (after !== null && goesOn());
  const atLeast = after !== null;
  return counts.map((count) => ({ count, atLeast }));
}

async function countStep(
  db: D1Database,
  websiteId: string,
  part: PendingPart,
  after: string,
): Promise<{ groups: Counted[]; next: string | null }> {
  const rows = await runQuery<Counted & { looked: number; last: string }>(
    prepare(
      db,
      sql`SELECT m.send_purpose AS sendPurpose, m.client_id AS clientId, count(*) FILTER (WHERE ${WAITS}) AS count,
          count(*) AS looked, max(m.message_id) AS last
        FROM (${pendingOf(websiteId, part, after, COUNTED)}) m GROUP BY 1, 2`,
    ),
  );
  const isFull = rows.reduce((sum, { looked }) => sum + looked, 0) === COUNTED;
  const last = rows.reduce((latest, row) => (row.last > latest ? row.last : latest), "");
  return { groups: rows, next: isFull ? last : null };
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
  part: PendingPart,
  filter: MessageFilter,
  after: string,
): Promise<WaitingStep> {
  return readStep(
    db,
    sql`SELECT json_group_array(m.message_id) FILTER (WHERE ${isWaiting([filter])}) AS ids,
        iif(count(*) = ${LOOKED_THROUGH}, max(m.message_id), NULL) AS next
      FROM (${pendingOf(websiteId, part, after, LOOKED_THROUGH)}) m`,
  );
}

/**
 * The waiting messages of these filters that may go now: they are not held any more, and wait for no retry and no time of theirs.
 * @param after see findWaiting
 */
export function findReleased(
  db: D1Database,
  websiteId: string,
  filters: readonly MessageFilter[],
  after: string,
  now: number,
): Promise<WaitingStep> {
  return readStep(
    db,
    sql`SELECT json_group_array(m.message_id) FILTER (WHERE ${isWaiting(filters)}
          AND (m.due_at <= ${now} OR m.reason IS NULL OR m.reason = ${HELD}) AND coalesce(m.send_at, 0) <= ${now}
          AND NOT ${IS_HELD}) AS ids,
        iif(count(*) = ${LOOKED_THROUGH}, max(m.message_id), NULL) AS next
      FROM (${pendingOf(websiteId, "waiting", after, LOOKED_THROUGH)}) m`,
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
        FROM messages WHERE message_id = ${messageId}`,
    ),
  );
  return row && { websiteId: row.website_id, waits: row.waits === 1 };
}

/** Makes released messages due now, or at their time. @returns those that still wait */
export async function makeDue(db: D1Database, messageIds: string[], now: number): Promise<string[]> {
  const rows = await runWrite<{ message_id: string }>(
    db,
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
