// What waits, by website, purpose and client.
import type { Hold } from "../../domain/messages/hold.ts";
import { runQuery } from "../database.ts";
import { STATE } from "../databases/moving.ts";
import { prepare, sql } from "../sql.ts";
import { HELD, toHolds } from "./holds.ts";

/** Unclaimed pending messages whose time has come that are looked at. Each is some five rows read. */
export const LOOKED_AT = 2000;

/** Times in milliseconds since 1970. */
export interface WaitingGroup {
  websiteId: string;
  websiteName: string;
  sendPurpose: string;
  clientId: string;
  clientName: string | null;
  count: number;
  carrier: string;
  /** Why one could not be submitted at first; null: they wait for their turn. */
  cause: string | null;
  /** When the next of those is tried. */
  nextTryAt: number | null;
  /** By its website's holds. */
  hold: Hold | null;
  oldestAt: number;
}

type FoundRow = Omit<WaitingGroup, "hold"> & { isReply: 0 | 1; holds: string | null };

/**
 * Looks at the messages of one website in the order of their ids, and at those of all websites in the order in which their jobs were due.
 * @returns the groups whose oldest message is the oldest first
 */
export async function readWaiting(db: D1Database, websiteId: string | null, now: number): Promise<WaitingGroup[]> {
  const columns = sql`website_id, send_purpose, client_id, is_reply, accepted_at, due_at, reason`;
  const some =
    websiteId === null
      ? sql`SELECT ${columns} FROM messages p WHERE due_at IS NOT NULL AND claimed_at IS NULL AND coalesce(send_at, 0) <= ${now}
          AND NOT EXISTS (SELECT 1 FROM moving v WHERE v.website_id = p.website_id AND v.state >= ${STATE.arriving})
          ORDER BY due_at LIMIT ${LOOKED_AT}`
      : sql`SELECT ${columns} FROM messages INDEXED BY messages_pending_by_website
          WHERE website_id = ${websiteId} AND status = 'PENDING_TO_SEND' AND claimed_at IS NULL AND coalesce(send_at, 0) <= ${now}
          ORDER BY message_id LIMIT ${LOOKED_AT}`;
  const rows = await runQuery<FoundRow>(
    prepare(
      db,
      sql`SELECT g.*, w.name AS websiteName, w.carrier, w.holds, c.name AS clientName
        FROM (SELECT website_id AS websiteId, send_purpose AS sendPurpose, client_id AS clientId, is_reply > 0 AS isReply,
            count(*) AS count, min(accepted_at) AS oldestAt, max(iif(reason = ${HELD}, NULL, reason)) AS cause,
            min(iif(reason IS NULL OR reason = ${HELD}, NULL, due_at)) AS nextTryAt
          FROM (${some}) GROUP BY 1, 2, 3, 4) g
        CROSS JOIN websites w ON w.website_id = g.websiteId LEFT JOIN clients c ON c.client_id = g.clientId ORDER BY g.oldestAt`,
    ),
  );
  return rows.map(({ holds, isReply, ...group }) => ({
    ...group,
    hold: isReply ? null : holdOf(toHolds(holds), group),
  }));
}

const holdOf = (
  holds: Hold[],
  { sendPurpose, clientId }: Pick<WaitingGroup, "sendPurpose" | "clientId">,
): Hold | null =>
  holds.find((hold) => (hold.sendPurpose ?? sendPurpose) === sendPurpose && (hold.clientId ?? clientId) === clientId) ??
  null;
