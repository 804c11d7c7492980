// What the two databases of a move have of it: the row of the website in `moving`, and the log of its changes.
import { parseJsonColumn, runBatch, runNamed, runQuery } from "./database.ts";
import type { Key, MovingWebsite, Shifts } from "./move-rows.ts";
import type { TableName } from "./moved-tables.ts";
import { createTriggers, dropTriggers, FAIL, ID_PART, IS_COMPARED, idPartOf, STATE } from "./moving.ts";

/** The passes through the tables. */
export const PASS = { copy: 0, check: 1, done: 2 } as const;

/** How far a website has arrived. */
export interface Progress {
  /** The move: its startedAt. */
  run: number;
  shifts: Shifts;
  /** Places in its feed below this are of before the move. */
  feedUntil: number;
  /** Through the tables. */
  pass: number;
  /** The table that is copied or compared, and the last key of its last page. */
  at: { name: TableName; after: Key | null } | null;
  /** How many each pass has seen. */
  rows: number[];
  total: number;
  /** Up to this number, the log is replayed. */
  log: number;
}

/** The row of a website in `moving`. */
export interface Presence {
  state: number;
  turn: number;
  progress: Progress | null;
}

export async function readPresence(db: D1Database, home: number): Promise<Presence | undefined> {
  const query = db.prepare("SELECT state, turn, progress FROM moving WHERE home = ?1").bind(home);
  const [row] = await runQuery<{ state: number; turn: number; progress: string }>(query);
  return row && { ...row, progress: parseJsonColumn<Progress | null>(row.progress, null) };
}

/**
 * A turn in the database that a website arrives in, or that it is cleared from: a transaction that commits after another turn
 * has begun fails, so it overwrites nothing that is newer.
 * @param progress null: the row is not needed any more
 * @throws Error see isLateError
 */
export async function takeTurn(
  db: D1Database,
  home: number,
  turn: number,
  statements: D1PreparedStatement[],
  progress: Progress | null,
): Promise<void> {
  const guard = `SELECT ${FAIL("'late'", "value")} FROM json_each(?1)
    WHERE NOT EXISTS (SELECT 1 FROM moving v WHERE v.home = value ->> 0 AND v.turn = value ->> 1)`;
  const end = progress
    ? db
        .prepare(`UPDATE moving SET turn = turn + 1, state = ${STATE.arriving}, progress = ?2 WHERE home = ?1`)
        .bind(home, JSON.stringify(progress))
    : db.prepare("DELETE FROM moving WHERE home = ?1").bind(home);
  await runBatch(db, [db.prepare(guard).bind(JSON.stringify([[home, turn]])), ...statements, end]);
}

