// What the overview reads of one database: some hundred rows, however many websites it has and texts they send.
import { DAY_MILLISECONDS, dayNumber } from "../../domain/day.ts";
import { runNamed } from "../database.ts";
import { IS_HELD } from "../messages/holds.ts";
import { piece, prepare, type Query, type Sql, sql } from "../sql.ts";
import { hourBefore, minuteOf } from "./outcome-counts.ts";

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
  /** Numbers that were subscribed on the day, and that were unsubscribed or erased. */
  joined: number;
  parted: number;
}

/** A website that a database has, or had: it may have counts of it in the order of its business. */
export interface Candidate {
  websiteId: string;
  /** 0: something of it is held; 1: it sent today; 2: it sent yesterday; 3: any other. */
  rank: number;
  accepted: number;
}

/** What one database has counted of a website in its last hour, except what is named. */
export interface WebsiteTraffic extends Traffic {
  websiteId: string;
  /** null: the website is not in this database. */
  name: string | null;
  carrier: string | null;
  timeZone: string | null;
  /** Accepted on the last 30 days and still pending, and how many of them were accepted in the last minute. */
  pending: number;
  young: number;
  /** Those among them that were accepted before the last minute and have no job yet. null: there are too many to count. */
  scheduled: number | null;
  /** Whether an operator holds the website as a whole; and how many are held by purpose or client. null: there are too many to count. */
  isHeld: boolean;
  held: number | null;
  acceptedToday: number;
  /** Today's texts that the carrier refused, that were given up, or that were lost on the way. */
  failedToday: number;
  sent30Days: number;
  optedOut30Days: number;
}

export interface DatabaseTraffic {
  minutes: MinuteTraffic[];
  days: DayTraffic[];
  /** As of a website. */
  scheduled: number | null;
  /** Empty where one website is asked for. */
  candidates: Candidate[];
}

/** Websites that are shown: those of which something is held, and the busiest of today and yesterday. */
export const MOST_WEBSITES = 5;

/** Days that are shown, with today. */
export const SHOWN_DAYS = 30;

/** Minutes and carriers: an hour of a few carriers. */
const MOST_MINUTE_ROWS = 400;

/** Pending messages of websites with holds of a purpose or a client, among which those that are held are counted: two rows each. */
export const MOST_LOOKED_AT = 10_000;

/** @param websiteId null: all websites of the database */
export async function readTraffic(db: D1Database, websiteId: string | null, now: number): Promise<DatabaseTraffic> {
  const today = dayNumber(now);
  const { scheduled, ...traffic } = await runNamed(db, {
    scheduled: selectScheduled(db, websiteId === null ? null : [websiteId], now),
    minutes: prepare(
      db,
      sql<MinuteTraffic>`SELECT at, carrier, accepted, failed, sending, delivered, undelivered, pending FROM traffic_counts
        WHERE website_id = ${websiteId ?? ""} AND span = 'minute' AND at > ${hourBefore(now)} ORDER BY at DESC LIMIT ${MOST_MINUTE_ROWS}`,
    ),
    days: prepare(
      db,
      sql<DayTraffic>`SELECT at, accepted, failed, sending, delivered, undelivered, pending, clicked, opted_out AS optedOut,
          joined, parted FROM traffic_counts WHERE website_id = ${websiteId ?? ""} AND span = 'day' AND at > ${today - SHOWN_DAYS}`,
    ),
    candidates: websiteId === null ? selectCandidates(db, today) : null,
  });
  return { ...traffic, scheduled: toScheduled(scheduled) };
}

interface ScheduledRow {
  websiteId: string;
  count: number;
}

/** Messages without a job, by website: at most MOST_LOOKED_AT. @param websiteIds null: of all websites */
function selectScheduled(db: D1Database, websiteIds: string[] | null, now: number): Query<ScheduledRow> {
  const from =
    websiteIds === null
      ? piece("messages m")
      : sql`json_each(${JSON.stringify(websiteIds)}) j CROSS JOIN messages m INDEXED BY messages_scheduled_by_website ON m.website_id = j.value`;
  return prepare(
    db,
    sql`SELECT website_id AS websiteId, count(*) AS count FROM (SELECT m.website_id FROM ${from}
      WHERE m.status = 'PENDING_TO_SEND' AND m.due_at IS NULL AND m.accepted_at < ${(minuteOf(now) - 1) * 60_000}
        AND m.accepted_at >= ${(dayNumber(now) - SHOWN_DAYS + 1) * DAY_MILLISECONDS} LIMIT ${MOST_LOOKED_AT}) GROUP BY 1`,
  );
}

/** null: there are too many to count. @param websiteId undefined: of all websites */
function toScheduled(rows: ScheduledRow[], websiteId?: string): number | null {
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  if (total >= MOST_LOOKED_AT) return null;
  return websiteId === undefined ? total : (rows.find((row) => row.websiteId === websiteId)?.count ?? 0);
}

