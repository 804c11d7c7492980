// The moves of websites, as the directory has them.
import { type Move, type MoveState, NO_PROGRESS, type Progress } from "../../domain/databases/move.ts";
import { parseJsonColumn, runBatch, runNamed, runQuery } from "../database.ts";
import { prepare, sql } from "../sql.ts";

interface MoveRow {
  website_id: string;
  home: number;
  source: string;
  target: string;
  state: string;
  started_at: number;
  worked_at: number;
  ended_at: number | null;
  turn: number;
  progress: string;
  copied_rows: number;
  compared_rows: number;
  total_rows: number | null;
  problem: string | null;
}

const toMove = (row: MoveRow): Move => ({
  websiteId: row.website_id,
  home: row.home,
  source: row.source,
  target: row.target,
  state: row.state as MoveState,
  startedAt: row.started_at,
  workedAt: row.worked_at,
  endedAt: row.ended_at,
  turn: row.turn,
  progress: parseJsonColumn<Progress>(row.progress, NO_PROGRESS),
  copiedRows: row.copied_rows,
  comparedRows: row.compared_rows,
  totalRows: row.total_rows,
  problem: row.problem,
});

export async function readMove(directory: D1Database, websiteId: string): Promise<Move | undefined> {
  const query = prepare(directory, sql`SELECT * FROM moves WHERE website_id = ${websiteId}`);
  const [row] = await runQuery<MoveRow>(query);
  return row && toMove(row);
}

/** The last move of each website that is on the move, or was within the last day. */
export async function listMoves(directory: D1Database): Promise<Move[]> {
  return (await runQuery<MoveRow>(prepare(directory, sql`SELECT * FROM moves`))).map(toMove);
}

/**
 * Begins a move, in place of the last one of the website. One website moves at a time. A try that D1 runs late, after the end of the move
 * because of which it was refused, begins none.
 * @returns whether it is stored
 */
export async function insertMove(directory: D1Database, move: Move): Promise<boolean> {
  const { websiteId, home, source, target, startedAt } = move;
  const { own } = await runNamed(directory, {
    begin: prepare(
      directory,
      sql`INSERT INTO moves (website_id, home, source, target, state, started_at, worked_at, turn, progress, copied_rows, compared_rows)
        SELECT ${websiteId}, ${home}, ${source}, ${target}, 'paused', ${startedAt}, ${startedAt}, 0,
          ${JSON.stringify(NO_PROGRESS)}, 0, 0
        WHERE NOT EXISTS (SELECT 1 FROM moves WHERE ended_at IS NULL OR ended_at > ${startedAt})
          AND EXISTS (SELECT 1 FROM homes WHERE home = ${home} AND database = ${source})
        ON CONFLICT (website_id) DO UPDATE SET source = excluded.source, target = excluded.target, state = excluded.state,
          started_at = excluded.started_at, worked_at = excluded.worked_at, ended_at = NULL, turn = 0,
          progress = excluded.progress, copied_rows = 0, compared_rows = 0, total_rows = NULL, problem = NULL
        WHERE moves.started_at < excluded.started_at`,
    ),
    own: prepare(
      directory,
      sql`SELECT 1 FROM moves WHERE website_id = ${websiteId} AND started_at = ${startedAt} AND target = ${target}
        AND ended_at IS NULL`,
    ),
  });
  return own.length === 1;
}

/**
 * Stores what a job has done, unless another job, or an abort, has come before it since it read the move. With the state `switched`,
 * the directory leads to the target from now on: that is the commit point of the move.
 * @returns the move as it is now; undefined: nothing is stored
 */
export async function saveMove(
  directory: D1Database,
  { websiteId, startedAt, turn }: Move,
  next: Move,
): Promise<Move | undefined> {
  const progress = JSON.stringify(next.progress);
  const { own } = await runNamed(directory, {
    home:
      next.state === "switched"
        ? prepare(
            directory,
            sql`UPDATE homes SET database = ${next.target} WHERE website_id = ${websiteId} AND EXISTS (
              SELECT 1 FROM moves WHERE website_id = ${websiteId} AND started_at = ${startedAt} AND turn = ${turn})`,
          )
        : null,
    move: prepare(
      directory,
      sql`UPDATE moves SET state = ${next.state}, worked_at = ${next.workedAt}, ended_at = ${next.endedAt},
          progress = ${progress}, copied_rows = ${next.copiedRows}, compared_rows = ${next.comparedRows},
          total_rows = ${next.totalRows}, problem = ${next.problem}, turn = turn + 1
        WHERE website_id = ${websiteId} AND started_at = ${startedAt} AND turn = ${turn}`,
    ),
    own: prepare(
      directory,
      sql`SELECT * FROM moves WHERE website_id = ${websiteId} AND started_at = ${startedAt} AND turn = ${turn + 1}
        AND state = ${next.state} AND progress = ${progress}`,
    ),
  });
  const [row] = own as MoveRow[];
  return row && toMove(row);
}

/** Stores why the latest job of a move has failed, unless another job has got further since. */
export async function noteProblem(
  directory: D1Database,
  { websiteId, startedAt, turn }: Move,
  problem: string,
): Promise<void> {
  await runBatch(directory, [
    prepare(
      directory,
      sql`UPDATE moves SET problem = ${problem}
        WHERE website_id = ${websiteId} AND started_at = ${startedAt} AND turn = ${turn}`,
    ),
  ]);
}

export async function deleteMove(directory: D1Database, { websiteId, startedAt }: Move): Promise<void> {
  await runBatch(directory, [
    prepare(
      directory,
      sql`DELETE FROM moves WHERE website_id = ${websiteId} AND started_at = ${startedAt} AND ended_at IS NOT NULL`,
    ),
  ]);
}

/** Stores the rows by which look-ups of clients and senders find the website, wherever it is. */
export async function keepRoutes(
  directory: D1Database,
  home: number,
  { clientIds, senders }: { clientIds: string[]; senders: { carrier: string; sender: string }[] },
): Promise<void> {
  await runBatch(directory, [
    prepare(
      directory,
      sql`INSERT INTO client_homes (client_id, home) SELECT value, ${home} FROM json_each(${JSON.stringify(clientIds)})
        WHERE true ON CONFLICT DO NOTHING`,
    ),
    prepare(
      directory,
      sql`INSERT INTO sender_homes (carrier, sender, home)
        SELECT value ->> 'carrier', value ->> 'sender', ${home} FROM json_each(${JSON.stringify(senders)})
        WHERE true ON CONFLICT DO NOTHING`,
    ),
  ]);
}

/** The clients and senders that lead to the website, from its own rows. */
export async function readRoutes(db: D1Database, websiteId: string) {
  const { clients, senders } = await runNamed(db, {
    clients: prepare(db, sql`SELECT client_id FROM clients WHERE website_id = ${websiteId}`),
    senders: prepare(
      db,
      sql`SELECT carrier, sender FROM websites WHERE website_id = ${websiteId} AND sender IS NOT NULL
        UNION SELECT carrier, sender FROM former_senders WHERE website_id = ${websiteId}`,
    ),
  });
  return {
    clientIds: (clients as { client_id: string }[]).map(({ client_id }) => client_id),
    senders: senders as { carrier: string; sender: string }[],
  };
}
