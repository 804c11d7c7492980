// What the overview reads of one database: some thousand rows of counts, and the pending messages that are scheduled or held in part.
import { dayNumber } from "../../domain/day.ts";
import { OUTCOME_CLASSES } from "../../domain/messages/outcome-class.ts";
import type { CountRow, PendingRow } from "../../domain/operations/traffic.ts";
import { runNamed } from "../database.ts";
import { IS_HELD } from "../messages/holds.ts";
import { piece, prepare, type Query, type Sql, sql } from "../sql.ts";
import { KEPT_DAYS, KEPT_MINUTES } from "./count-ledgers.ts";
import { minuteOf } from "./outcome-counts.ts";

/** A website, in the order of its business. */
export interface Candidate {
  websiteId: string;
  /** 0: something of it is held; 1: it sent today; 2: it sent yesterday; 3: any other. */
  rank: number;
  accepted: number;
}

/** A website of this database. */
export interface NamedWebsite {
  websiteId: string;
  name: string;
  carrier: string;
  timeZone: string | null;
  /** An operator holds it as a whole, or some of its purposes or clients. */
  isHeld: boolean;
  isHeldInPart: boolean;
}

export interface WebsiteCounts {
  websites: NamedWebsite[];
  counts: CountRow[];
}

export interface DatabaseTraffic {
  /** When everything was counted; null: nothing was yet. */
  asOf: number | null;
  counts: CountRow[];
  /** Pending messages whose time or sending hours are ahead; null: too many. */
  scheduled: PendingRow[] | null;
  /** The other pending messages that a hold of a purpose or a client covers; null: too many messages are pending where there is such a hold. */
  held: PendingRow[] | null;
  /** Empty where one website is asked for. */
  candidates: Candidate[];
}

/** Websites that are shown: those of which something is held, and the busiest of today and yesterday. */
export const MOST_WEBSITES = 5;

/** Days that are shown, with today. */
export const SHOWN_DAYS = 30;

/** Pending messages among which the scheduled ones are counted, and those among which the held ones are: two rows each. */
export const MOST_LOOKED_AT = 50_000;

/** @param websiteId null: all websites of the database */
export async function readTraffic(db: D1Database, websiteId: string | null, now: number): Promise<DatabaseTraffic> {
  const { state, scheduled, held, ...read } = await runNamed(db, {
    state: prepare(db, sql<{ asOf: number | null }>`SELECT as_of AS asOf FROM counted_ledgers`),
    counts: selectCounts(db, [websiteId ?? ""], now),
    scheduled: selectScheduled(db, websiteId, now),
    held: selectHeld(db, websiteId, now),
    candidates: websiteId === null ? selectCandidates(db, dayNumber(now)) : null,
  });
  return { asOf: state[0]?.asOf ?? null, scheduled: orTooMany(scheduled), held: orTooMany(held), ...read };
}

type LookedAt = PendingRow & { lookedAt: number };

const orTooMany = (rows: LookedAt[]): PendingRow[] | null =>
  rows.reduce((sum, { lookedAt }) => sum + lookedAt, 0) < MOST_LOOKED_AT ? rows : null;

const KINDS = JSON.stringify(["accepted", ...OUTCOME_CLASSES]);
const KINDS_OF_DAYS = JSON.stringify(["clicked", "optedOut", "joined", "parted"]);

/** The minutes and days that are kept: some more than are shown. @param subjects ids of websites, or `""` for all websites */
function selectCounts(db: D1Database, subjects: string[], now: number): Query<CountRow> {
  const list = JSON.stringify(subjects);
  return prepare(
    db,
    sql<CountRow>`SELECT c.subject, c.span, c.at, c.kind, c.detail, c.count FROM json_each(${list}) j CROSS JOIN json_each(${KINDS}) k
        CROSS JOIN counts c ON c.subject = j.value AND c.span = 'minute' AND c.kind = k.value AND c.at > ${minuteOf(now) - KEPT_MINUTES}
      UNION ALL SELECT c.subject, c.span, c.at, c.kind, c.detail, c.count FROM json_each(${list}) j
        CROSS JOIN (SELECT value FROM json_each(${KINDS}) UNION ALL SELECT value FROM json_each(${KINDS_OF_DAYS})) k
        CROSS JOIN counts c ON c.subject = j.value AND c.span = 'day' AND c.kind = k.value AND c.at > ${dayNumber(now) - KEPT_DAYS}`,
  );
}

/** Condition on a pending message `p`: one that was stored since the ledgers were counted is not among them. */
export const IS_IN_COUNTS = piece("p.rowid <= (SELECT messages FROM counted_ledgers)");

