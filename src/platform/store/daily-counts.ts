// Counters of closed days, from which reports are made. A day of a website (of acceptance, UTC) is closed once each of its
// messages is final, so that no message on its way writes a counter: only a click or an opt-out that comes later does. A
// closed day counts what is stored and what is in report_rows, its purged and erased messages; a purge and an erasure move
// counts from the one to the other, and change nothing here.
import { DAY_MILLISECONDS } from "../../domain/day.ts";
import { runNamed, runQuery } from "./database.ts";
import { IS_OPEN } from "./moving.ts";

/** The start of a day, from a time in SQL. */
const startOfDay = (time: string) => `${time} / ${DAY_MILLISECONDS} * ${DAY_MILLISECONDS}`;

/** The day as daily_counts and report_rows name it, from a time in SQL. */
export const dayOf = (time: string) => `date((${time}) / 1000, 'unixepoch')`;

/** The key of report_rows and daily_counts. */
const KEY = ["website_id", "day", "send_purpose", "status", "reason"];

/** The columns of theirs that are plain sums. */
export const SUMS = ["messages", "segments", "clicked", "clicks", "robot_clicks", "opted_out"];

const COLUMNS = [...KEY, ...SUMS];

export const COUNT_COLUMNS = COLUMNS.join(", ");

/** Rows of the view message_counts, added up; to be grouped by the first five columns. */
export const COUNTS = [...KEY.map((column) => `m.${column}`), ...SUMS.map((column) => `sum(m.${column})`)].join(", ");

/** Of report_rows and daily_counts. */
export const ADD_COUNTS = `ON CONFLICT (${KEY}) DO UPDATE SET ${SUMS.map((column) => `${column} = ${column} + excluded.${column}`)}`;

/** Websites and messages of each that are counted in one transaction: at most 200,000 messages, less than a second. */
const WEBSITES_A_STEP = 25;
const MESSAGES_A_WEBSITE = 8000;

/** A day of a website, or a part of it, in milliseconds since 1970; also any number of days without messages before it. */
export interface Slice {
  websiteId: string;
  start: number;
  until: number;
  /** A message in it is not final. */
  isOpen: boolean;
}

/**
 * The next slice of each of some websites that is to be counted, in the order of their starts.
 * @param closing start of the first day that is not to be counted
 * @param after the last slice of the previous step; null for the first step
 */
export async function findSlices(
  db: D1Database,
  { closing, after }: { closing: number; after: Slice | null },
): Promise<Slice[]> {
  const inRange = (website: string, end: string) =>
    `messages m WHERE m.website_id = ${website}.website_id AND m.accepted_at >= ${website}.start AND m.accepted_at < ${end}`;
  const rows = await runQuery<{ website_id: string; start: number; until: number; is_open: 0 | 1 }>(
    db
      .prepare(
        `WITH due AS (
           SELECT website_id, counted_until AS start FROM websites WHERE counted_until < ?1
             AND (counted_until, website_id) > (?2, ?3) AND ${IS_OPEN("websites.website_id")}
           ORDER BY counted_until, website_id LIMIT ${WEBSITES_A_STEP}
         ), days AS MATERIALIZED (
           SELECT website_id, start, coalesce((SELECT min(${startOfDay("m.accepted_at")} + ${DAY_MILLISECONDS}, ?1)
             FROM ${inRange("due", "?1")} ORDER BY m.accepted_at LIMIT 1), ?1) AS until FROM due
         ), slices AS MATERIALIZED (
           SELECT website_id, start, coalesce((SELECT m.accepted_at + 1 FROM ${inRange("days", "days.until")}
             ORDER BY m.accepted_at LIMIT 1 OFFSET ${MESSAGES_A_WEBSITE - 1}), until) AS until FROM days
         )
         SELECT website_id, start, until, EXISTS (SELECT 1 FROM ${inRange("slices", "slices.until")}
           AND m.status IN ('PENDING_TO_SEND', 'SENDING')) AS is_open FROM slices ORDER BY start, website_id`,
      )
      .bind(closing, after?.start ?? -1, after?.websiteId ?? ""),
  );
  return rows.map((row) => ({
    websiteId: row.website_id,
    start: row.start,
    until: row.until,
    isOpen: row.is_open === 1,
  }));
}

/** The slices of ?1 whose website is still where they start, as `j` and `w`: run again, a statement changes nothing. */
const SLICES = `json_each(?1) j CROSS JOIN websites w ON w.website_id = j.value ->> 'websiteId'
  AND w.counted_until = j.value ->> 'start'`;

