import { runBatch, runNamed, runQuery, toJsonLists } from "../database.ts";
import type { DeadJobRow } from "../rows.ts";
import { piece, prepare, sql } from "../sql.ts";

/** A job that has used up its tries. */
export interface DeadJob {
  /** The queue's id of the job. */
  id: string;
  queue: string;
  /** JSON */
  body: string;
  /** Milliseconds since 1970. */
  diedAt: number;
  /** Error of the last try; null if unknown. */
  error: string | null;
  putBackAt: number | null;
}

/** Storing a job again changes nothing. */
export async function insertDeadJobs(db: D1Database, jobs: Omit<DeadJob, "putBackAt">[]): Promise<void> {
  for (const list of toJsonLists(jobs)) {
    await runBatch(db, [
      prepare(
        db,
        sql`INSERT INTO dead_jobs (id, queue, body, died_at, error)
          SELECT value ->> 'id', value ->> 'queue', value ->> 'body', value ->> 'diedAt', value ->> 'error'
          FROM json_each(${list}) WHERE true
          ON CONFLICT (id) DO NOTHING`,
      ),
    ]);
  }
}

/** Newest first. @param before id of the last job of the previous page; null for the first page */
export async function listDeadJobs(db: D1Database, before: string | null, limit: number): Promise<DeadJob[]> {
  const isOlder =
    before === null
      ? piece("true")
      : sql`(died_at, id) < ((SELECT d.died_at FROM dead_jobs d WHERE d.id = ${before}), ${before})`;
  const query = prepare(
    db,
    sql`SELECT * FROM dead_jobs WHERE ${isOlder} ORDER BY died_at DESC, id DESC LIMIT ${limit}`,
  );
  return (await runQuery<DeadJobRow>(query)).map(toDeadJob);
}

export async function findDeadJob(db: D1Database, id: string): Promise<DeadJob | undefined> {
  const [row] = await runQuery<DeadJobRow>(prepare(db, sql`SELECT * FROM dead_jobs WHERE id = ${id}`));
  return row && toDeadJob(row);
}

/** Jobs that were never requeued, oldest first. */
export async function listWaitingDeadJobs(db: D1Database, limit: number): Promise<DeadJob[]> {
  const query = prepare(db, sql`SELECT * FROM dead_jobs WHERE put_back_at IS NULL ORDER BY died_at LIMIT ${limit}`);
  return (await runQuery<DeadJobRow>(query)).map(toDeadJob);
}

/** @returns the number of jobs that were never requeued, 1,000 at most */
export async function markRequeued(db: D1Database, ids: string[], now: number): Promise<number> {
  const { left } = await runNamed(db, {
    marked: prepare(
      db,
      sql`UPDATE dead_jobs SET put_back_at = ${now} WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
    ),
    left: prepare(
      db,
      sql`SELECT count(*) AS count FROM (SELECT 1 FROM dead_jobs WHERE put_back_at IS NULL LIMIT 1000)`,
    ),
  });
  return (left as { count: number }[])[0]?.count ?? 0;
}

function toDeadJob(row: DeadJobRow): DeadJob {
  return {
    id: row.id,
    queue: row.queue,
    body: row.body,
    diedAt: row.died_at,
    error: row.error,
    putBackAt: row.put_back_at,
  };
}
