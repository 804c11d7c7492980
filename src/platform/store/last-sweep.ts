import { DAY_MILLISECONDS } from "../../domain/day.ts";
import { parseJsonColumn, runNamed, runQuery } from "./database.ts";
import { keepSize } from "./database-state.ts";
import { giveHomes } from "./directory.ts";
import { SEEN } from "./events.ts";
import type { LastSweepRow } from "./rows.ts";

export interface LastSweep {
  /** Milliseconds since 1970. */
  endedAt: number;
  failedJobs: string[];
}

export function selectLastSweep(db: D1Database): D1PreparedStatement {
  return db.prepare("SELECT ended_at, failed_jobs FROM last_sweep WHERE only = 1");
}

/** @param rows of selectLastSweep @returns null: no sweep has ended yet */
export function toLastSweep(rows: unknown[]): LastSweep | null {
  const [row] = rows as LastSweepRow[];
  return row ? { endedAt: row.ended_at, failedJobs: parseJsonColumn<string[]>(row.failed_jobs, []) } : null;
}

export async function readLastSweep(db: D1Database): Promise<LastSweep | null> {
  return toLastSweep(await runQuery(selectLastSweep(db)));
}

/**
 * Where an older version has swept since, which keeps no counters (see daily-counts.ts), all of them are dropped: what it
 * changed in closed days is not in them. It knows neither callbacks that messages keep nor watched messages: the next sweep looks
 * for them. The size of the day is noted, and websites of before get their homes: next to nothing to do, so not worth a call of
 * their own.
 * @param hasDirectory whether it is the first database
 */
export async function recordSweep(
  db: D1Database,
  { endedAt, failedJobs }: LastSweep,
  hasDirectory = true,
): Promise<void> {
  await runNamed(db, {
    homes: hasDirectory ? giveHomes(db, endedAt) : null,
    size: keepSize(db, endedAt),
    uncounted: db.prepare(
      `UPDATE websites SET counted_until = 0 WHERE counted_until >
         iif((SELECT counts_kept_at = ended_at FROM last_sweep WHERE only = 1), ${Number.MAX_SAFE_INTEGER}, 0)`,
    ),
    unseen: db.prepare(
      `UPDATE event_batches_seen SET seq = (SELECT callbacks_seen FROM last_sweep WHERE only = 1)
       WHERE only = 1 AND seq > (SELECT callbacks_seen FROM last_sweep WHERE only = 1 AND callbacks_kept_at <> ended_at)`,
    ),
    sweep: db
      .prepare(
        `INSERT INTO last_sweep (only, ended_at, failed_jobs, counts_kept_at, counts_since,
           callbacks_kept_at, callbacks_since, callbacks_seen, callbacks_seen_today, pending_kept_at)
         VALUES (1, ?1, ?2, ?1, ?1, ?1, 0, ${SEEN}, ${SEEN}, ?1)
         ON CONFLICT (only) DO UPDATE SET ended_at = ?1, failed_jobs = ?2, counts_kept_at = ?1,
           counts_since = iif(counts_kept_at = ended_at, counts_since, ?1), callbacks_kept_at = ?1,
           callbacks_since = iif(callbacks_kept_at = ended_at, callbacks_since, ?1),
           callbacks_seen = CASE WHEN callbacks_kept_at IS NOT ended_at THEN ${SEEN}
             WHEN ended_at >= ?3 THEN callbacks_seen ELSE callbacks_seen_today END,
           callbacks_seen_today = iif(callbacks_kept_at = ended_at AND ended_at >= ?3, callbacks_seen_today, ${SEEN}),
           pending_kept_at = iif(pending_kept_at = ended_at, ?1, pending_kept_at)`,
      )
      .bind(endedAt, JSON.stringify(failedJobs), endedAt - (endedAt % DAY_MILLISECONDS)),
  });
}
