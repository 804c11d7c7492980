// Messages that are scheduled: their requests are kept until shortly before their time. See release-scheduled.ts.
import type { MessageFilter } from "../../domain/messages/hold.ts";
import { runQuery } from "../database.ts";
import { prepare, type Query, type Sql, sql } from "../sql.ts";
import type { WaitingStep } from "./find-waiting.ts";
import { recipients } from "./recipients.ts";

export interface ScheduledMessageRow {
  message_id: string;
  website_id: string;
  client_id: string;
  phone: number;
  send_purpose: string;
  send_at: number;
  requested_at: number;
  /** JSON: an AcceptedMessage, see send.ts of the domain. */
  request: string;
}

/**
 * A message becomes one of `messages` so long before its time: a job may have to cancel it first (see RECOVERY_MILLISECONDS), and the sweep
 * runs every minute, and may be late.
 */
export const RELEASED_BEFORE_MILLISECONDS = 7 * 60_000;

/**
 * Whether a request is kept, unless its recipient decides that it is final at once. By the time of the request, so that each try of it
 * decides the same, whenever it runs.
 */
export const isKept = ({ sendAt = 0, acceptedAt }: { sendAt?: number; acceptedAt: number }) =>
  sendAt > acceptedAt + RELEASED_BEFORE_MILLISECONDS;

/** Condition on the recipient `r`: isKept, and the message would be pending. */
export const STAYS_KEPT = sql`(r.status = 'PENDING_TO_SEND'
  AND coalesce(r.value ->> 'sendAt', 0) > (r.value ->> 'acceptedAt') + ${RELEASED_BEFORE_MILLISECONDS})`;

export type TimeOfKept = Pick<ScheduledMessageRow, "message_id" | "send_at">;

/** A request that is kept now. */
export interface KeptState {
  message_id: string;
  status: "PENDING_TO_SEND";
  is_kept: 1;
}

/** Keeps requests for their time. One that is kept, or stored, stays as it is. @param condition on the recipient `r` */
export function keepScheduled(db: D1Database, list: string, condition: Sql): Query<KeptState> {
  return prepare(
    db,
    sql`${recipients(list)} INSERT INTO scheduled_messages (message_id, website_id, client_id, phone, send_purpose, send_at,
        requested_at, request)
      SELECT r.message_id, r.website_id, r.value ->> 'clientId', r.phone, r.value ->> 'sendPurpose', r.value ->> 'sendAt',
        r.value ->> 'acceptedAt', r.value
      FROM recipients r WHERE ${condition} AND ${STAYS_KEPT}
        AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.message_id = r.message_id)
      ON CONFLICT (message_id) DO NOTHING RETURNING message_id, 'PENDING_TO_SEND' AS status, 1 AS is_kept`,
  );
}

/**
 * When stored messages may go that do not go at once.
 * @param ids of those that have a time, and of earlier ones that are repeated: sending hours may have given them one
 * @param asked where it cannot be read: what the request says. The messages are stored
 * @returns milliseconds since 1970, by id
 */
export async function findSchedule(
  db: D1Database,
  ids: string[],
  asked: ReadonlyMap<string, number> = new Map(),
): Promise<ReadonlyMap<string, number>> {
  return ids.length === 0 ? new Map() : readSchedule(db, ids).catch(() => asked);
}

async function readSchedule(db: D1Database, ids: string[]): Promise<Map<string, number>> {
  const list = JSON.stringify(ids);
  const rows = await runQuery<TimeOfKept>(
    prepare(
      db,
      sql`SELECT kept.message_id, kept.send_at FROM json_each(${list}) j CROSS JOIN scheduled_messages kept ON kept.message_id = j.value
        UNION ALL SELECT m.message_id, m.send_at FROM json_each(${list}) j CROSS JOIN messages m ON m.message_id = j.value
          WHERE m.status = 'PENDING_TO_SEND' AND m.send_at IS NOT NULL`,
    ),
  );
  return new Map(rows.map((row) => [row.message_id, row.send_at]));
}

/** Kept requests that one statement looks through. */
const LOOKED_THROUGH = 2000;

/** The place at which a list of kept requests continues. */
export interface KeptPlace {
  /** Milliseconds since 1970. */
  sendAt: number;
  messageId: string;
}

/**
 * Some of the kept requests of a website, the soonest first, however many other websites have.
 * @param after `next` of the step before; `""`: the first
 */
export async function findKept(
  db: D1Database,
  websiteId: string,
  { sendPurpose, clientId }: MessageFilter,
  after: string,
): Promise<WaitingStep> {
  const [sendAt = "", messageId = ""] = after.split(":");
  const rows = await runQuery<TimeOfKept & { is_meant: 0 | 1 }>(
    prepare(
      db,
      sql`SELECT message_id, send_at, send_purpose = coalesce(${sendPurpose}, send_purpose)
          AND client_id = coalesce(${clientId}, client_id) AS is_meant
        FROM scheduled_messages WHERE website_id = ${websiteId} AND (send_at, message_id) > (${Number(sendAt)}, ${messageId})
        ORDER BY send_at, message_id LIMIT ${LOOKED_THROUGH}`,
    ),
  );
  const last = rows.length === LOOKED_THROUGH ? rows.at(-1) : undefined;
  return {
    messageIds: rows.filter((row) => row.is_meant === 1).map((row) => row.message_id),
    next: last ? `${last.send_at}:${last.message_id}` : null,
  };
}
