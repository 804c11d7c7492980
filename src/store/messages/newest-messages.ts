// The newest messages of all websites of a database. The id of a message begins with its time, so the order of the ids is one for all
// databases.

import { firstIdAt } from "../../domain/databases/home.ts";
import { runQuery } from "../database.ts";
import { piece, prepare, type Sql, sql } from "../sql.ts";
import {
  FOUND,
  type FoundMessage,
  type FoundRow,
  isMeant,
  LOOKED_THROUGH,
  type MessageSearch,
  toFound,
} from "./find-messages.ts";

export type NewestSearch = Omit<MessageSearch, "websiteIds" | "phone" | "email" | "before">;

/** How much earlier than its id says a message may have been accepted: a clock may be set back a little. */
const EARLIER_MILLISECONDS = 60_000;

/** How much later than its id says a message is accepted that is not in the index of late messages. */
const LATE_MILLISECONDS = 3_600_000;

/** Condition of the index messages_late. It has what the daily limit has held back of a bulk request. */
const IS_LATE = piece(
  "message_id < printf('%08x-%04x', (accepted_at - 3600000) >> 16, (accepted_at - 3600000) & 65535)",
);

/**
 * Newest first, by id. Reads at most LOOKED_THROUGH messages by their key. Those of a website that is not here are left out.
 * @param before the id of a message: only older ones; null: the newest
 * @returns `next`: the id before which the next page begins; null when there is none
 */
export async function findNewest(
  db: D1Database,
  search: NewestSearch,
  before: string | null,
  limit: number,
): Promise<{ messages: FoundMessage[]; next: string | null }> {
  const { from, until } = search;
  const first = firstIdAt(from - LATE_MILLISECONDS);
  const end = firstIdAt(until + EARLIER_MILLISECONDS);
  const last = before === null || before > end ? end : before;
  const inTime = sql`SELECT message_id FROM messages WHERE message_id >= ${first} AND message_id < ${last}`;
  const found = await lookThrough(db, search, inTime, limit);
  if (found.next !== null || from <= 0) return found;
  // What is late has older ids than all of these.
  const late = sql`SELECT message_id FROM messages INDEXED BY messages_late WHERE ${IS_LATE}
    AND accepted_at >= ${from} AND accepted_at < ${until} AND message_id < ${last < first ? last : first}`;
  const { messages, next } = await lookThrough(db, search, late, limit - found.messages.length);
  return { messages: [...found.messages, ...messages], next };
}

/** @param ids a query of message ids */
async function lookThrough(db: D1Database, search: NewestSearch, ids: Sql, limit: number) {
  const rows = await runQuery<FoundRow>(
    prepare(
      db,
      sql`SELECT ${FOUND}
        FROM (${ids} ORDER BY message_id DESC LIMIT ${LOOKED_THROUGH}) i CROSS JOIN messages m ON m.message_id = i.message_id
        WHERE m.accepted_at >= ${search.from} AND m.accepted_at < ${search.until} AND ${isMeant(search)}
        ORDER BY i.message_id DESC LIMIT ${limit}`,
    ),
  );
  const last = rows.length === limit ? rows.at(-1)?.message_id : await lastLookedAt(db, ids);
  return { messages: rows.map(toFound), next: last ?? null };
}

/** undefined: all were looked through. */
async function lastLookedAt(db: D1Database, ids: Sql): Promise<string | undefined> {
  const [row] = await runQuery<{ message_id: string }>(
    prepare(db, sql`${ids} ORDER BY message_id DESC LIMIT 1 OFFSET ${LOOKED_THROUGH - 1}`),
  );
  return row?.message_id;
}