/** Counts slices all of whose messages are final. */
export async function countSlices(db: D1Database, slices: Slice[]): Promise<void> {
  const list = JSON.stringify(slices);
  const untils = JSON.stringify(Object.fromEntries(slices.map((slice) => [slice.websiteId, slice])));
  const of = (name: keyof Slice) => `json_extract(?1, '$."' || website_id || '".${name}')`;
  await runNamed(db, {
    // What an earlier count of these days has left.
    stale: db
      .prepare(
        `DELETE FROM daily_counts WHERE (${KEY}) IN (
           SELECT ${KEY.map((column) => `d.${column}`)} FROM ${SLICES} CROSS JOIN daily_counts d
             ON d.website_id = w.website_id AND d.day >= ${dayOf(`w.counted_until + ${DAY_MILLISECONDS - 1}`)})`,
      )
      .bind(list),
    counts: db
      .prepare(
        `INSERT INTO daily_counts (${COUNT_COLUMNS}) SELECT * FROM (
           SELECT ${COUNTS} FROM ${SLICES} CROSS JOIN message_counts m ON m.website_id = w.website_id
             AND m.accepted_at >= w.counted_until AND m.accepted_at < j.value ->> 'until' GROUP BY 1, 2, 3, 4, 5
         ) WHERE true ${ADD_COUNTS}`,
      )
      .bind(list),
    // Of a day of which a part is left, the last slice adds them.
    removed: db
      .prepare(
        `INSERT INTO daily_counts (${COUNT_COLUMNS}) SELECT ${COLUMNS.map((column) => `r.${column}`)}
         FROM ${SLICES} CROSS JOIN report_rows r ON r.website_id = w.website_id
           AND r.day >= ${dayOf("w.counted_until")} AND r.day < ${dayOf("j.value ->> 'until'")}
         WHERE true ${ADD_COUNTS}`,
      )
      .bind(list),
    until: db
      .prepare(
        `UPDATE websites SET counted_until = ${of("until")}
         WHERE website_id IN (SELECT key FROM json_each(?1)) AND counted_until = ${of("start")}`,
      )
      .bind(untils),
  });
}

/**
 * Adds to the counters of messages that are counted already. It must be run before what it counts is stored, in the same
 * transaction.
 * @param set SQL of the change
 * @param chosen query of message ids, at most one of a website; its parameters start at ?1
 */
export function countLate(
  db: D1Database,
  set: string,
  chosen: string,
  values: readonly unknown[],
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE daily_counts SET ${set} WHERE (${KEY}) IN (
         SELECT ${KEY.map((column) => `m.${column}`)}
         FROM message_counts m CROSS JOIN websites w ON w.website_id = m.website_id AND m.accepted_at < w.counted_until
         WHERE m.message_id IN (${chosen}))`,
    )
    .bind(...values);
}

/**
 * Where the messages that are about to be purged or erased belong to a day that is counted in part, its count starts again:
 * they would count twice, in their slice and in report_rows.
 * @param chosen query of message ids; its parameters start at ?1
 */
export function restartDay(db: D1Database, chosen: string, values: readonly unknown[]): D1PreparedStatement {
  const start = startOfDay("counted_until");
  return db
    .prepare(
      `UPDATE websites SET counted_until = ${start} WHERE website_id IN (SELECT m.website_id FROM messages m
         CROSS JOIN websites w ON w.website_id = m.website_id AND m.accepted_at < w.counted_until AND m.accepted_at >= ${start}
         WHERE m.message_id IN (${chosen}))`,
    )
    .bind(...values);
}

/**
 * Where the messages that are about to be cancelled are counted already, their days are counted again.
 * @param chosen query of message ids; its parameters start at ?1
 */
export function reopenDays(db: D1Database, chosen: string, values: readonly unknown[]): D1PreparedStatement {
  // The plus sign keeps SQLite from reading the website's messages in place of the chosen ones.
  const counted = `messages m CROSS JOIN websites w ON w.website_id = m.website_id AND m.accepted_at < w.counted_until
    WHERE m.message_id IN (${chosen})`;
  return db
    .prepare(
      `UPDATE websites SET counted_until = (SELECT ${startOfDay("min(m.accepted_at)")} FROM ${counted}
         AND +m.website_id = websites.website_id) WHERE website_id IN (SELECT m.website_id FROM ${counted})`,
    )
    .bind(...values);
}
