import { runBatch } from "./database.ts";

/** Keeps when the latest sweep ended, and which of its jobs failed. */
export async function recordSweep(db: D1Database, endedAt: number, failedJobs: string[]): Promise<void> {
  await runBatch(db, [
    db
      .prepare(
        `INSERT INTO last_sweep (only, ended_at, failed_jobs) VALUES (1, ?1, ?2)
         ON CONFLICT (only) DO UPDATE SET ended_at = ?1, failed_jobs = ?2`,
      )
      .bind(endedAt, JSON.stringify(failedJobs)),
  ]);
}