function selectScheduled(db: D1Database, websiteId: string | null, now: number): Query<LookedAt> {
  return prepare(
    db,
    sql<LookedAt>`SELECT website_id AS websiteId, accepted_at / 86400000 AS day,
        iif(accepted_at / 60000 > ${minuteOf(now) - KEPT_MINUTES}, accepted_at / 60000, NULL) AS minute,
        count(*) FILTER (WHERE send_at > ${now} AND NOT is_reply AND coalesce(website_id = ${websiteId}, true)) AS count, count(*) AS lookedAt
      FROM (SELECT p.website_id, p.accepted_at, p.send_at, p.is_reply FROM messages p INDEXED BY messages_pending
          WHERE p.due_at > ${now} AND ${IS_IN_COUNTS}
        UNION ALL SELECT p.website_id, p.accepted_at, p.send_at, p.is_reply FROM messages p INDEXED BY messages_scheduled
          WHERE p.status = 'PENDING_TO_SEND' AND p.due_at IS NULL AND p.send_at > ${now} AND ${IS_IN_COUNTS} LIMIT ${MOST_LOOKED_AT}) GROUP BY 1, 2, 3`,
  );
}

/** Condition on a website `w`: an operator holds all of it. */
const IS_HELD_WHOLE = piece(`EXISTS (SELECT 1 FROM json_each(w.holds) h
  WHERE h.value ->> 'isEnding' IS NULL AND h.value ->> 'sendPurpose' IS NULL AND h.value ->> 'clientId' IS NULL)`);

function selectHeld(db: D1Database, websiteId: string | null, now: number): Query<LookedAt> {
  return prepare(
    db,
    sql<LookedAt>`SELECT m.website_id AS websiteId, m.day, m.minute, sum(m.count) AS lookedAt,
        total(m.count) FILTER (WHERE NOT m.is_ahead AND ${IS_HELD}) AS count
      FROM (SELECT website_id, send_purpose, client_id, is_reply, coalesce(send_at > ${now}, 0) AS is_ahead, accepted_at / 86400000 AS day,
          iif(accepted_at / 60000 > ${minuteOf(now) - KEPT_MINUTES}, accepted_at / 60000, NULL) AS minute, count(*) AS count
        FROM (SELECT p.website_id, p.send_purpose, p.client_id, p.is_reply, p.send_at, p.accepted_at FROM websites w
            CROSS JOIN messages p INDEXED BY messages_pending_by_website ON p.website_id = w.website_id AND p.due_at IS NOT NULL
          WHERE w.holds IS NOT NULL AND NOT ${IS_HELD_WHOLE} AND coalesce(w.website_id = ${websiteId}, true)
            AND ${IS_IN_COUNTS} LIMIT ${MOST_LOOKED_AT})
        GROUP BY 1, 2, 3, 4, 5, 6, 7) m GROUP BY 1, 2, 3`,
  );
}

/** One more of each kind than are shown: so it is known whether there are more. */
function selectCandidates(db: D1Database, today: number): Query<Candidate> {
  const most = MOST_WEBSITES + 1;
  const ofDay = (
    day: number,
    rank: number,
  ): Sql => sql`SELECT * FROM (SELECT subject AS websiteId, ${rank} AS rank, count AS accepted
    FROM counts WHERE span = 'day' AND kind = 'accepted' AND subject <> '' AND at = ${day} AND count > 0 ORDER BY count DESC LIMIT ${most})`;
  return prepare(
    db,
    sql<Candidate>`SELECT * FROM (SELECT website_id AS websiteId, 0 AS rank, 0 AS accepted FROM websites WHERE holds IS NOT NULL LIMIT ${most})
      UNION ALL ${ofDay(today, 1)} UNION ALL ${ofDay(today - 1, 2)}
      UNION ALL SELECT * FROM (SELECT website_id AS websiteId, 3 AS rank, 0 AS accepted FROM websites ORDER BY website_id LIMIT ${most})`,
  );
}

/** The websites among `ids` that are here, and the counts of all of them. */
export async function readWebsites(db: D1Database, ids: string[], now: number): Promise<WebsiteCounts> {
  const { websites, ...read } = await runNamed(db, {
    websites: prepare(
      db,
      sql<
        Omit<NamedWebsite, "isHeld" | "isHeldInPart"> & Record<"isHeld" | "hasHolds", 0 | 1>
      >`SELECT w.website_id AS websiteId, w.name, w.carrier,
          w.settings ->> 'timeZone' AS timeZone, ${IS_HELD_WHOLE} AS isHeld, w.holds IS NOT NULL AS hasHolds
        FROM json_each(${JSON.stringify(ids)}) j CROSS JOIN websites w ON w.website_id = j.value`,
    ),
    counts: selectCounts(db, ids, now),
  });
  return {
    websites: websites.map(({ isHeld, hasHolds, ...website }) => ({
      ...website,
      ...{ isHeld: isHeld === 1, isHeldInPart: isHeld === 0 && hasHolds === 1 },
    })),
    ...read,
  };
}