/** Condition on a website `w`: an operator holds all of it. */
const IS_HELD_WHOLE = piece(`EXISTS (SELECT 1 FROM json_each(w.holds) h
  WHERE h.value ->> 'isEnding' IS NULL AND h.value ->> 'sendPurpose' IS NULL AND h.value ->> 'clientId' IS NULL)`);

/** One more of each kind than are shown: so it is known whether there are more. */
function selectCandidates(db: D1Database, today: number) {
  const most = MOST_WEBSITES + 1;
  const ofDay = (
    day: number,
    rank: number,
  ): Sql => sql`SELECT * FROM (SELECT website_id AS websiteId, ${rank} AS rank, accepted
    FROM traffic_counts WHERE span = 'day' AND website_id <> '' AND at = ${day} AND accepted > 0 ORDER BY accepted DESC LIMIT ${most})`;
  return prepare(
    db,
    sql<Candidate>`SELECT * FROM (SELECT website_id AS websiteId, 0 AS rank, 0 AS accepted FROM websites WHERE holds IS NOT NULL LIMIT ${most})
      UNION ALL ${ofDay(today, 1)} UNION ALL ${ofDay(today - 1, 2)}
      UNION ALL SELECT * FROM (SELECT website_id AS websiteId, 3 AS rank, 0 AS accepted FROM websites ORDER BY website_id LIMIT ${most})`,
  );
}

/** @returns a row for each id, whether or not the website is here */
export async function readWebsites(db: D1Database, ids: string[], now: number): Promise<WebsiteTraffic[]> {
  const list = JSON.stringify(ids);
  const latest = minuteOf(now) - 1;
  const today = dayNumber(now);
  const { websites, held, scheduled } = await runNamed(db, {
    scheduled: selectScheduled(db, ids, now),
    // Sums without GROUP BY, which would read each row twice.
    websites: prepare(
      db,
      sql<SummedRow>`SELECT j.value AS websiteId, w.name, w.carrier, w.settings ->> 'timeZone' AS timeZone, ${IS_HELD_WHOLE} AS isHeld,
          (w.holds IS NOT NULL AND NOT ${IS_HELD_WHOLE}) AS isHeldInPart,
          (SELECT json_object('accepted', total(accepted), 'failed', total(failed), 'sending', total(sending),
              'delivered', total(delivered), 'undelivered', total(undelivered),
              'young', total(iif(at >= ${latest}, pending, 0)))
            FROM traffic_counts t WHERE t.website_id = j.value AND t.span = 'minute' AND t.at > ${hourBefore(now)}) AS hour,
          (SELECT json_object('pending', total(pending),
              'acceptedToday', total(iif(at = ${today}, accepted, 0)),
              'failedToday', total(iif(at = ${today}, failed + undelivered, 0)), 'sent30Days', total(sending + delivered + undelivered),
              'optedOut30Days', total(opted_out))
            FROM traffic_counts t WHERE t.website_id = j.value AND t.span = 'day' AND t.at > ${today - SHOWN_DAYS}) AS days
        FROM json_each(${list}) j LEFT JOIN websites w ON w.website_id = j.value`,
    ),
    held: prepare(
      db,
      sql<{
        websiteId: string;
        lookedAt: number;
        held: number;
      }>`SELECT m.website_id AS websiteId, sum(m.count) AS lookedAt, total(m.count) FILTER (WHERE ${IS_HELD}) AS held
        FROM (SELECT website_id, is_reply, send_purpose, client_id, count(*) AS count
          FROM (SELECT p.website_id, p.is_reply > 0 AS is_reply, p.send_purpose, p.client_id FROM json_each(${list}) j
              CROSS JOIN websites w ON w.website_id = j.value AND w.holds IS NOT NULL AND NOT ${IS_HELD_WHOLE}
              CROSS JOIN messages p INDEXED BY messages_pending_by_website ON p.website_id = w.website_id AND p.due_at IS NOT NULL AND coalesce(p.send_at, 0) <= ${now}
            LIMIT ${MOST_LOOKED_AT}) GROUP BY 1, 2, 3, 4) m GROUP BY 1`,
    ),
  });
  const isCut = held.reduce((sum, { lookedAt }) => sum + lookedAt, 0) >= MOST_LOOKED_AT;
  return websites.map(({ hour, days, isHeld, isHeldInPart, ...website }) => {
    const own = held.find(({ websiteId }) => websiteId === website.websiteId);
    return {
      ...website,
      ...(JSON.parse(hour) as Hourly),
      ...(JSON.parse(days) as Monthly),
      ...{ held: isCut && isHeldInPart === 1 ? null : (own?.held ?? 0), isHeld: isHeld === 1 },
      scheduled: toScheduled(scheduled, website.websiteId),
    };
  });
}

type Hourly = Omit<Traffic, "pending"> & { young: number };

type Monthly = Pick<WebsiteTraffic, "pending" | "acceptedToday" | "failedToday" | "sent30Days" | "optedOut30Days">;

/** `hour`, `days`: JSON. */
interface SummedRow extends Pick<WebsiteTraffic, "websiteId" | "name" | "carrier" | "timeZone"> {
  isHeld: 0 | 1;
  isHeldInPart: 0 | 1;
  hour: string;
  days: string;
}