/** Nothing that another call has marked changes. */
function insertPresence(db: D1Database, { websiteId, home }: MovingWebsite, state: number): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO moving (home, website_id, id_part, state, turn, progress) VALUES (?1, ?2, ?3, ?4, 0, 'null')
       ON CONFLICT DO NOTHING`,
    )
    .bind(home, websiteId, idPartOf(home), state);
}

/** Marks the database as one that a website arrives in. */
export async function beginArrival(db: D1Database, website: MovingWebsite): Promise<void> {
  await runBatch(db, [insertPresence(db, website, STATE.arriving)]);
}

/** From here on, what changes of the website in this database is logged. */
export async function beginLog(db: D1Database, website: MovingWebsite): Promise<void> {
  const clear =
    "DELETE FROM move_log WHERE seq > 0 AND home = ?1 AND NOT EXISTS (SELECT 1 FROM moving WHERE home = ?1)";
  await runBatch(db, [
    db.prepare(clear).bind(website.home),
    insertPresence(db, website, STATE.leaving),
    ...createTriggers(db),
  ]);
}

export async function endLog(db: D1Database, home: number): Promise<void> {
  const end = `DELETE FROM moving WHERE home = ?1 AND state < ${STATE.left}`;
  await runBatch(db, [db.prepare(end).bind(home)]);
}

/**
 * Changes the state of a website that leaves, unless another call has done so since.
 * @returns the new turn; undefined: nothing changed
 */
export async function setPresence(
  db: D1Database,
  home: number,
  { state, turn }: Pick<Presence, "state" | "turn">,
  next: number,
): Promise<number | undefined> {
  const { own } = await runNamed(db, {
    set: db
      .prepare("UPDATE moving SET state = ?4, turn = turn + 1 WHERE home = ?1 AND state = ?2 AND turn = ?3")
      .bind(home, state, turn, next),
    own: db.prepare("SELECT 1 FROM moving WHERE home = ?1 AND state = ?2 AND turn = ?3").bind(home, next, turn + 1),
  });
  return own.length === 1 ? turn + 1 : undefined;
}

/** @throws Error see isLateError: another website leaves the database, or has left it, and needs them */
export async function endTriggers(db: D1Database): Promise<void> {
  const guard = `SELECT ${FAIL("'late'", "home")} FROM moving WHERE state < ${STATE.arriving}`;
  await runBatch(db, [db.prepare(guard), ...dropTriggers(db)]);
}

/** Whether a website arrives in this database or is about to leave it. A purge would make its two sides differ. */
export async function isCompared(db: D1Database): Promise<boolean> {
  return (await runQuery(db.prepare(IS_COMPARED))).length > 0;
}

/** A row of the log. */
export interface Logged {
  seq: number;
  name: TableName;
  key: Key;
}

/** What has changed, in order. @param after the number of a row of the log */
export async function readLog(db: D1Database, home: number, after: number, most: number): Promise<Logged[]> {
  const query = db.prepare("SELECT seq, name, key FROM move_log WHERE seq > ?2 AND home = ?1 ORDER BY seq LIMIT ?3");
  const rows = await runQuery<{ seq: number; name: TableName; key: string }>(query.bind(home, after, most));
  return rows.map((row) => ({ ...row, key: JSON.parse(row.key) as Key }));
}

export async function trimLog(db: D1Database, home: number, until: number): Promise<void> {
  await runBatch(db, [db.prepare("DELETE FROM move_log WHERE seq <= ?2 AND home = ?1").bind(home, until)]);
}

/** What the website has changed since a row of the log, `most` at most. */
export async function countLog(db: D1Database, home: number, after: number, most: number): Promise<number> {
  const sql = "SELECT count(*) AS count FROM (SELECT 1 FROM move_log WHERE seq > ?2 AND home = ?1 LIMIT ?3)";
  const [row] = await runQuery<{ count: number }>(db.prepare(sql).bind(home, after, most));
  return row?.count ?? 0;
}

/** Whether a callback is due of a notice whose id has another home than its website: one text was for several websites. */
export async function hasForeignNotices(db: D1Database, websiteId: string, home: number): Promise<boolean> {
  const sql = `SELECT 1 FROM events WHERE website_id = ?1 AND body IS NOT NULL AND due_at IS NOT NULL AND attempted_at IS NULL
    AND ${ID_PART("message_id")} <> ?2 LIMIT 1`;
  return (await runQuery(db.prepare(sql).bind(websiteId, idPartOf(home)))).length > 0;
}

/** The website is here from now on, as far as this database is concerned. */
export async function endArrival(
  db: D1Database,
  { websiteId, home }: MovingWebsite,
  { turn, progress }: Presence & { progress: Progress },
  now: number,
): Promise<void> {
  await runBatch(db, [
    db
      .prepare("INSERT INTO moved_feeds (website_id, until, shift) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")
      .bind(websiteId, progress.feedUntil, progress.shifts.feed.by),
    // Their copies in KV and in the object of the website name the database.
    db
      .prepare("UPDATE clients SET changed_at = max(?2, changed_at + 1), copied_at = NULL WHERE website_id = ?1")
      .bind(websiteId, now),
    db.prepare(`DELETE FROM moving WHERE home = ?1 AND state = ${STATE.arriving} AND turn = ?2`).bind(home, turn),
  ]);
}
