// Holds the texts of a website to its daily limit, in the transaction that stores them: transactions that come at once never pass it
// together. The table accepted_minutes counts the texts that may go when they are accepted. A text with a final status costs nothing.
// The transaction has a list of texts, each with its position. Before they are stored, countTowardsLimit adds those for which there is
// room, and writes the last position with room as the `cutoff` of this minute. The statements after it store single sends up to
// the cutoff, and a part of a bulk request only if there is no cutoff.
import {
  COUNTED_MINUTES,
  type MinuteCount,
  type OverLimit,
  secondsUntilRoom,
} from "../../domain/messages/daily-limit.ts";
import type { AcceptedMessage } from "../../domain/messages/send.ts";
import { runNamed, runQuery } from "../database.ts";
import { minuteOf } from "../operations/outcome-counts.ts";
import { piece, prepare, type Query, type Sql, sql } from "../sql.ts";
import { PHONE_OF_KEY } from "./duplicates.ts";
import { recipients } from "./recipients.ts";

export interface AcceptedMinuteRow {
  website_id: string;
  minute: number;
  accepted: number;
  wanted: number;
  cutoff: number;
}

/** The messages of a website that one transaction is to store. */
export interface Limited {
  websiteId: string;
  /** Milliseconds since 1970. */
  now: number;
  /** What decides which of them count, as JSON. However long their texts are, it is one list. Each has its `position`, from 0. */
  list: string;
}

/** @param keys of single sends, in the order of the messages */
export function limited(messages: AcceptedMessage[], now: number, keys: (string | undefined)[] = []): Limited | null {
  const [first] = messages;
  if (!first) return null;
  const items = messages.map(({ messageId, websiteId, clientId, phone, email, dedupeHash, refusedAs }, position) => ({
    ...{ messageId, websiteId, clientId, phone, email, dedupeHash, refusedAs, key: keys[position], position },
  }));
  return { websiteId: first.websiteId, now, list: JSON.stringify(items) };
}

/** A position after all others, with which the limit refuses none. */
const NO_CUTOFF = 1_000_000_000;

/** Without a limit, which a website may have lost a minute ago. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** The room that a text needs: for itself and the texts before it, or for all texts of the list. */
const ROOM_FOR_EACH = piece("row_number() OVER (ORDER BY r.value ->> 'position')");
const ROOM_FOR_ALL = piece("count(*) OVER ()");

/** Condition: the recipient `r` is stored. */
const IS_STORED = piece("EXISTS (SELECT 1 FROM messages m WHERE m.message_id = r.message_id)");

/** Deletes the counts of the website that are too old to count. */
export function dropMinutes(db: D1Database, { websiteId, now }: Limited): D1PreparedStatement {
  const latest = minuteOf(now) - COUNTED_MINUTES;
  return prepare(db, sql`DELETE FROM accepted_minutes WHERE website_id = ${websiteId} AND minute <= ${latest}`);
}

/**
 * Counts the texts for which there is room, and writes the cutoff. It runs before the texts are stored. If it runs again after that, it
 * counts none of them.
 * @param isTaken condition on the recipient `r`: it repeats no other
 * @param isWhole true: either all texts are accepted, or none
 */
export function countTowardsLimit(
  db: D1Database,
  { websiteId, now, list }: Limited,
  isTaken: Sql,
  isWhole: boolean,
): Query<Pick<AcceptedMinuteRow, "wanted" | "cutoff">> {
  const minute = minuteOf(now);
  return prepare(
    db,
    sql`${recipients(list)}, wanted AS MATERIALIZED (
        SELECT r.value ->> 'position' AS position, ${isWhole ? ROOM_FOR_ALL : ROOM_FOR_EACH} AS needed FROM recipients r
        WHERE r.status = 'PENDING_TO_SEND' AND ${isTaken} AND NOT ${IS_STORED}),
      space AS MATERIALIZED (SELECT coalesce(w.settings ->> 'dailyLimit', ${UNLIMITED}) - coalesce((SELECT sum(a.accepted) FROM accepted_minutes a
        WHERE a.website_id = w.website_id AND a.minute > ${minute - COUNTED_MINUTES}), 0) AS room
        FROM websites w WHERE w.website_id = ${websiteId})
      INSERT INTO accepted_minutes (website_id, minute, accepted, wanted, cutoff)
      SELECT ${websiteId}, ${minute}, (SELECT count(*) FROM wanted WHERE needed <= room), (SELECT count(*) FROM wanted),
        coalesce((SELECT min(position) FROM wanted WHERE needed > room) - 1, ${NO_CUTOFF})
      FROM space WHERE true
      ON CONFLICT (website_id, minute) DO UPDATE SET accepted = accepted + excluded.accepted, wanted = excluded.wanted,
        cutoff = excluded.cutoff
      RETURNING wanted, cutoff`,
  );
}

