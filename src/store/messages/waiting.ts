// Pending messages, by website, purpose and client.
import { covers, type Hold } from "../../domain/messages/hold.ts";
import type { MessageKind } from "../../domain/messages/kind.ts";
import { runBatch, runQuery } from "../database.ts";
import { prepare, type Sql, sql } from "../sql.ts";
import { HELD, toHolds } from "./holds.ts";
import { FIRST_HELD, type FirstHeldRow, type ScheduledGroup, toHeldGroup } from "./list-scheduled.ts";
import { endOf, type Looked, type Place } from "./look.ts";

/** Times in milliseconds since 1970. */
export interface WaitingGroup {
  websiteId: string;
  websiteName: string;
  websiteZone: string | null;
  sendPurpose: string;
  clientId: string;
  clientName: string | null;
  /** null: both kinds, or what a website without a cap has not told apart. */
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

interface FoundRow extends Omit<WaitingGroup, "hold">, FirstHeldRow {
  isReply: 0 | 1;
  holds: string | null;
  /** `hidden`: a run has claimed it, or it was released shortly before its own time, and was scheduled a moment ago. */
  look: "waiting" | "closed" | "hidden";
  opensAt: number;
  last: string;
}

export interface Waiting {
  waiting: WaitingGroup[];
  /** Messages that sending hours have delayed after they were claimed. */
  putBack: ScheduledGroup[];
}

/** The websites that have pending messages. */
export async function findWebsitesWithPending(db: D1Database): Promise<string[]> {
  const rows = await runQuery<{ id: string }>(
    prepare(
      db,
      sql`WITH RECURSIVE pending (id) AS (
          SELECT min(website_id) FROM messages INDEXED BY messages_pending_by_website WHERE status = 'PENDING_TO_SEND'
          UNION ALL SELECT (SELECT min(m.website_id) FROM messages m INDEXED BY messages_pending_by_website
            WHERE m.status = 'PENDING_TO_SEND' AND m.website_id > pending.id) FROM pending WHERE pending.id IS NOT NULL)
        SELECT id FROM pending WHERE id IS NOT NULL`,
    ),
  );
  return rows.map(({ id }) => id);
}

/**
 * Looks at pending messages of websites, in the order of their ids.
 * @param submitWithin milliseconds after which a message is given up that has no time of its own
 */
export async function lookAtWaiting(
  db: D1Database,
  places: Place[],
  now: number,
  submitWithin: number,
): Promise<Looked<Waiting>[]> {
  const statements = places.map((place) => prepare(db, groupsOf(place, now, submitWithin)));
  const results = (await runBatch(db, statements)) as D1Result<FoundRow>[];
  return results.map(({ results: rows }, index) => ({
    found: {
      waiting: rows.filter(({ look }) => look === "waiting").map(toWaitingGroup),
      putBack: rows.filter(({ look }) => look === "closed").map(toPutBack),
    },
    ...endOf(rows, places[index]?.limit ?? 0),
  }));
}

function groupsOf({ websiteId, after, limit }: Place, now: number, submitWithin: number): Sql {
  const some = sql`SELECT message_id, website_id, send_purpose, client_id, is_reply, accepted_at, due_at, reason, kind, send_at, phone,
      time_zone, region, coalesce(expires_at, coalesce(send_at, accepted_at) + ${submitWithin}) AS ends_at,
      iif(send_at > ${now}, opens_at, NULL) AS opens_at,
      CASE WHEN claimed_at IS NOT NULL THEN 'hidden' WHEN coalesce(send_at, 0) <= ${now} THEN 'waiting'
        WHEN opens_at IS NOT NULL THEN 'closed' ELSE 'hidden' END AS look
    FROM messages INDEXED BY messages_pending_by_website
    WHERE website_id = ${websiteId} AND status = 'PENDING_TO_SEND' AND message_id > ${after}
    ORDER BY message_id LIMIT ${limit}`;
  return sql`SELECT g.*, w.name AS websiteName, w.settings ->> 'timeZone' AS websiteZone, w.carrier, w.holds, w.settings ->> 'sendingHours' AS sendingHours,
      c.name AS clientName
    FROM (SELECT website_id AS websiteId, send_purpose AS sendPurpose, client_id AS clientId, is_reply > 0 AS isReply, look,
        count(*) AS count, iif(min(kind) = max(kind) AND count(kind) = count(*), min(kind), NULL) AS kind,
        min(accepted_at) AS oldestAt, min(ends_at) AS endsAt, max(iif(reason = ${HELD}, NULL, reason)) AS cause,
        min(iif(reason IS NULL OR reason = ${HELD}, NULL, due_at)) AS nextTryAt, min(send_at) AS opensAt,
        max(message_id) AS last, ${FIRST_HELD}
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

function toPutBack(row: FoundRow): ScheduledGroup {
  const { websiteId, websiteName, websiteZone, sendPurpose, clientId, clientName, count } = row;
  const { carrier, oldestAt, opensAt } = row;
  const held = toHeldGroup(row);
  return {
    ...{ websiteId, websiteName, websiteZone, sendPurpose, clientId, clientName, count },
    ...{ carrier, oldestAt, opensAt, held },
  };
}
