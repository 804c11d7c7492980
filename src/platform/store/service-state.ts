import { type CarrierStates, KEYWORD_MILLISECONDS, type Load } from "../../domain/service-state.ts";
import { parseJsonColumn, runBatch, runNamed, runQuery } from "./database.ts";
import { countWithoutEffect } from "./inbound.ts";
import type { LastSweepRow, LoadRow, WebsiteRow } from "./rows.ts";

/** Maximum rows counted per state: a backlog of any size is counted in the same time. */
export const COUNTED_ROWS = 10_000;

/** Times in milliseconds since 1970. */
export interface StateCounts {
  /** By carrier. */
  messages: Map<string, CarrierStates>;
  callbacks: { due: Load; claimed: Load };
  deadJobs: Load;
  credentialsBehind: Load;
  /** In the last day. */
  keywordsWithoutEffect: Load;
  lastSweep: { endedAt: number; failedJobs: string[] } | null;
  /** A state has more rows than were counted; the oldest were counted. */
  isCut: boolean;
}

/**
 * Counts waiting rows by state. Each statement reads an index of its state and stops after COUNTED_ROWS; the statement about
 * credentials reads all clients.
 * @param stuckBefore the run of a message claimed before this time has ended
 */
export async function countStates(
  db: D1Database,
  { now, stuckBefore }: { now: number; stuckBefore: number },
): Promise<StateCounts> {
  const rows = await runNamed(db, {
    pending: pending(db, now, stuckBefore),
    sending: sending(db),
    // Since it was due: the sweep and a slow endpoint reset queued_at.
    callbacksDue: load(db, "occurred_at", "events WHERE callback_due = 1 AND attempted_at IS NULL ORDER BY queued_at"),
    callbacksClaimed: load(
      db,
      "attempted_at",
      "events WHERE attempted_at IS NOT NULL AND outcome IS NULL ORDER BY attempted_at",
    ),
    deadJobs: load(db, "died_at", "dead_jobs WHERE put_back_at IS NULL ORDER BY died_at"),
    credentialsBehind: db.prepare(
      `SELECT count(*) AS count, min(changed_at) AS oldest_at FROM clients
       WHERE copied_at IS NULL OR copied_at < changed_at`,
    ),
    keywordsWithoutEffect: countWithoutEffect(db, now - KEYWORD_MILLISECONDS, COUNTED_ROWS),
    lastSweep: db.prepare("SELECT ended_at, failed_jobs FROM last_sweep"),
  });
  const [swept] = rows.lastSweep as LastSweepRow[];
  const { pending: waiting, sending: sent, callbacksDue, callbacksClaimed, deadJobs, keywordsWithoutEffect } = rows;
  const counted = [waiting, sent, callbacksDue, callbacksClaimed, deadJobs, keywordsWithoutEffect];
  return {
    messages: byCarrier([...rows.pending, ...rows.sending] as CarrierLoadRow[]),
    callbacks: { due: toLoad(rows.callbacksDue), claimed: toLoad(rows.callbacksClaimed) },
    deadJobs: toLoad(rows.deadJobs),
    credentialsBehind: toLoad(rows.credentialsBehind),
    keywordsWithoutEffect: toLoad(keywordsWithoutEffect),
    lastSweep: swept ? { endedAt: swept.ended_at, failedJobs: parseJsonColumn<string[]>(swept.failed_jobs, []) } : null,
    isCut: counted.some((some) => sum(some) >= COUNTED_ROWS),
  };
}

/** An unclaimed message will go to its website's current carrier. */
function pending(db: D1Database, now: number, stuckBefore: number): D1PreparedStatement {
  return db
    .prepare(
      `SELECT state, carrier, count(*) AS count, min(since) AS oldest_at FROM (
         SELECT CASE WHEN claimed_at <= ?2 THEN 'stuck' WHEN claimed_at IS NOT NULL THEN 'claimed'
             WHEN retry_at > ?1 THEN 'retrying' ELSE 'waiting' END AS state,
           coalesce(iif(claimed_at IS NULL, NULL, carrier), (SELECT w.carrier FROM websites w
             WHERE w.website_id = p.website_id), '') AS carrier,
           coalesce(claimed_at, iif(retry_at <= ?1, retry_at, accepted_at)) AS since
         FROM (SELECT website_id, carrier, claimed_at, retry_at, accepted_at FROM messages
           WHERE status = 'PENDING_TO_SEND' ORDER BY queued_at LIMIT ${COUNTED_ROWS}) p
       ) GROUP BY state, carrier`,
    )
    .bind(now, stuckBefore);
}

function sending(db: D1Database): D1PreparedStatement {
  return db.prepare(
    `SELECT 'withoutReceipt' AS state, coalesce(carrier, '') AS carrier, count(*) AS count, min(updated_at) AS oldest_at
     FROM (SELECT carrier, updated_at FROM messages WHERE status = 'SENDING' ORDER BY updated_at LIMIT ${COUNTED_ROWS})
     GROUP BY carrier`,
  );
}

function load(db: D1Database, time: string, rows: string): D1PreparedStatement {
  return db.prepare(
    `SELECT count(*) AS count, min(since) AS oldest_at
     FROM (SELECT ${time} AS since FROM ${rows} LIMIT ${COUNTED_ROWS})`,
  );
}

function toLoad([row]: unknown[]): Load {
  const load = row as LoadRow | undefined;
  return { count: load?.count ?? 0, oldestAt: load?.oldest_at ?? null };
}

function sum(rows: unknown[]): number {
  return (rows as LoadRow[]).reduce((total, { count }) => total + count, 0);
}

interface CarrierLoadRow extends LoadRow {
  carrier: string;
  state: keyof CarrierStates;
}

function byCarrier(rows: CarrierLoadRow[]): Map<string, CarrierStates> {
  const carriers = new Map<string, CarrierStates>();
  for (const row of rows) {
    const states = carriers.get(row.carrier) ?? {};
    carriers.set(row.carrier, { ...states, [row.state]: toLoad([row]) });
  }
  return carriers;
}

export async function listCarriersInUse(db: D1Database): Promise<string[]> {
  return (await runQuery<Pick<WebsiteRow, "carrier">>(db.prepare("SELECT DISTINCT carrier FROM websites"))).map(
    (row) => row.carrier,
  );
}

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
