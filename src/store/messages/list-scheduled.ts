// What is scheduled, for an operator.
import type { SendingHours } from "../../domain/messages/sending-hours.ts";
import { parseJsonColumn, runBatch, runQuery } from "../database.ts";
import { piece, prepare, type Sql, sql } from "../sql.ts";
import { FOUND, type FoundMessage, type FoundRow, toFound } from "./find-messages.ts";
import { endOf, type Looked, type Place } from "./look.ts";
import type { KeptPlace } from "./scheduled.ts";

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
            WHERE ${ofAsked} AND (kept.send_at, kept.message_id) > (${sendAt}, ${messageId})
            ORDER BY kept.send_at, kept.message_id LIMIT ${limit})
          CROSS JOIN scheduled_as_messages m ON m.message_id = id
        ORDER BY m.send_at, m.message_id`,
    ),
  );
  return rows.map(toFound);
}

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

/** The websites that have kept requests: a row of the index for each. */
export async function findWebsitesWithKept(db: D1Database): Promise<string[]> {
  const rows = await runQuery<{ website_id: string }>(
    prepare(
      db,
      sql`WITH RECURSIVE found (website_id) AS (SELECT min(website_id) FROM scheduled_messages INDEXED BY scheduled_by_website
          UNION ALL SELECT (SELECT min(s.website_id) FROM scheduled_messages s INDEXED BY scheduled_by_website
            WHERE s.website_id > found.website_id) FROM found WHERE found.website_id IS NOT NULL)
        SELECT kept.website_id FROM found kept WHERE kept.website_id IS NOT NULL`,
    ),
  );
  return rows.map((row) => row.website_id);
}

/** Looks at kept requests of websites, the soonest first. */
export async function lookAtScheduled(db: D1Database, places: Place[]): Promise<Looked<ScheduledGroup[]>[]> {
  const statements = places.map((place) => prepare(db, groupsOf(place)));
  const results = (await runBatch(db, statements)) as D1Result<KeptRow>[];
  return results.map(({ results: rows }, index) => ({
    found: rows.map(({ phone, timeZone, region, heldUntil, sendingHours, last: _, ...group }) => ({
      ...group,
      held: toHeldGroup({ phone, timeZone, region, heldUntil, sendingHours }),
    })),
    ...endOf(rows, places[index]?.limit ?? 0),
  }));
}

type KeptRow = Omit<ScheduledGroup, "held"> & FirstHeldRow & { last: string };

/** A place is a time of 15 digits and an id, so that the places are in the order of their text. */
function groupsOf({ websiteId, after, limit }: Place): Sql {
  const [sendAt = "", messageId = ""] = after.split(":");
  const some = sql`SELECT message_id, website_id, send_purpose, client_id, requested_at, send_at, phone, request ->> 'timeZone' AS time_zone,
      request ->> 'region' AS region, request ->> 'opensAt' AS opens_at
    FROM scheduled_messages WHERE website_id = ${websiteId} AND (send_at, message_id) > (${Number(sendAt)}, ${messageId})
    ORDER BY send_at, message_id LIMIT ${limit}`;
  return sql`SELECT g.*, w.name AS websiteName, w.settings ->> 'timeZone' AS websiteZone, w.carrier, w.settings ->> 'sendingHours' AS sendingHours, c.name AS clientName
    FROM (SELECT website_id AS websiteId, send_purpose AS sendPurpose, client_id AS clientId, count(*) AS count,
        min(requested_at) AS oldestAt, min(send_at) AS opensAt, max(printf('%015d:%s', send_at, message_id)) AS last, ${FIRST_HELD}
      FROM (SELECT *, row_number() OVER (PARTITION BY send_purpose, client_id, opens_at IS NULL ORDER BY send_at) AS place
        FROM (${some})) GROUP BY 1, 2, 3, opens_at IS NULL) g
    CROSS JOIN websites w ON w.website_id = g.websiteId LEFT JOIN clients c ON c.client_id = g.clientId`;
}
