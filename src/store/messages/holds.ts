// The holds of operators. Each covers the messages of a website, of one of its purposes or clients, or of one of both.
import type { Hold } from "../../domain/messages/hold.ts";
import type { Author } from "../../domain/operations/audit.ts";
import { parseJsonColumn, runBatch, runQuery } from "../database.ts";
import { auditStatement, runAudited } from "../operations/audit.ts";
import type { WebsiteRow } from "../rows.ts";
import { piece, prepare, type Sql, sql } from "../sql.ts";

/** Condition: an operator holds the message `m`. A reply to a keyword is never held. */
export const IS_HELD = piece(`(m.is_reply = 0 AND EXISTS (SELECT 1 FROM websites hw CROSS JOIN json_each(hw.holds) h
  WHERE hw.website_id = m.website_id AND h.value ->> 'isEnding' IS NULL AND coalesce(h.value ->> 'sendPurpose', m.send_purpose) = m.send_purpose
    AND coalesce(h.value ->> 'clientId', m.client_id) = m.client_id))`);

/** The hold because of which IS_HELD is true: JSON, the oldest of several; NULL: none. */
export const HOLD = piece(`iif(m.is_reply = 0, (SELECT h.value FROM websites hw CROSS JOIN json_each(hw.holds) h
  WHERE hw.website_id = m.website_id AND h.value ->> 'isEnding' IS NULL AND coalesce(h.value ->> 'sendPurpose', m.send_purpose) = m.send_purpose
    AND coalesce(h.value ->> 'clientId', m.client_id) = m.client_id LIMIT 1), NULL)`);

/** The operator sees it with the message. */
export const HELD = "held by an operator";

/**
 * Holding what is held changes nothing. The transaction reads the website alone, so that it takes no longer however many messages wait.
 * @returns the id of the hold that there is now: with the same filter, there is one
 */
export async function addHold(db: D1Database, author: Author, websiteId: string, hold: Hold): Promise<string> {
  const { holdId, sendPurpose, clientId, reason, since } = hold;
  const same = sql`SELECT h.value ->> 'holdId' AS hold_id FROM websites w CROSS JOIN json_each(w.holds) h
    WHERE w.website_id = ${websiteId} AND h.value ->> 'isEnding' IS NULL AND h.value ->> 'sendPurpose' IS ${sendPurpose} AND h.value ->> 'clientId' IS ${clientId}`;
  const rows = await runAudited(db, {
    held: prepare(
      db,
      sql`UPDATE websites SET holds = json_insert(coalesce(holds, '[]'), '$[#]', json(${JSON.stringify(hold)}))
        WHERE website_id = ${websiteId} AND NOT EXISTS (${same})`,
    ),
    audit: auditStatement(
      db,
      author,
      { action: "hold", websiteId, after: { holdId, sendPurpose, clientId, reason } },
      since,
    ),
    found: prepare(db, sql<{ hold_id: string }>`${same}`),
  });
  // "made": somebody has released them since.
  return rows === "made" ? holdId : (rows.found[0]?.hold_id ?? holdId);
}

/**
 * Ends these holds, and none that was made since they were read. Each stays among the stored ones as ending, until dropHolds: so a release
 * that is cut off can be repeated.
 */
export async function endHolds(db: D1Database, websiteId: string, holdIds: string[]): Promise<void> {
  await runBatch(db, [
    prepare(
      db,
      sql`UPDATE websites SET holds = (SELECT json_group_array(json(iif(h.value ->> 'holdId' IN ${listOf(holdIds)},
          json_set(h.value, '$.isEnding', json('true')), h.value))) FROM json_each(holds) h)
        WHERE website_id = ${websiteId} AND holds IS NOT NULL`,
    ),
  ]);
}

/** Forgets holds that have ended. */
export async function dropHolds(db: D1Database, websiteId: string, holdIds: string[]): Promise<void> {
  await runBatch(db, [
    prepare(
      db,
      sql`UPDATE websites SET holds = (SELECT iif(count(*) = 0, NULL, json_group_array(json(h.value))) FROM json_each(holds) h
          WHERE h.value ->> 'holdId' NOT IN ${listOf(holdIds)})
        WHERE website_id = ${websiteId} AND holds IS NOT NULL`,
    ),
  ]);
}

const listOf = (holdIds: string[]): Sql => sql`(SELECT value FROM json_each(${JSON.stringify(holdIds)}))`;

/** A hold that is ending holds nothing: its messages are being made due. */
export type StoredHold = Hold & { isEnding?: true };

/** The holds of one website, the oldest first, and those that are ending. */
export async function readHolds(db: D1Database, websiteId: string): Promise<StoredHold[]> {
  const query = prepare(db, sql`SELECT holds FROM websites WHERE website_id = ${websiteId}`);
  const [website] = await runQuery<Pick<WebsiteRow, "holds">>(query);
  return parseHolds(website?.holds ?? null);
}

/** A website with holds. */
export interface HeldWebsite {
  websiteId: string;
  holds: Hold[];
}

/** @param websiteId null: all websites of this database */
export async function listHolds(db: D1Database, websiteId: string | null): Promise<HeldWebsite[]> {
  const ofAsked = websiteId === null ? piece("true") : sql`w.website_id = ${websiteId}`;
  const rows = await runQuery<Pick<WebsiteRow, "website_id" | "holds">>(
    prepare(
      db,
      sql`SELECT w.website_id, w.holds FROM websites w WHERE w.holds IS NOT NULL AND ${ofAsked}
        ORDER BY w.website_id`,
    ),
  );
  return rows.map((row) => ({ websiteId: row.website_id, holds: toHolds(row.holds) }));
}

export function toHold(column: string | null): Hold | null {
  return column === null ? null : parseJsonColumn<Hold | null>(column, null);
}

/** Without those that are ending. */
export const toHolds = (column: string | null): Hold[] => parseHolds(column).filter(({ isEnding }) => !isEnding);

const parseHolds = (column: string | null) => (column === null ? [] : parseJsonColumn<StoredHold[]>(column, []));
