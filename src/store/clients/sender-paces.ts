// The senders of websites, with their pace. Each database has the pace of all senders, and the websites that are in it.
import type { Website } from "../../domain/clients/website.ts";
import { PACED, type Pace } from "../../domain/messages/sender-pace.ts";
import { parseJsonColumn, runQuery, runWrite } from "../database.ts";
import { toBreakers, whyPaused } from "../messages/carrier-pauses.ts";
import { GOES_BY_IT, websitesBy } from "../messages/routes.ts";
import type { CarrierPauseRow, SenderPaceRow } from "../rows.ts";
import { prepare, type Query, sql } from "../sql.ts";

export interface SenderName {
  carrier: string;
  sender: string;
}

export interface SenderState extends SenderName, Pace {
  /** Those that have it as their own, or as their fallback. */
  websites: string[];
  /** Pending messages that have a job, of the websites whose own sender it is, up to MOST_COUNTED. */
  waiting: number;
  /** Milliseconds since 1970. null: neither the sender nor its carrier pauses. */
  pausedUntil: number | null;
  why: string | null;
}

/** Messages of a sender that are counted in a database. */
export const MOST_COUNTED = 10_000;

export async function findPace(db: D1Database, name: SenderName): Promise<Pace> {
  return toPace((await runQuery<SenderPaceRow>(selectPace(db, name)))[0]);
}

/** @returns a statement whose row, if there is one, is for toPace */
export const selectPace = (
  db: D1Database,
  { carrier, sender }: Pick<Website, "carrier" | "sender">,
): Query<SenderPaceRow> =>
  prepare(db, sql<SenderPaceRow>`SELECT * FROM sender_paces WHERE carrier = ${carrier} AND sender = ${sender}`);

export function toPace(row: Pick<SenderPaceRow, "messages_per_minute" | "messages_per_day"> | undefined): Pace {
  return { messagesPerMinute: row?.messages_per_minute ?? null, messagesPerDay: row?.messages_per_day ?? null };
}

export async function storePace(db: D1Database, { carrier, sender }: SenderName, pace: Pace): Promise<void> {
  const { messagesPerMinute, messagesPerDay } = pace;
  const stored =
    messagesPerMinute === null && messagesPerDay === null
      ? sql`DELETE FROM sender_paces WHERE carrier = ${carrier} AND sender = ${sender}`
      : sql`INSERT INTO sender_paces (carrier, sender, messages_per_minute, messages_per_day)
          VALUES (${carrier}, ${sender}, ${messagesPerMinute}, ${messagesPerDay})
          ON CONFLICT DO UPDATE SET messages_per_minute = excluded.messages_per_minute, messages_per_day = excluded.messages_per_day`;
  await runWrite(db, prepare(db, stored));
}

/**
 * Pending messages that wait for the pace of the sender are due now: by another pace, their times are others.
 * @returns at most `most` of them
 */
export async function takePaced(db: D1Database, name: SenderName, now: number, most: number): Promise<string[]> {
  const rows = await runWrite<{ message_id: string }>(
    db,
    prepare(
      db,
      sql`UPDATE messages SET due_at = ${now} WHERE message_id IN (
          SELECT m.message_id FROM ${websitesBy(name, now)} w CROSS JOIN messages m INDEXED BY messages_retried
            ON m.website_id = w.website_id AND m.due_at > ${now}
          WHERE m.claimed_at IS NULL AND m.reason IS NOT NULL AND m.reason = ${PACED} AND ${GOES_BY_IT} LIMIT ${most})
          RETURNING message_id`,
    ),
  );
  return rows.map(({ message_id }) => message_id);
}

type SenderRow = Pick<SenderPaceRow, "messages_per_minute" | "messages_per_day"> &
  SenderName & { website_ids: string; waiting: number; pause: string | null };

/** The senders that websites have, or that have a pace, in the order of their names. @param only null: all */
export async function listSenders(db: D1Database, only: SenderName | null, now: number): Promise<SenderState[]> {
  const rows = await runQuery<SenderRow>(
    prepare(
      db,
      sql`SELECT s.carrier, s.sender, p.messages_per_minute, p.messages_per_day,
          (SELECT json_group_array(website_id) FROM (
            SELECT w.website_id FROM websites w WHERE w.carrier = s.carrier AND w.sender = s.sender
            UNION SELECT w.website_id FROM former_senders f CROSS JOIN websites w ON w.website_id = f.website_id
              WHERE f.carrier = s.carrier AND f.sender = s.sender
                AND w.settings ->> '$.fallback.carrier' = s.carrier AND w.settings ->> '$.fallback.sender' = s.sender)) AS website_ids,
          (SELECT count(*) FROM (SELECT 1 FROM websites w CROSS JOIN messages m INDEXED BY messages_pending_by_website
              ON m.website_id = w.website_id AND m.due_at IS NOT NULL
            WHERE w.carrier = s.carrier AND w.sender = s.sender LIMIT ${MOST_COUNTED})) AS waiting,
          (SELECT json_object('carrier', b.carrier, 'sender', b.sender, 'about', b.about, 'cause', b.cause, 'open_until', b.open_until)
            FROM carrier_pauses b WHERE b.carrier = s.carrier AND b.sender IN ('', s.sender) AND b.open_until > ${now}
            ORDER BY b.open_until DESC LIMIT 1) AS pause
        FROM (SELECT carrier, sender FROM websites WHERE sender IS NOT NULL
          UNION SELECT settings ->> '$.fallback.carrier', settings ->> '$.fallback.sender' FROM websites
            WHERE settings ->> '$.fallback.sender' IS NOT NULL
          UNION SELECT carrier, sender FROM sender_paces) s
          LEFT JOIN sender_paces p ON p.carrier = s.carrier AND p.sender = s.sender
        WHERE ${only?.carrier ?? null} IS NULL OR s.carrier = ${only?.carrier ?? null} AND s.sender = ${only?.sender ?? null}
        ORDER BY s.carrier, s.sender`,
    ),
  );
  return rows.map(toSenderState);
}

function toSenderState(row: SenderRow): SenderState {
  const pause = row.pause === null ? null : (JSON.parse(row.pause) as CarrierPauseRow);
  const [breaker] = pause ? toBreakers([pause]) : [];
  return {
    ...{ carrier: row.carrier, sender: row.sender, ...toPace(row) },
    ...{ websites: parseJsonColumn<string[]>(row.website_ids, []), waiting: row.waiting },
    ...{ pausedUntil: breaker?.openUntil ?? null, why: breaker ? whyPaused(breaker) : null },
  };
}
