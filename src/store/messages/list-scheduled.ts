// What is scheduled, for an operator.
import type { SendingHours } from "../../domain/messages/sending-hours.ts";
import { parseJsonColumn, runQuery } from "../database.ts";
import { STATE } from "../databases/moving.ts";
import { piece, prepare, sql } from "../sql.ts";
import { FOUND, type FoundMessage, type FoundRow, toFound } from "./find-messages.ts";
import type { KeptPlace } from "./scheduled.ts";

/** Condition on a row `kept`: its website is not on its way into this database, so that it is listed once. */
const IS_HERE = sql`NOT EXISTS (SELECT 1 FROM moving v WHERE v.website_id = kept.website_id AND v.state >= ${STATE.arriving})`;

/**
 * Kept requests, the soonest first.
 * @param asked `phone`: as a number of digits; null: any. `websiteIds`: null: any; with a phone, they are needed
 * @param after the last one of the page before; null: from the first on
 */
export async function listScheduled(
  db: D1Database,
  { websiteIds, phone }: { websiteIds: string[] | null; phone: number | null },
  after: KeptPlace | null,
  limit: number,
): Promise<FoundMessage[]> {
  const { sendAt, messageId } = after ?? { sendAt: 0, messageId: "" };
  const ofWebsites = sql`kept.website_id IN (SELECT value FROM json_each(${JSON.stringify(websiteIds)}))`;
  const ofAsked =
    phone !== null ? sql`${ofWebsites} AND kept.phone = ${phone}` : websiteIds === null ? piece("true") : ofWebsites;
  const rows = await runQuery<FoundRow>(
    prepare(
      db,
      sql`SELECT ${FOUND}
        FROM (SELECT kept.message_id AS id FROM scheduled_messages kept
            WHERE ${ofAsked} AND (kept.send_at, kept.message_id) > (${sendAt}, ${messageId}) AND ${IS_HERE}
            ORDER BY kept.send_at, kept.message_id LIMIT ${limit})
          CROSS JOIN scheduled_as_messages m ON m.message_id = id
        ORDER BY m.send_at, m.message_id`,
    ),
  );
  return rows.map(toFound);
}

/** How many kept requests a look at the pending messages counts. */
export const SCHEDULED_LOOKED_AT = 2000;

/** Kept requests of one website, purpose and client. Times in milliseconds since 1970. */
export interface ScheduledGroup {
  websiteId: string;
  websiteName: string;
  websiteZone: string | null;
  sendPurpose: string;
  clientId: string;
  clientName: string | null;
  carrier: string;
  count: number;
  /** When the first of them was asked for. */
  oldestAt: number;
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

/** The columns of a group of messages that tell of the first to go, in its `place` 1. */
export const FIRST_HELD =
  piece(`max(iif(place = 1, phone, NULL)) AS phone, max(iif(place = 1, time_zone, NULL)) AS timeZone,
  max(iif(place = 1, region, NULL)) AS region, max(iif(place = 1, opens_at, NULL)) AS heldUntil`);

export interface FirstHeldRow {
  phone: number;
  timeZone: string | null;
  region: string | null;
  heldUntil: number | null;
  sendingHours: string | null;
}

export function toHeldGroup({ phone, timeZone, region, heldUntil, sendingHours }: FirstHeldRow): HeldGroup | null {
  if (heldUntil === null) return null;
  const hours = parseJsonColumn<SendingHours | null>(sendingHours, null);
  return { phone, timeZone, region, opensAt: heldUntil, hours };
}

/** Counts the soonest SCHEDULED_LOOKED_AT. @param websiteId null: of all websites */
export async function countScheduled(db: D1Database, websiteId: string | null): Promise<ScheduledGroup[]> {
  const ofAsked = websiteId === null ? piece("true") : sql`kept.website_id = ${websiteId}`;
  const some = sql`SELECT website_id, send_purpose, client_id, requested_at, send_at, phone, request ->> 'timeZone' AS time_zone,
      request ->> 'region' AS region, request ->> 'opensAt' AS opens_at
    FROM scheduled_messages kept WHERE ${ofAsked} AND ${IS_HERE} ORDER BY kept.send_at LIMIT ${SCHEDULED_LOOKED_AT}`;
  const rows = await runQuery<Omit<ScheduledGroup, "held"> & FirstHeldRow>(
    prepare(
      db,
      sql`SELECT g.*, w.name AS websiteName, w.time_zone AS websiteZone, w.carrier, w.sending_hours AS sendingHours, c.name AS clientName
        FROM (SELECT website_id AS websiteId, send_purpose AS sendPurpose, client_id AS clientId, count(*) AS count,
            min(requested_at) AS oldestAt, min(send_at) AS opensAt, ${FIRST_HELD}
          FROM (SELECT *, row_number() OVER (PARTITION BY website_id, send_purpose, client_id, opens_at IS NULL ORDER BY send_at) AS place
            FROM (${some}))
          GROUP BY 1, 2, 3, opens_at IS NULL) g
        CROSS JOIN websites w ON w.website_id = g.websiteId LEFT JOIN clients c ON c.client_id = g.clientId ORDER BY g.opensAt`,
    ),
  );
  return rows.map(({ phone, timeZone, region, heldUntil, sendingHours, ...group }) => ({
    ...group,
    held: toHeldGroup({ phone, timeZone, region, heldUntil, sendingHours }),
  }));
}
