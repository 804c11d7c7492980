import { MOST_COUNTED } from "../../domain/people/counting-limits.ts";
import { runNamed, runQuery } from "../database.ts";
import type { ChangeSource } from "../rows.ts";
import { prepare, type Sql, sql } from "../sql.ts";

/** A number of a website, subscribed or not, with its latest change. */
export interface Subscriber {
  /** As digits. */
  phone: number;
  email: string | null;
  subscribed: boolean;
  /** Milliseconds since 1970. */
  since: number;
  source: ChangeSource;
  /** The cursor of what follows: an address must not hold a number. */
  changeId: number;
}

interface Row {
  phone: number;
  email: string | null;
  subscribed: 0 | 1;
  change_id: number;
  changed_at: number;
  source: ChangeSource;
}

/** In the order of the numbers. @param after a number, which may be erased by now; 0: the first */
export async function listSubscribers(
  db: D1Database,
  websiteId: string,
  after: number,
  limit: number,
): Promise<Subscriber[]> {
  return (await runQuery<Row>(prepare(db, pageOf(websiteId, after, limit)))).map(toSubscriber);
}

/** The first page, and how many are subscribed; `total` null: the website has more than MOST_COUNTED numbers. */
export async function beginSubscribers(
  db: D1Database,
  websiteId: string,
  limit: number,
): Promise<{ subscribers: Subscriber[]; total: number | null }> {
  const { page, counted } = await runNamed(db, {
    page: prepare(db, pageOf(websiteId, 0, limit)),
    counted: prepare(
      db,
      sql`SELECT count(*) AS numbers, count(*) FILTER (WHERE subscribed = 1) AS subscribed
        FROM (SELECT subscribed FROM subscriptions WHERE website_id = ${websiteId} LIMIT ${MOST_COUNTED + 1})`,
    ),
  });
  const [count] = counted as { numbers: number; subscribed: number }[];
  return {
    subscribers: (page as Row[]).map(toSubscriber),
    total: count && count.numbers <= MOST_COUNTED ? count.subscribed : null,
  };
}

/** The number to which a cursor leads. undefined: none, because the person may have been erased since. */
export async function findPhoneOfChange(
  db: D1Database,
  websiteId: string,
  changeId: number,
): Promise<number | undefined> {
  const query = sql`SELECT phone FROM subscription_changes WHERE change_id = ${changeId} AND website_id = ${websiteId}`;
  return (await runQuery<{ phone: number }>(prepare(db, query)))[0]?.phone;
}

const pageOf = (websiteId: string, after: number, limit: number): Sql =>
  sql`SELECT s.phone, s.email, s.subscribed, s.change_id, c.changed_at, c.source
    FROM (SELECT phone, email, subscribed, change_id FROM subscriptions WHERE website_id = ${websiteId} AND phone > ${after}
      ORDER BY phone LIMIT ${limit}) s
    CROSS JOIN subscription_changes c ON c.change_id = s.change_id ORDER BY s.phone`;

function toSubscriber(row: Row): Subscriber {
  return {
    phone: row.phone,
    email: row.email,
    subscribed: row.subscribed === 1,
    since: row.changed_at,
    source: row.source,
    changeId: row.change_id,
  };
}
