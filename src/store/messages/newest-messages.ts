// The newest messages of all websites of a database. The id of a message begins with its time, so the order of the ids is one for all
// databases, and a move of a website between them leaves it as it is.

import { firstIdAt } from "../../domain/databases/home.ts";
import { DAY_MILLISECONDS } from "../../domain/day.ts";
import { runQuery } from "../database.ts";
import { STATE } from "../databases/moving.ts";
import { prepare, type Sql, sql } from "../sql.ts";
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

/**
 * How much earlier or later than its id a message may have been accepted. A bulk request that is repeated keeps its first id for as long
 * as its Idempotency-Key, a day; a clock may be set back a little.
 */
const ACCEPTED = { earlierMilliseconds: 60_000, laterMilliseconds: DAY_MILLISECONDS };

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
  const range = rangeOf(search, before);
  const rows = await runQuery<FoundRow>(
    prepare(
      db,
      sql`SELECT ${FOUND}
        FROM (SELECT * FROM messages WHERE ${range} ORDER BY message_id DESC LIMIT ${LOOKED_THROUGH}) m
        WHERE m.accepted_at >= ${search.from} AND m.accepted_at < ${search.until} AND ${isMeant(search)}
          AND NOT EXISTS (SELECT 1 FROM moving v WHERE v.website_id = m.website_id AND v.state >= ${STATE.arriving})
        ORDER BY m.message_id DESC LIMIT ${limit}`,
    ),
  );
  const last = rows.length === limit ? rows.at(-1)?.message_id : await lastLookedAt(db, range);
  return { messages: rows.map(toFound), next: last ?? null };
}

function rangeOf({ from, until }: NewestSearch, before: string | null): Sql {
  const first = firstIdAt(from - ACCEPTED.laterMilliseconds);
  const end = firstIdAt(until + ACCEPTED.earlierMilliseconds);
  return sql`message_id >= ${first} AND message_id < ${before === null || before > end ? end : before}`;
}

/** undefined: all were looked through. */
async function lastLookedAt(db: D1Database, range: Sql): Promise<string | undefined> {
  const [row] = await runQuery<{ message_id: string }>(
    prepare(
      db,
      sql`SELECT message_id FROM messages WHERE ${range} ORDER BY message_id DESC LIMIT 1 OFFSET ${LOOKED_THROUGH - 1}`,
    ),
  );
  return row?.message_id;
}
