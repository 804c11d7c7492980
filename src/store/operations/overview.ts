// What the overview reads of one database: some hundred rows, however many websites it has and texts they send.
import { runNamed } from "../database.ts";
import { IS_HELD } from "../messages/holds.ts";
import { prepare, type Sql, sql } from "../sql.ts";
import { hourBefore, minuteOf } from "./outcome-counts.ts";
import { dayNumber } from "./traffic-counts.ts";

/** What has become of the texts that were accepted in some time. `pending`: nothing yet. */
export interface Traffic {
  accepted: number;
  failed: number;
  sending: number;
  delivered: number;
  undelivered: number;
  pending: number;
}

export interface MinuteTraffic extends Traffic {
  /** Since 1970. */
  at: number;
  /** '' for what has no carrier yet: it has the accepted ones. */
  carrier: string;
}

export interface DayTraffic extends Traffic {
  /** Since 1970, UTC. */
  at: number;
  clicked: number;
  optedOut: number;
}

/** Its last hour, but for what is named. */
export interface WebsiteTraffic extends Traffic {
  websiteId: string;
  name: string;
  carrier: string;
  /** Accepted over a minute ago, on the last 30 days, and still pending: how many, and how many of them an operator holds. */
  pending: number;
  held: number;
  acceptedToday: number;
  sent30Days: number;
  optedOut30Days: number;
}

export interface DatabaseTraffic {
  minutes: MinuteTraffic[];
  days: DayTraffic[];
  websites: WebsiteTraffic[];
  /** There are websites that are not among them. */
  isCut: boolean;
}

/** Websites that are shown: those of which something is held, and the busiest of today and yesterday. */
export const MOST_WEBSITES = 5;

/** Days that are shown, with today. */
export const SHOWN_DAYS = 30;

/** Minutes and carriers: an hour of a few carriers. */
const MOST_MINUTE_ROWS = 400;

/** Pending messages of websites with holds, among which those that are held are counted. */
const MOST_HELD_ROWS = 20;

/** @param websiteId null: all websites of the database */
export async function readTraffic(db: D1Database, websiteId: string | null, now: number): Promise<DatabaseTraffic> {
  const today = dayNumber(now);
  const found = await runNamed(db, {
    minutes: prepare(
      db,
      sql<MinuteTraffic>`SELECT at, carrier, accepted, failed, sending, delivered, undelivered, pending FROM traffic_counts
        WHERE website_id = ${websiteId ?? ""} AND span = 'minute' AND at > ${hourBefore(now)} ORDER BY at DESC LIMIT ${MOST_MINUTE_ROWS}`,
    ),
    days: prepare(
      db,
      sql<DayTraffic>`SELECT at, accepted, failed, sending, delivered, undelivered, pending, clicked, opted_out AS optedOut
        FROM traffic_counts WHERE website_id = ${websiteId ?? ""} AND span = 'day' AND at > ${today - SHOWN_DAYS}`,
    ),
    ids: websiteId === null ? selectBusiest(db, today) : null,
  });
  const ids = [...new Set(found.ids.map((row) => row.websiteId))];
  const chosen = websiteId === null ? ids.slice(0, MOST_WEBSITES) : [websiteId];
  const websites = await readWebsites(db, chosen, now);
  return { minutes: found.minutes, days: found.days, websites, isCut: ids.length > chosen.length };
}

/** One more than are shown: so it is known whether there are more. */
function selectBusiest(db: D1Database, today: number) {
  const most = MOST_WEBSITES + 1;
  const ofDay = (day: number): Sql => sql`SELECT * FROM (SELECT website_id AS websiteId FROM traffic_counts
    WHERE span = 'day' AND website_id <> '' AND at = ${day} ORDER BY accepted DESC LIMIT ${most})`;
  return prepare(
    db,
    sql<{
      websiteId: string;
    }>`SELECT * FROM (SELECT website_id AS websiteId FROM websites WHERE holds IS NOT NULL LIMIT ${most})
      UNION ALL ${ofDay(today)} UNION ALL ${ofDay(today - 1)}
      UNION ALL SELECT * FROM (SELECT website_id AS websiteId FROM websites ORDER BY website_id LIMIT ${most})`,
  );
}

async function readWebsites(db: D1Database, ids: string[], now: number): Promise<WebsiteTraffic[]> {
  const list = JSON.stringify(ids);
  const latest = minuteOf(now) - 1;
  const today = dayNumber(now);
  const { websites, held } = await runNamed(db, {
    // Sums without GROUP BY, which would read each row twice.
    websites: prepare(
      db,
      sql<SummedRow>`SELECT w.website_id AS websiteId, w.name, w.carrier,
          (SELECT json_object('accepted', total(accepted), 'failed', total(failed), 'sending', total(sending),
              'delivered', total(delivered), 'undelivered', total(undelivered),
              'latest', total(iif(at >= ${latest}, pending, 0)))
            FROM traffic_counts t WHERE t.website_id = w.website_id AND t.span = 'minute' AND t.at > ${hourBefore(now)}) AS hour,
          (SELECT json_object('pending', total(pending),
              'acceptedToday', total(iif(at = ${today}, accepted, 0)), 'sent30Days', total(sending + delivered + undelivered),
              'optedOut30Days', total(opted_out))
            FROM traffic_counts t WHERE t.website_id = w.website_id AND t.span = 'day' AND t.at > ${today - SHOWN_DAYS}) AS days
        FROM json_each(${list}) j CROSS JOIN websites w ON w.website_id = j.value`,
    ),
    held: prepare(
      db,
      sql<{
        websiteId: string;
        count: number;
        hasAll: 0 | 1;
      }>`SELECT m.website_id AS websiteId, count(*) FILTER (WHERE ${IS_HELD}) AS count,
          (SELECT EXISTS (SELECT 1 FROM json_each(w.holds) h WHERE h.value ->> 'sendPurpose' IS NULL AND h.value ->> 'clientId' IS NULL)
            FROM websites w WHERE w.website_id = m.website_id) AS hasAll
        FROM (SELECT p.website_id, p.is_reply, p.send_purpose, p.client_id FROM json_each(${list}) j
            CROSS JOIN websites w ON w.website_id = j.value AND w.holds IS NOT NULL
            CROSS JOIN messages p INDEXED BY messages_pending_by_website ON p.website_id = w.website_id AND p.status = 'PENDING_TO_SEND'
          LIMIT ${MOST_HELD_ROWS}) m GROUP BY 1`,
    ),
  });
  return websites.map(({ hour, days, ...website }) => {
    const { latest: young, ...traffic } = JSON.parse(hour) as Omit<Traffic, "pending"> & { latest: number };
    const { pending: all, ...month } = JSON.parse(days) as Pick<WebsiteTraffic, "pending" | Monthly>;
    const pending = Math.max(0, all - young);
    const own = held.find(({ websiteId }) => websiteId === website.websiteId);
    return {
      ...website,
      ...traffic,
      ...month,
      pending,
      held: Math.min(pending, own?.hasAll ? pending : (own?.count ?? 0)),
    };
  });
}

type Monthly = "acceptedToday" | "sent30Days" | "optedOut30Days";

/** `hour`, `days`: JSON. */
interface SummedRow extends Pick<WebsiteTraffic, "websiteId" | "name" | "carrier"> {
  hour: string;
  days: string;
}
