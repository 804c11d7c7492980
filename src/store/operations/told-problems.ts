// The problems that an operator has been told of, while they last and 30 days longer.
import { DAY_MILLISECONDS } from "../../domain/day.ts";
import type { ProblemDetail } from "../../domain/operations/problems.ts";
import { parseJsonColumn, runBatch, runQuery } from "../database.ts";
import { piece, prepare, type Sql, sql } from "../sql.ts";

/** Times in milliseconds since 1970. */
export interface ToldProblem {
  problem: string;
  /** The carrier or client that it concerns; `""`: the service. */
  subject: string;
  beganAt: number;
  toldAt: number;
  /** null: it lasts. */
  endedAt: number | null;
  /** What it concerned when it began. */
  detail: Partial<ProblemDetail>;
}

const COLUMNS = piece("problem, subject, began_at AS beganAt, told_at AS toldAt, ended_at AS endedAt, detail");

/** Those that last. */
export async function readTold(db: D1Database): Promise<ToldProblem[]> {
  return readRows(db, sql`SELECT ${COLUMNS} FROM told_problems WHERE ended_at IS NULL`);
}

/** The latest, at most `most`: those that last, and those that have ended since a time. */
export async function readHistory(db: D1Database, since: number, most: number): Promise<ToldProblem[]> {
  return readRows(
    db,
    sql`SELECT * FROM (SELECT ${COLUMNS} FROM told_problems WHERE ended_at IS NULL LIMIT ${most})
      UNION ALL SELECT * FROM (SELECT ${COLUMNS} FROM told_problems WHERE ended_at > ${since} ORDER BY ended_at DESC LIMIT ${most})
      ORDER BY beganAt DESC LIMIT ${most}`,
  );
}

async function readRows(db: D1Database, query: Sql): Promise<ToldProblem[]> {
  const rows = await runQuery<Omit<ToldProblem, "detail"> & { detail: string }>(prepare(db, query));
  return rows.map((row) => ({ ...row, detail: parseJsonColumn<ToldProblem["detail"]>(row.detail, {}) }));
}

/** One that begins again as it began before, lasts again. */
export async function storeTold(db: D1Database, told: ToldProblem): Promise<void> {
  const { problem, subject, beganAt, toldAt, detail } = told;
  await runBatch(db, [
    prepare(
      db,
      sql`INSERT INTO told_problems (problem, subject, began_at, told_at, detail)
        VALUES (${problem}, ${subject}, ${beganAt}, ${toldAt}, ${JSON.stringify(detail)})
        ON CONFLICT (problem, subject, began_at) DO UPDATE SET told_at = max(told_at, excluded.told_at), ended_at = NULL`,
    ),
  ]);
}

/** How long an ended problem is kept. */
const KEPT_MILLISECONDS = 30 * DAY_MILLISECONDS;

/** Keeps it as ended, and deletes those that are too old. */
export async function endTold(db: D1Database, told: ToldProblem, now: number): Promise<void> {
  const { problem, subject, beganAt } = told;
  await runBatch(db, [
    prepare(
      db,
      sql`UPDATE told_problems SET ended_at = ${now} WHERE problem = ${problem} AND subject = ${subject}
        AND began_at = ${beganAt} AND ended_at IS NULL`,
    ),
    prepare(db, sql`DELETE FROM told_problems WHERE ended_at <= ${now - KEPT_MILLISECONDS}`),
  ]);
}

/** While the database itself does not answer, KV keeps the problem that an operator has been told of. */
const AWAY_KEY = "told:database-away";

export function readAway(kv: KVNamespace): Promise<ToldProblem | null> {
  return kv.get<ToldProblem>(AWAY_KEY, "json");
}

export function storeAway(kv: KVNamespace, told: ToldProblem): Promise<void> {
  return kv.put(AWAY_KEY, JSON.stringify(told));
}

export function deleteAway(kv: KVNamespace): Promise<void> {
  return kv.delete(AWAY_KEY);
}
