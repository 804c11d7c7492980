// Pending messages, by website, purpose and client.
import { covers, type Hold } from "../../domain/messages/hold.ts";
import type { MessageKind } from "../../domain/messages/kind.ts";
import type { SendingHours } from "../../domain/messages/sending-hours.ts";
import { parseJsonColumn, runBatch, runQuery } from "../database.ts";
import { prepare, type Sql, sql } from "../sql.ts";
import { PENDING, type PendingPart } from "./find-waiting.ts";
import { HELD, toHolds } from "./holds.ts";
import { endOf, type Looked, type Place } from "./look.ts";

/** Times in milliseconds since 1970. */
export interface WaitingGroup {
  websiteId: string;
  websiteName: string;
  websiteZone: string | null;
  sendPurpose: string;
  clientId: string;
  clientName: string | null;
  /** null: both kinds. */
  kind: MessageKind | null;
  count: number;
  carrier: string;
  /** Why one could not be submitted at first; null: they wait for their turn. */
  cause: string | null;
  /** When the next of those is tried. */
  nextTryAt: number | null;
  /** By its website's holds. */
  hold: Hold | null;
  oldestAt: number;
  /** When the first of them is given up. */
  endsAt: number;
}

/** Messages that wait for their time. Times in milliseconds since 1970. */
export interface ScheduledGroup
  extends Pick<WaitingGroup, "websiteId" | "websiteName" | "websiteZone" | "sendPurpose" | "clientId" | "clientName">,
    Pick<WaitingGroup, "count" | "carrier" | "oldestAt"> {
  /** When the first of them may go. */
  opensAt: number;
  /** What sending hours hold of them; null: nothing. */
  held: HeldGroup | null;
}

/** Messages that sending hours hold: where the person of the first is, and the hours of the website as they are now. */
export interface HeldGroup {
  phone: number;
  timeZone: string | null;
  region: string | null;
  /** When they open. */
  opensAt: number;
  hours: SendingHours | null;
}

interface FoundRow extends Omit<WaitingGroup, "hold"> {
  isReply: 0 | 1;
  holds: string | null;
  /** `closed`: sending hours hold it until its time. `hidden`: a run has claimed it. */
  look: "waiting" | "closed" | "scheduled" | "hidden";
  opensAt: number;
  last: string;
  /** The first to go: its recipient, and until when sending hours hold it. */
  phone: number;
  timeZone: string | null;
  region: string | null;
  heldUntil: number | null;
  sendingHours: string | null;
}

export interface Waiting {
  waiting: WaitingGroup[];
  scheduled: ScheduledGroup[];
}

/** The websites that have messages of a part: a row of its index for each. */
export async function findWebsitesWithPending(db: D1Database, part: PendingPart): Promise<string[]> {
  const rows = await runQuery<{ id: string }>(
    prepare(
      db,
      sql`WITH RECURSIVE pending (id) AS (
          SELECT min(website_id) FROM ${PENDING[part]}
          UNION ALL SELECT (SELECT min(website_id) FROM ${PENDING[part]} AND website_id > pending.id) FROM pending WHERE pending.id IS NOT NULL)
        SELECT id FROM pending WHERE id IS NOT NULL`,
    ),
  );
  return rows.map(({ id }) => id);
}

/**
 * Looks at messages of a part of websites, in the order of their ids.
 * @param submitWithin milliseconds after which a message is given up that has no time of its own
 */
export async function lookAtWaiting(
  db: D1Database,
  part: PendingPart,
  places: Place[],
  now: number,
  submitWithin: number,
): Promise<Looked<Waiting>[]> {
  const statements = places.map((place) => prepare(db, groupsOf(part, place, now, submitWithin)));
  const results = (await runBatch(db, statements)) as D1Result<FoundRow>[];
  return results.map(({ results: rows }, index) => ({
    found: {
      waiting: rows.filter(({ look }) => look === "waiting").map(toWaitingGroup),
      scheduled: rows.filter(({ look }) => look === "closed" || look === "scheduled").map(toScheduledGroup),
    },
    ...endOf(rows, places[index]?.limit ?? 0),
  }));
}

