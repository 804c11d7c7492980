import type { Hold } from "../../domain/messages/hold.ts";
import type { MessageStatus } from "../../domain/messages/message.ts";
import { CLASSES_JSON, type OutcomeClass } from "../../domain/messages/outcome-class.ts";
import { REASON_STATUSES, type Reason } from "../../domain/messages/reason.ts";
import { runQuery } from "../database.ts";
import { prepare, type Sql, sql } from "../sql.ts";
import { HOLD, toHold } from "./holds.ts";
import { type HeldRow, HOURS, type StoredMessage, toStoredMessage } from "./stored-message.ts";

/** How many messages are looked through for one page. A search for a rare one continues with the next page. */
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
  /** Found by the address itself, and by the numbers that have it. With a phone: if the number has it. */
  email?: string | undefined;
  status?: MessageStatus | undefined;
  reason?: Reason | undefined;
  /** As it is at a time, because a pending text is scheduled until its own. Replies to keywords have none. */
  outcome?: { classes: readonly OutcomeClass[]; at: number } | undefined;
  sendPurpose?: string | undefined;
  clientId?: string | undefined;
  from: number;
  until: number;
  /** Only what is older. */
  before: MessagePlace | null;
}

/** `websiteName` null: the website is not there any more. `clickedAt`: when a person first clicked. */
export type FoundMessage = StoredMessage & {
  hold: Hold | null;
  websiteName: string | null;
  clickedAt: number | null;
};

/** The columns of a message `m` as a search shows it. */
export const FOUND = sql<FoundRow>`m.*, ${HOLD} AS hold, ${HOURS},
  (SELECT w.name FROM websites w WHERE w.website_id = m.website_id) AS website_name,
  iif(m.click_url IS NULL, NULL, (SELECT min(clicked_at) FROM clicks
    WHERE clicks.message_id = m.message_id AND is_person = 1)) AS clicked_at`;

export type FoundRow = HeldRow & { hold: string | null; website_name: string | null; clicked_at: number | null };

export const toFound = (row: FoundRow): FoundMessage => ({
  ...toStoredMessage(row),
  hold: toHold(row.hold),
  websiteName: row.website_name,
  clickedAt: row.clicked_at,
});

/** Condition on a message `m`: it is what a search asks for, beside what its index finds. */
export function isMeant(search: Omit<MessageSearch, "websiteIds" | "before">): Sql {
  const { status, reason, outcome, sendPurpose, clientId } = search;
  const given = { status: status ?? null, reason: reason ?? null };
  const of = { sendPurpose: sendPurpose ?? null, clientId: clientId ?? null };
  // A code that does not explain the status is none: see readReason.
  const statuses = JSON.stringify(reason === undefined ? [] : REASON_STATUSES[reason]);
  const classes = outcome ? JSON.stringify(outcome.classes) : null;
  return sql`(${given.status} IS NULL OR m.status = ${given.status})
    AND (${given.reason} IS NULL OR m.reason_code = ${given.reason} AND m.status IN (SELECT value FROM json_each(${statuses})))
    AND (${classes} IS NULL OR m.is_reply = 0 AND CASE
      WHEN m.status <> 'PENDING_TO_SEND' THEN ${CLASSES_JSON} ->> (m.status || ' ' || coalesce(m.reason_code, ''))
      WHEN m.send_at > ${outcome?.at ?? null} THEN 'scheduled' ELSE 'waiting' END IN (SELECT value FROM json_each(${classes})))
    AND (${of.sendPurpose} IS NULL OR m.send_purpose = ${of.sendPurpose})
    AND (${of.clientId} IS NULL OR m.client_id = ${of.clientId})`;
}

/**
 * Newest first. Reads what is asked for by its index, at most LOOKED_THROUGH messages and what finds them.
 * @returns `next`: where the next page begins; null when there is none
 */
export async function findMessages(
  db: D1Database,
  search: MessageSearch,
  limit: number,
): Promise<{ messages: (FoundMessage & { place: MessagePlace })[]; next: MessagePlace | null }> {
  const source = sourceOf(search);
  const found = await runQuery<FoundRow & { place: number }>(
    prepare(
      db,
      sql`SELECT ${FOUND}
        FROM (SELECT * FROM (${source}) ORDER BY accepted_at DESC, place DESC LIMIT ${LOOKED_THROUGH}) m
        WHERE ${isMeant(search)} ORDER BY accepted_at DESC, place DESC LIMIT ${limit}`,
    ),
  );
  const last = found.at(-1);
  const isFull = last && found.length === limit;
  const isFiltered = [search.status, search.reason, search.outcome, search.sendPurpose, search.clientId].some(
    (it) => it !== undefined,
  );
  const end = isFull ? last : isFiltered ? await lastLookedAt(db, source) : undefined;
  return {
    messages: found.map((row) => ({ ...toFound(row), place: placeOf(row) })),
    next: end ? placeOf(end) : null,
  };
}

const placeOf = (row: { accepted_at: number; place: number }) => ({ acceptedAt: row.accepted_at, row: row.place });

/** undefined: all were looked through. */
async function lastLookedAt(db: D1Database, source: Sql) {
  const [row] = await runQuery<{ accepted_at: number; place: number }>(
    prepare(
      db,
      sql`SELECT accepted_at, place FROM (${source}) ORDER BY accepted_at DESC, place DESC
        LIMIT 1 OFFSET ${LOOKED_THROUGH - 1}`,
    ),
  );
  return row;
}

/** The messages that one index finds. */
function sourceOf({ websiteIds, phone, email, from, until, before }: MessageSearch): Sql {
  const [websiteId = ""] = websiteIds;
  const { acceptedAt: beforeAt, row: beforeRow } = before ?? { acceptedAt: until, row: 0 };
  const isInRange = sql`messages.accepted_at >= ${from} AND messages.accepted_at <= ${Math.min(until - 1, beforeAt)}
    AND (messages.accepted_at < ${beforeAt} OR (messages.accepted_at = ${beforeAt} AND messages.rowid < ${beforeRow}))`;
  if (phone !== undefined)
    return sql`SELECT messages.rowid AS place, messages.* FROM json_each(${JSON.stringify(websiteIds)}) w
      CROSS JOIN messages ON messages.website_id = w.value AND messages.phone = ${phone} AND ${isInRange}
      WHERE ${email ?? null} IS NULL OR EXISTS (SELECT 1 FROM subscriptions s
        WHERE s.website_id = w.value AND s.phone = ${phone} AND s.email = ${email ?? null} AND s.subscribed = 1)`;
  if (email !== undefined)
    return sql`SELECT messages.rowid AS place, messages.* FROM messages INDEXED BY messages_unmatched
        WHERE website_id = ${websiteId} AND email = ${email} AND phone IS NULL AND ${isInRange}
      UNION ALL SELECT messages.rowid AS place, messages.* FROM subscriptions s INDEXED BY subscriptions_by_email
        CROSS JOIN messages ON messages.website_id = s.website_id AND messages.phone = s.phone
        WHERE s.website_id = ${websiteId} AND s.email = ${email} AND s.subscribed = 1 AND ${isInRange}`;
  return sql`SELECT messages.rowid AS place, messages.* FROM messages WHERE website_id = ${websiteId} AND ${isInRange}`;
}

export async function listWebsiteIds(db: D1Database): Promise<string[]> {
  const rows = await runQuery<{ website_id: string }>(
    prepare(db, sql`SELECT website_id FROM websites ORDER BY website_id`),
  );
  return rows.map((row) => row.website_id);
}
