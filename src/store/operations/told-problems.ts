// The problems that the sweep has found, while they last and 30 days longer, and when somebody was told of each.
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
  /** When somebody was last told of it, of its end as well; 0: never. */
  toldAt: number;
  /** null: it lasts. */
  endedAt: number | null;
  /** What it concerned when it began. */
  detail: Partial<ProblemDetail>;
}

const COLUMNS = piece("problem, subject, began_at AS beganAt, told_at AS toldAt, ended_at AS endedAt, detail");

/** Those that last. */
export async function readOpen(db: D1Database): Promise<ToldProblem[]> {
  return readRows(db, sql`SELECT ${COLUMNS} FROM told_problems WHERE ended_at IS NULL`);
}

/** Those that have ended since a time, of whose begin somebody was told, and of whose end nobody. */
export async function readUntoldEnds(db: D1Database, since: number): Promise<ToldProblem[]> {
  return readRows(
    db,
    sql`SELECT ${COLUMNS} FROM told_problems WHERE ended_at > ${since} AND told_at > 0 AND told_at <= ended_at`,
  );
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

/** How long an ended problem is kept. */
const KEPT_MILLISECONDS = 30 * DAY_MILLISECONDS;

/**
 * Stores which problems have begun, and which have ended now; and deletes those that are too old. One that begins again as it began
 * before, lasts again.
 */
export async function storeProblems(
  db: D1Database,
  begun: ToldProblem[],
  ended: ToldProblem[],
  now: number,
): Promise<void> {
  const rowsOf = (some: ToldProblem[]) =>
    JSON.stringify(
      some.map(({ problem, subject, beganAt, detail }) => [problem, subject, beganAt, JSON.stringify(detail)]),
    );
  await runBatch(db, [
    prepare(
      db,
      sql`INSERT INTO told_problems (problem, subject, began_at, told_at, detail)
        SELECT value ->> 0, value ->> 1, value ->> 2, 0, value ->> 3 FROM json_each(${rowsOf(begun)}) WHERE true
        ON CONFLICT (problem, subject, began_at)
          DO UPDATE SET told_at = iif(told_at > ended_at, 0, told_at), ended_at = NULL WHERE ended_at < ${now}`,
    ),
    prepare(
      db,
      sql`UPDATE told_problems SET ended_at = ${now} WHERE ended_at IS NULL
        AND (problem, subject, began_at) IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(${rowsOf(ended)}))`,
    ),
    prepare(db, sql`DELETE FROM told_problems WHERE ended_at <= ${now - KEPT_MILLISECONDS}`),
  ]);
}

/** Somebody was told of its begin, or, where it has ended, of its end. */
export async function storeTold(
  db: D1Database,
  { problem, subject, beganAt, endedAt }: ToldProblem,
  now: number,
): Promise<void> {
  await runBatch(db, [
    prepare(
      db,
      sql`UPDATE told_problems SET told_at = max(told_at, ${now}, ${endedAt === null ? 0 : endedAt + 1})
        WHERE problem = ${problem} AND subject = ${subject} AND began_at = ${beganAt}`,
    ),
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