/** The last position for which there is room. */
const cutoff = ({ websiteId, now }: Limited): Sql =>
  sql`(SELECT cutoff FROM accepted_minutes WHERE website_id = ${websiteId} AND minute = ${minuteOf(now)})`;

/** Condition on the recipient `r`: the limit lets it through. */
export const isWithinLimit = (limit: Limited): Sql =>
  sql`(r.status <> 'PENDING_TO_SEND' OR r.value ->> 'position' <= ${cutoff(limit)})`;

/** Condition: the limit lets all of the list through. */
export const isWholeWithinLimit = (limit: Limited): Sql => sql`(${cutoff(limit)} = ${NO_CUTOFF})`;

/** Whether the limit has refused some of the list. @param counted what countTowardsLimit returns; none: the website is not limited */
export const isCut = (counted: Pick<AcceptedMinuteRow, "cutoff">[]): boolean =>
  counted.some((row) => row.cutoff !== NO_CUTOFF);

/** Ids of the list, as a query, that are not stored. */
const notStored = ({ list }: Limited): Sql =>
  sql`SELECT r.message_id FROM (SELECT value ->> 'messageId' AS message_id FROM json_each(${list})) r WHERE NOT ${IS_STORED}`;

/** The keys of content that refused messages have claimed are free again. */
export function freeDuplicates(db: D1Database, limit: Limited): D1PreparedStatement {
  return prepare(
    db,
    sql`${recipients(limit.list)} DELETE FROM duplicate_keys WHERE (website_id, phone, content_hash) IN (
        SELECT r.website_id, ${PHONE_OF_KEY}, r.value ->> 'dedupeHash' FROM recipients r)
      AND message_id IN (${notStored(limit)})`,
  );
}

/** The Idempotency-Keys that refused sends have claimed are free again. */
export function freeKeys(db: D1Database, limit: Limited): D1PreparedStatement {
  return prepare(
    db,
    sql`DELETE FROM idempotency_keys WHERE (client_id, operation, idempotency_key) IN (
        SELECT value ->> 'clientId', 'send', value ->> 'key' FROM json_each(${limit.list}))
      AND message_id IN (${notStored(limit)})`,
  );
}

/** A minute: the counts have changed by then. */
const UNKNOWN_SECONDS = 60;

/** How many texts of a website count towards its limit. Without a limit, none are counted. */
export async function readCounted(db: D1Database, websiteId: string, now: number): Promise<number> {
  const oldest = minuteOf(now) - COUNTED_MINUTES;
  const [row] = await runQuery<{ accepted: number }>(
    prepare(
      db,
      sql`SELECT coalesce(sum(accepted), 0) AS accepted FROM accepted_minutes
        WHERE website_id = ${websiteId} AND minute > ${oldest}`,
    ),
  );
  return row?.accepted ?? 0;
}

/** When there is room again. What cannot be read is left out: nothing is stored either way. */
export async function readOverLimit(
  db: D1Database,
  websiteId: string,
  wanted: number,
  now: number,
): Promise<OverLimit> {
  const oldest = minuteOf(now) - COUNTED_MINUTES;
  try {
    const { websites, minutes } = await runNamed(db, {
      websites: prepare(
        db,
        sql<{
          most: number | null;
        }>`SELECT settings ->> 'dailyLimit' AS most FROM websites WHERE website_id = ${websiteId}`,
      ),
      minutes: prepare(
        db,
        sql<MinuteCount>`SELECT minute, accepted FROM accepted_minutes WHERE website_id = ${websiteId} AND minute > ${oldest} ORDER BY minute`,
      ),
    });
    const limit = websites[0]?.most ?? null;
    return { limit, wanted, retryAfterSeconds: secondsUntilRoom(minutes, limit ?? UNLIMITED, wanted, now) };
  } catch {
    return { limit: null, wanted, retryAfterSeconds: UNKNOWN_SECONDS };
  }
}
