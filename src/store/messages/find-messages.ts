import type { MessageStatus } from "../../domain/messages/message.ts";
import { REASON_STATUSES, type Reason } from "../../domain/messages/reason.ts";
import { runQuery } from "../database.ts";
import { IS_HERE } from "../databases/moving.ts";
import type { MessageRow } from "../rows.ts";
import { isHeld } from "./holds.ts";
import { type StoredMessage, toStoredMessage } from "./read-message.ts";

/** Messages looked through for one page: whoever looks for a rare one goes on with the next page. */
export const LOOKED_THROUGH = 10_000;

/** The place of a message in the order of time: its acceptance, and its row among those of the same millisecond. */
export interface MessagePlace {
  acceptedAt: number;
  row: number;
}

/** Absent: any. Times in milliseconds since 1970. */
export interface MessageSearch {
  /** One website, or several where a phone is given. */
  websiteIds: string[];
  /** As digits. */
  phone?: number | undefined;
  /** Found by the address itself, and by the numbers that have it. */
  email?: string | undefined;
  status?: MessageStatus | undefined;
  reason?: Reason | undefined;
  sendPurpose?: string | undefined;
  clientId?: string | undefined;
  from: number;
  until: number;
  /** Only what is older. */
  before: MessagePlace | null;
}

const RANGE = `m.accepted_at >= ?from AND m.accepted_at <= ?last
  AND (m.accepted_at < ?beforeAt OR (m.accepted_at = ?beforeAt AND m.rowid < ?beforeRow))`;

const BY_TIME = `SELECT m.rowid AS place, m.* FROM messages m WHERE m.website_id = ?websiteId AND ${RANGE}`;

const BY_PHONE = `SELECT m.rowid AS place, m.* FROM json_each(?websiteIds) w
  CROSS JOIN messages m ON m.website_id = w.value AND m.phone = ?phone AND ${RANGE}`;

const BY_EMAIL = `SELECT m.rowid AS place, m.* FROM messages m INDEXED BY messages_unmatched
    WHERE m.website_id = ?websiteId AND m.email = ?email AND m.phone IS NULL AND ${RANGE}
  UNION ALL SELECT m.rowid AS place, m.* FROM subscriptions s INDEXED BY subscriptions_by_email
    CROSS JOIN messages m ON m.website_id = s.website_id AND m.phone = s.phone
    WHERE s.website_id = ?websiteId AND s.email = ?email AND s.subscribed = 1 AND ${RANGE}`;

export type FoundMessage = StoredMessage & { isHeld: boolean; place: MessagePlace };

/**
 * Newest first. Reads what is asked for by its index, at most LOOKED_THROUGH messages and what finds them.
 * @returns `next`: where the next page begins; null when there is none
 */
export async function findMessages(
  db: D1Database,
  search: MessageSearch,
  limit: number,
): Promise<{ messages: FoundMessage[]; next: MessagePlace | null }> {
  const source = search.phone !== undefined ? BY_PHONE : search.email !== undefined ? BY_EMAIL : BY_TIME;
  const window = `SELECT * FROM (${source}) ORDER BY accepted_at DESC, place DESC LIMIT ${LOOKED_THROUGH}`;
  const filters = [
    ...(search.status === undefined ? [] : ["status = ?status"]),
    ...(search.reason === undefined ? [] : ["reason_code = ?reason", REASON_HOLDS]),
    ...(search.sendPurpose === undefined ? [] : ["send_purpose = ?sendPurpose"]),
    ...(search.clientId === undefined ? [] : ["client_id = ?clientId"]),
  ];
  const found = await run<MessageRow & { place: number; is_held: 0 | 1 }>(
    db,
    `SELECT f.*, ${isHeld("f")} AS is_held FROM (${window}) f WHERE ${["true", ...filters].join(" AND ")}
     ORDER BY accepted_at DESC, place DESC LIMIT ${limit}`,
    search,
  );
  const last = found.at(-1);
  const isFull = last && found.length === limit;
  const end = isFull ? last : filters.length > 0 ? await lastLookedAt(db, source, search) : undefined;
  return {
    messages: found.map((row) => ({ ...toStoredMessage(row), isHeld: row.is_held === 1, place: placeOf(row) })),
    next: end ? placeOf(end) : null,
  };
}

const placeOf = (row: { accepted_at: number; place: number }) => ({ acceptedAt: row.accepted_at, row: row.place });

/** undefined: all were looked through. */
async function lastLookedAt(db: D1Database, source: string, search: MessageSearch) {
  const sql = `SELECT accepted_at, place FROM (${source}) ORDER BY accepted_at DESC, place DESC
    LIMIT 1 OFFSET ${LOOKED_THROUGH - 1}`;
  const [row] = await run<{ accepted_at: number; place: number }>(db, sql, search);
  return row;
}

/** A code that does not explain the status is none: see readReason. */
const REASON_HOLDS = "status IN (SELECT value FROM json_each(?statuses))";

/** Binds what the statement names, in the order of the first mention. */
function run<T>(db: D1Database, sql: string, search: MessageSearch): Promise<T[]> {
  const { websiteIds, before, from, until } = search;
  const beforeAt = before?.acceptedAt ?? until;
  const values: Record<string, unknown> = {
    ...{ ...search, websiteIds: JSON.stringify(websiteIds), websiteId: websiteIds[0] },
    statuses: JSON.stringify(search.reason === undefined ? [] : REASON_STATUSES[search.reason]),
    ...{ from, last: Math.min(until - 1, beforeAt), beforeAt, beforeRow: before?.row ?? 0 },
  };
  const names: string[] = [];
  const numbered = sql.replaceAll(/\?([a-zA-Z]+)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `?${names.indexOf(name) + 1}`;
  });
  return runQuery<T>(db.prepare(numbered).bind(...names.map((name) => values[name])));
}

export async function listWebsiteIds(db: D1Database): Promise<string[]> {
  const rows = await runQuery<{ website_id: string }>(
    db.prepare(`SELECT website_id FROM websites WHERE ${IS_HERE("websites.website_id")} ORDER BY website_id`),
  );
  return rows.map((row) => row.website_id);
}
