// Where a person is: the tables that have a number of a person. What finds, exports and erases a person goes by this list.
import { runQuery } from "../database.ts";
import { IS_HERE } from "../databases/moving.ts";

/**
 * Each table with a number of a person, and the column that has it: as an integer, but for the sender of a text, which is as the
 * carrier gave it. What else a row says of the person goes with it. The rows of other tables hang on a message; an event has the number
 * if it is a notice, and otherwise hangs on its message.
 */
export const PERSON_TABLES = {
  subscriptions: "phone",
  subscription_changes: "phone",
  messages: "phone",
  inbound_texts: "sender",
  events: "phone",
  duplicate_keys: "phone",
} as const;

export type PersonTable = keyof typeof PERSON_TABLES;

/** SQL condition: a website knows a number, ?1 as digits and ?2 as E.164. */
const IS_KNOWN_IN = (websiteId: string) =>
  `(${Object.entries(PERSON_TABLES)
    .map(
      ([table, column]) =>
        `EXISTS (SELECT 1 FROM ${table} WHERE ${table}.website_id = ${websiteId} AND ${column} = ${column === "sender" ? "?2" : "?1"}
          ${table === "events" ? "AND body IS NOT NULL" : ""})`,
    )
    .join(" OR ")})`;

/** The websites that know a number; the last is `""` where a text of it reached no website. @param phone as digits */
export async function findWebsitesOf(db: D1Database, phone: number, e164: string): Promise<string[]> {
  const rows = await runQuery<{ website_id: string }>(
    db
      .prepare(
        `SELECT website_id FROM (
           SELECT w.website_id FROM websites w WHERE ${IS_HERE("w.website_id")} AND ${IS_KNOWN_IN("w.website_id")}
           UNION ALL SELECT '' WHERE ${IS_KNOWN_IN("''")})
         ORDER BY website_id = '', website_id`,
      )
      .bind(phone, e164),
  );
  return rows.map((row) => row.website_id);
}

/** Whether a website knows a number. @param phone as digits */
export async function isKnownIn(db: D1Database, websiteId: string, phone: number, e164: string): Promise<boolean> {
  const query = db.prepare(`SELECT 1 WHERE ${IS_KNOWN_IN("?3")}`).bind(phone, e164, websiteId);
  return (await runQuery(query)).length > 0;
}
