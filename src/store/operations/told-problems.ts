// The problems that an operator has been told of, while they last.
import { runBatch, runQuery } from "../database.ts";
import { prepare, sql } from "../sql.ts";

/** Times in milliseconds since 1970. */
export interface ToldProblem {
  problem: string;
  /** The carrier or client that it concerns; `""`: the service. */
  subject: string;
  beganAt: number;
  toldAt: number;
}

type Key = Pick<ToldProblem, "problem" | "subject">;

export async function readTold(db: D1Database): Promise<ToldProblem[]> {
  const rows = await runQuery<{ problem: string; subject: string; began_at: number; told_at: number }>(
    prepare(db, sql`SELECT problem, subject, began_at, told_at FROM told_problems`),
  );
  return rows.map(({ began_at, told_at, ...key }) => ({ ...key, beganAt: began_at, toldAt: told_at }));
}

export async function storeTold(db: D1Database, { problem, subject, beganAt, toldAt }: ToldProblem): Promise<void> {
  await runBatch(db, [
    prepare(
      db,
      sql`INSERT INTO told_problems (problem, subject, began_at, told_at)
        VALUES (${problem}, ${subject}, ${beganAt}, ${toldAt})
        ON CONFLICT (problem, subject) DO UPDATE SET told_at = max(told_at, excluded.told_at)`,
    ),
  ]);
}

export async function deleteTold(db: D1Database, { problem, subject }: Key): Promise<void> {
  await runBatch(db, [prepare(db, sql`DELETE FROM told_problems WHERE problem = ${problem} AND subject = ${subject}`)]);
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
