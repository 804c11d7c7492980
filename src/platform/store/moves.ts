// What the directory has of the moves of websites.
import type { Move, MoveStep } from "../../domain/move.ts";
import { runBatch, runNamed, runQuery } from "./database.ts";

interface MoveRow {
  website_id: string;
  home: number;
  source: string;
  target: string;
  step: MoveStep;
  started_at: number;
  worked_at: number;
  moved_at: number | null;
  error: string | null;
}

function toMove(row: MoveRow): Move {
  const { website_id: websiteId, started_at: startedAt, worked_at: workedAt, moved_at: movedAt, ...same } = row;
  return { ...same, websiteId, startedAt, workedAt, movedAt };
}

export async function readMove(directory: D1Database, websiteId: string): Promise<Move | undefined> {
  const query = directory.prepare("SELECT * FROM moves WHERE website_id = ?1").bind(websiteId);
  const [row] = await runQuery<MoveRow>(query);
  return row && toMove(row);
}

/** As many as websites were moved within a day. */
export async function listMoves(directory: D1Database): Promise<Move[]> {
  return (await runQuery<MoveRow>(directory.prepare("SELECT * FROM moves"))).map(toMove);
}

const IS_IDLE = "NOT EXISTS (SELECT 1 FROM moves o WHERE o.step NOT IN ('kept', 'failed'))";

/**
 * Begins a move, in place of the one that the website was in before. One website moves at a time: the triggers in a database
 * are made and dropped for all of them.
 * @returns whether it is stored
 */
export async function insertMove(directory: D1Database, move: Move): Promise<boolean> {
  const { websiteId, home, source, target, startedAt } = move;
  const { own } = await runNamed(directory, {
    begin: directory
      .prepare(
        `INSERT INTO moves (website_id, home, source, target, step, started_at, worked_at)
         SELECT ?1, ?2, ?3, ?4, 'prepare', ?5, ?5 WHERE ${IS_IDLE}
           AND EXISTS (SELECT 1 FROM homes WHERE home = ?2 AND database = ?3)
         ON CONFLICT (website_id) DO UPDATE SET source = excluded.source, target = excluded.target, step = excluded.step,
           started_at = excluded.started_at, worked_at = excluded.worked_at, moved_at = NULL, error = NULL`,
      )
      .bind(websiteId, home, source, target, startedAt),
    own: directory
      .prepare("SELECT 1 FROM moves WHERE website_id = ?1 AND started_at = ?2 AND step = 'prepare'")
      .bind(websiteId, startedAt),
  });
  return own.length === 1;
}

/** A job has worked on the step, and the move may go on with another one. */
export async function setStep(
  directory: D1Database,
  { websiteId, startedAt, step }: Move,
  next: MoveStep,
  now: number,
  error: string | null = null,
): Promise<void> {
  const alone = next === "clear" && step !== "clear" ? ` AND ${IS_IDLE}` : "";
  const sql = `UPDATE moves SET step = ?4, worked_at = ?5, error = ?6 WHERE website_id = ?1 AND started_at = ?2 AND step = ?3${alone}`;
  await runBatch(directory, [directory.prepare(sql).bind(websiteId, startedAt, step, next, now, error)]);
}

/**
 * For a move whose fence stands for too long. It is taken up once in two seconds, however many isolates ask.
 * @returns its website
 */
export async function takeUpFence(directory: D1Database, home: number, now: number): Promise<string | undefined> {
  const sql = `UPDATE moves SET worked_at = ?2 WHERE website_id = (SELECT website_id FROM homes WHERE home = ?1)
    AND step = 'fence' AND worked_at <= ?2 - 2000 RETURNING website_id`;
  return (await runQuery<Pick<MoveRow, "website_id">>(directory.prepare(sql).bind(home, now)))[0]?.website_id;
}

/** The website is in the target from now on. */
export async function flipHome(directory: D1Database, move: Move, now: number): Promise<void> {
  const { websiteId, home, target, startedAt } = move;
  await runBatch(directory, [
    directory
      .prepare(
        `UPDATE homes SET database = ?2 WHERE home = ?1
           AND EXISTS (SELECT 1 FROM moves WHERE website_id = ?3 AND started_at = ?4 AND step = 'fence')`,
      )
      .bind(home, target, websiteId, startedAt),
    directory
      .prepare(
        `UPDATE moves SET step = 'kept', moved_at = ?3, worked_at = ?3, error = NULL
         WHERE website_id = ?1 AND started_at = ?2 AND step = 'fence'`,
      )
      .bind(websiteId, startedAt, now),
  ]);
}

export async function deleteMove(directory: D1Database, { websiteId, startedAt }: Move): Promise<void> {
  const sql = "DELETE FROM moves WHERE website_id = ?1 AND started_at = ?2 AND step = 'clear'";
  await runBatch(directory, [directory.prepare(sql).bind(websiteId, startedAt)]);
}

/** Look-ups of its clients and senders find the website by these, wherever it is. */
export async function keepRoutes(
  directory: D1Database,
  home: number,
  { clientIds, senders }: { clientIds: string[]; senders: { carrier: string; sender: string }[] },
): Promise<void> {
  const keep = (sql: string, list: unknown[]) => directory.prepare(sql).bind(home, JSON.stringify(list));
  await runBatch(directory, [
    keep(
      "INSERT INTO client_homes (client_id, home) SELECT value, ?1 FROM json_each(?2) WHERE true ON CONFLICT DO NOTHING",
      clientIds,
    ),
    keep(
      `INSERT INTO sender_homes (carrier, sender, home) SELECT value ->> 'carrier', value ->> 'sender', ?1 FROM json_each(?2)
       WHERE true ON CONFLICT DO NOTHING`,
      senders,
    ),
  ]);
}

/** What leads to the website, as it is stored with its rows. */
export async function readRoutes(db: D1Database, websiteId: string) {
  const query = (sql: string) => db.prepare(sql).bind(websiteId);
  const { clients, senders } = await runNamed(db, {
    clients: query("SELECT client_id FROM clients WHERE website_id = ?1"),
    senders: query(
      `SELECT carrier, sender FROM websites WHERE website_id = ?1 AND sender IS NOT NULL
       UNION SELECT carrier, sender FROM former_senders WHERE website_id = ?1`,
    ),
  });
  return {
    clientIds: (clients as { client_id: string }[]).map(({ client_id }) => client_id),
    senders: senders as { carrier: string; sender: string }[],
  };
}