function groupsOf(part: PendingPart, { websiteId, after, limit }: Place, now: number, submitWithin: number): Sql {
  const some = sql`SELECT message_id, website_id, send_purpose, client_id, is_reply, accepted_at, due_at, reason, kind, send_at, phone,
      time_zone, region, coalesce(expires_at, coalesce(send_at, accepted_at) + ${submitWithin}) AS ends_at,
      iif(send_at > ${now}, opens_at, NULL) AS opens_at,
      CASE WHEN claimed_at IS NOT NULL THEN 'hidden' WHEN coalesce(send_at, 0) <= ${now} THEN 'waiting'
        WHEN opens_at IS NOT NULL THEN 'closed' ELSE 'scheduled' END AS look
    FROM ${PENDING[part]} AND website_id = ${websiteId} AND message_id > ${after} ORDER BY message_id LIMIT ${limit}`;
  return sql`SELECT g.*, w.name AS websiteName, w.settings ->> 'timeZone' AS websiteZone, w.carrier, w.holds, w.settings ->> 'sendingHours' AS sendingHours,
      c.name AS clientName
    FROM (SELECT website_id AS websiteId, send_purpose AS sendPurpose, client_id AS clientId, is_reply > 0 AS isReply, look,
        count(*) AS count, iif(min(kind) = max(kind) AND count(kind) = count(*), min(kind), NULL) AS kind,
        min(accepted_at) AS oldestAt, min(ends_at) AS endsAt, max(iif(reason = ${HELD}, NULL, reason)) AS cause,
        min(iif(reason IS NULL OR reason = ${HELD}, NULL, due_at)) AS nextTryAt, min(send_at) AS opensAt,
        max(message_id) AS last, max(iif(place = 1, phone, NULL)) AS phone, max(iif(place = 1, time_zone, NULL)) AS timeZone,
        max(iif(place = 1, region, NULL)) AS region, max(iif(place = 1, opens_at, NULL)) AS heldUntil
      FROM (SELECT *, row_number() OVER (PARTITION BY send_purpose, client_id, is_reply > 0, look ORDER BY send_at) AS place
        FROM (${some})) GROUP BY 1, 2, 3, 4, 5) g
    CROSS JOIN websites w ON w.website_id = g.websiteId LEFT JOIN clients c ON c.client_id = g.clientId`;
}

function toWaitingGroup(row: FoundRow): WaitingGroup {
  const { websiteId, websiteName, websiteZone, sendPurpose, clientId, clientName, kind, count } = row;
  const { carrier, cause, nextTryAt, oldestAt, endsAt } = row;
  const hold = row.isReply ? undefined : toHolds(row.holds).find((it) => covers(it, row));
  return {
    ...{ websiteId, websiteName, websiteZone, sendPurpose, clientId, clientName, kind, count },
    ...{ carrier, cause, nextTryAt, oldestAt, endsAt, hold: hold ?? null },
  };
}

function toScheduledGroup(row: FoundRow): ScheduledGroup {
  const { websiteId, websiteName, websiteZone, sendPurpose, clientId, clientName, count } = row;
  const { carrier, oldestAt, opensAt } = row;
  return {
    ...{ websiteId, websiteName, websiteZone, sendPurpose, clientId, clientName, count },
    ...{ carrier, oldestAt, opensAt, held: toHeldGroup(row) },
  };
}

function toHeldGroup({ phone, timeZone, region, heldUntil, sendingHours }: FoundRow): HeldGroup | null {
  if (heldUntil === null) return null;
  const hours = parseJsonColumn<SendingHours | null>(sendingHours, null);
  return { phone, timeZone, region, opensAt: heldUntil, hours };
}
