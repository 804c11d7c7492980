// What a campaign, which is a purpose of a website, has come to. However many texts it has, this reads a row for each day and class, one for
// each minute and the pace of its sender, and at most MOST_LOOKED_AT pending messages of its website.
import type { Website } from "../../domain/clients/website.ts";
import { dayNumber } from "../../domain/day.ts";
import { OUTCOME_CLASSES } from "../../domain/messages/outcome-class.ts";
import type { Pace } from "../../domain/messages/sender-pace.ts";
import type { Gone } from "../../domain/operations/campaign.ts";
import type { CountRow } from "../../domain/operations/traffic.ts";
import { selectPace, toPace } from "../clients/sender-paces.ts";
import { runNamed } from "../database.ts";
import { IS_HELD } from "../messages/holds.ts";
import { prepare, type Query, sql } from "../sql.ts";
import { minuteOf } from "./outcome-counts.ts";
import { IS_IN_COUNTS, MOST_LOOKED_AT, SHOWN_DAYS } from "./overview.ts";

/** Minutes that are shown. */
const MINUTES = 60;

export interface CampaignCounts {
  /** When everything was counted; null: nothing was yet. */
  asOf: number | null;
  /** By day. */
  counts: CountRow[];
  /** In the last hour. */
  gone: Gone[];
  /** The pace of the sender of its website. */
  senderPace: Pace;
  /** Scheduled and held ones among the pending texts, by day; null: the website has too many. */
  pending: CountRow[] | null;
}

/** Pending messages of the website, by day. */
interface LookedAt {
  day: number;
  isMeant: 0 | 1;
  isAhead: 0 | 1;
  isHeld: 0 | 1;
  count: number;
}

export async function readCampaign(
  db: D1Database,
  website: Pick<Website, "websiteId" | "carrier" | "sender">,
  sendPurpose: string,
  now: number,
): Promise<CampaignCounts> {
  const { websiteId } = website;
  const { state, pending, pace, ...read } = await runNamed(db, {
    state: prepare(db, sql<{ asOf: number | null }>`SELECT as_of AS asOf FROM counted_ledgers`),
    counts: selectCounts(db, websiteId, sendPurpose, now),
    gone: selectGone(db, websiteId, sendPurpose, now),
    pending: selectPending(db, websiteId, sendPurpose, now),
    pace: selectPace(db, website),
  });
  return {
    asOf: state[0]?.asOf ?? null,
    senderPace: toPace(pace[0]),
    pending: toCountRows(websiteId, pending),
    ...read,
  };
}

const KINDS = JSON.stringify(["accepted", ...OUTCOME_CLASSES, "clicked", "optedOut"]);

const lastOf = (last: number, length: number): string =>
  JSON.stringify(Array.from({ length }, (_, index) => last - index));

function selectCounts(db: D1Database, websiteId: string, sendPurpose: string, now: number): Query<CountRow> {
  return prepare(
    db,
    sql<CountRow>`SELECT c.subject, 'day' AS span, c.at, c.kind, '' AS detail, c.count
      FROM json_each(${KINDS}) k CROSS JOIN json_each(${lastOf(dayNumber(now), SHOWN_DAYS)}) d
      CROSS JOIN counts c ON c.subject = ${websiteId} AND c.span = 'campaign' AND c.kind = k.value AND c.at = d.value
        AND c.detail = ${sendPurpose}`,
  );
}

function selectGone(db: D1Database, websiteId: string, sendPurpose: string, now: number): Query<Gone> {
  return prepare(
    db,
    sql<Gone>`SELECT c.at AS minute, c.count FROM json_each(${lastOf(minuteOf(now), MINUTES)}) t
      CROSS JOIN counts c ON c.subject = ${websiteId} AND c.span = 'minute' AND c.kind = 'gone' AND c.at = t.value
        AND c.detail = ${sendPurpose}`,
  );
}

function selectPending(db: D1Database, websiteId: string, sendPurpose: string, now: number): Query<LookedAt> {
  return prepare(
    db,
    sql<LookedAt>`SELECT m.day, m.send_purpose = ${sendPurpose} AND NOT m.is_reply AS isMeant, m.is_ahead AS isAhead,
        NOT m.is_ahead AND ${IS_HELD} AS isHeld, sum(m.count) AS count
      FROM (SELECT website_id, send_purpose, client_id, is_reply, coalesce(send_at > ${now}, 0) AS is_ahead,
          accepted_at / 86400000 AS day, count(*) AS count
        FROM (SELECT p.website_id, p.send_purpose, p.client_id, p.is_reply, p.send_at, p.accepted_at
            FROM messages p INDEXED BY messages_pending_by_website
            WHERE p.website_id = ${websiteId} AND p.due_at IS NOT NULL AND ${IS_IN_COUNTS}
          UNION ALL SELECT p.website_id, p.send_purpose, p.client_id, p.is_reply, p.send_at, p.accepted_at
            FROM messages p INDEXED BY messages_scheduled_by_website
            WHERE p.website_id = ${websiteId} AND p.status = 'PENDING_TO_SEND' AND p.due_at IS NULL AND ${IS_IN_COUNTS}
          LIMIT ${MOST_LOOKED_AT}) GROUP BY 1, 2, 3, 4, 5, 6) m GROUP BY 1, 2, 3, 4`,
  );
}

function toCountRows(subject: string, rows: LookedAt[]): CountRow[] | null {
  if (rows.reduce((sum, { count }) => sum + count, 0) >= MOST_LOOKED_AT) return null;
  return rows
    .filter((row) => row.isMeant && (row.isAhead || row.isHeld))
    .map(({ day: at, isAhead, count }) => ({
      ...{ subject, span: "day", at, kind: isAhead ? "scheduled" : "held", detail: "", count },
    }));
}
