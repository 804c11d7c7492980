import { parseJsonColumn, runNamed, runQuery, runWrite } from "../database.ts";
import { keepSize } from "../databases/database-state.ts";
import { prepare, sql } from "../sql.ts";
import type { LastSweepRow } from "./rows.ts";

export interface LastSweep {
  /** Milliseconds since 1970. */
  endedAt: number;
  failedJobs: string[];
}

/** ALERT_URL takes no post. */
export interface AlertRefusal {
  /** Milliseconds since 1970. */
  since: number;
  /** What became of the latest post. */
  cause: string;
}

export function selectLastSweep(db: D1Database): D1PreparedStatement {
  return prepare(
    db,
    sql`SELECT ended_at, failed_jobs, alerts_refused_since, alerts_refusal FROM last_sweep WHERE only = 1`,
  );
}

/** @param rows of selectLastSweep @returns null: no sweep has ended yet */
export function toLastSweep(rows: unknown[]): LastSweep | null {
  const [row] = rows as LastSweepRow[];
  return row ? { endedAt: row.ended_at, failedJobs: parseJsonColumn<string[]>(row.failed_jobs, []) } : null;
}

/** @param rows of selectLastSweep @returns null: ALERT_URL took the latest post, or there was none */
export function toAlertRefusal(rows: unknown[]): AlertRefusal | null {
  const [row] = rows as LastSweepRow[];
  const since = row?.alerts_refused_since ?? null;
  return since === null ? null : { since, cause: row?.alerts_refusal ?? "" };
}

/** Stores what became of the latest post to ALERT_URL. @param cause null: it was taken */
export async function storeAlertRefusal(db: D1Database, cause: string | null, now: number): Promise<void> {
  await runWrite(
    db,
    prepare(
      db,
      sql`UPDATE last_sweep SET alerts_refused_since = iif(${cause} IS NULL, NULL, coalesce(alerts_refused_since, ${now})),
          alerts_refusal = ${cause}
        WHERE only = 1 AND alerts_refusal IS NOT ${cause}`,
    ),
  );
}

export async function readLastSweep(db: D1Database): Promise<LastSweep | null> {
  return toLastSweep(await runQuery(selectLastSweep(db)));
}

/** Stores the size of the day as well, which saves a call. A later end stays: two sweeps may overlap. */
export async function recordSweep(db: D1Database, { endedAt, failedJobs }: LastSweep): Promise<void> {
  await runNamed(db, {
    size: keepSize(db, endedAt),
    sweep: prepare(
      db,
      sql`INSERT INTO last_sweep (only, ended_at, failed_jobs, first_ended_at)
        VALUES (1, ${endedAt}, ${JSON.stringify(failedJobs)}, ${endedAt})
        ON CONFLICT (only) DO UPDATE SET ended_at = excluded.ended_at, failed_jobs = excluded.failed_jobs
          WHERE last_sweep.ended_at <= excluded.ended_at`,
    ),
  });
}
