// Pending messages, by website, purpose and client.
import type { Hold } from "../../domain/messages/hold.ts";
import type { MessageKind } from "../../domain/messages/kind.ts";
import { runQuery } from "../database.ts";
import { STATE } from "../databases/moving.ts";
import { prepare, sql } from "../sql.ts";
import { HELD, toHolds } from "./holds.ts";
import { FIRST_HELD, type FirstHeldRow, type ScheduledGroup, toHeldGroup } from "./list-scheduled.ts";

/** Unclaimed pending messages that are looked at. Each is some five rows read. */
export const LOOKED_AT = 2000;

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

type FoundRow = Omit<WaitingGroup, "hold"> &
  FirstHeldRow & { isReply: 0 | 1; holds: string | null; isClosed: 0 | 1; opensAt: number };

export interface Waiting {
  waiting: WaitingGroup[];
  /** Messages that sending hours have delayed after they were claimed. */
  putBack: ScheduledGroup[];
}

/**
 * Looks at the messages of one website in the order of their ids, and at those of all websites in the order in which their jobs were due.
 * What is released shortly before its own time is left out: it was scheduled a moment ago.
 * @param submitWithin milliseconds after which a message is given up that has no time of its own
 * @returns the groups whose oldest message is the oldest first
 */
export async function readWaiting(
  db: D1Database,
  websiteId: string | null,
  now: number,
  submitWithin: number,
): Promise<Waiting> {
  const columns = sql`website_id, send_purpose, client_id, is_reply, accepted_at, due_at, reason, kind, send_at, phone, time_zone, region,
    coalesce(expires_at, coalesce(send_at, accepted_at) + ${submitWithin}) AS ends_at, iif(send_at > ${now}, opens_at, NULL) AS opens_at`;
  const isSeen = sql`(coalesce(send_at, 0) <= ${now} OR opens_at IS NOT NULL)`;
  const some =
    websiteId === null
      ? sql`SELECT ${columns} FROM messages p WHERE due_at IS NOT NULL AND claimed_at IS NULL AND ${isSeen}
          AND NOT EXISTS (SELECT 1 FROM moving v WHERE v.website_id = p.website_id AND v.state >= ${STATE.arriving})
          ORDER BY due_at LIMIT ${LOOKED_AT}`
      : sql`SELECT ${columns} FROM messages INDEXED BY messages_pending_by_website
          WHERE website_id = ${websiteId} AND status = 'PENDING_TO_SEND' AND claimed_at IS NULL AND ${isSeen}
          ORDER BY message_id LIMIT ${LOOKED_AT}`;
  const rows = await runQuery<FoundRow>(
    prepare(
      db,
      sql`SELECT g.*, w.name AS websiteName, w.time_zone AS websiteZone, w.carrier, w.holds, w.sending_hours AS sendingHours,
          c.name AS clientName
        FROM (SELECT website_id AS websiteId, send_purpose AS sendPurpose, client_id AS clientId, is_reply > 0 AS isReply,
            count(*) AS count, iif(min(kind) = max(kind) AND count(kind) = count(*), min(kind), NULL) AS kind,
            min(accepted_at) AS oldestAt, min(ends_at) AS endsAt, max(iif(reason = ${HELD}, NULL, reason)) AS cause,
            min(iif(reason IS NULL OR reason = ${HELD}, NULL, due_at)) AS nextTryAt, min(send_at) AS opensAt,
            opens_at IS NOT NULL AS isClosed, ${FIRST_HELD}
          FROM (SELECT *, row_number() OVER (PARTITION BY website_id, send_purpose, client_id, is_reply > 0, opens_at IS NULL
            ORDER BY send_at) AS place FROM (${some})) GROUP BY 1, 2, 3, 4, opens_at IS NULL) g
        CROSS JOIN websites w ON w.website_id = g.websiteId LEFT JOIN clients c ON c.client_id = g.clientId ORDER BY g.oldestAt`,
    ),
  );
  return {
    waiting: rows.filter(({ isClosed }) => isClosed === 0).map(toWaitingGroup),
    putBack: rows.filter(({ isClosed }) => isClosed === 1).map(toPutBack),
  };
}

function toWaitingGroup(row: FoundRow): WaitingGroup {
  const { websiteId, websiteName, websiteZone, sendPurpose, clientId, clientName, kind, count } = row;
  const { carrier, cause, nextTryAt, oldestAt, endsAt } = row;
  const hold = row.isReply ? null : holdOf(toHolds(row.holds), row);
  return {
    ...{ websiteId, websiteName, websiteZone, sendPurpose, clientId, clientName, kind, count },
    ...{ carrier, cause, nextTryAt, oldestAt, endsAt, hold },
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

const holdOf = (
  holds: Hold[],
  { sendPurpose, clientId }: Pick<WaitingGroup, "sendPurpose" | "clientId">,
): Hold | null =>
  holds.find((hold) => (hold.sendPurpose ?? sendPurpose) === sendPurpose && (hold.clientId ?? clientId) === clientId) ??
  null;
