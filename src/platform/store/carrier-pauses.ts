import { runBatch, runNamed, runQuery } from "./database.ts";
import { IS_OPEN } from "./moving.ts";
import type { CarrierPauseRow } from "./rows.ts";

/** Why submissions to a carrier pause. Times in milliseconds since 1970. */
export interface CarrierPause {
  carrier: string;
  /** The first opening since the carrier last answered. */
  since: number;
  openUntil: number;
  cause: string;
}

/** After a longer silence, an opening begins a new pause: the carrier may have worked in between, through other isolates. */
const SAME_PAUSE_MILLISECONDS = 900_000;

export async function storePause(
  db: D1Database,
  { carrier, openUntil, cause }: Omit<CarrierPause, "since">,
  now: number,
): Promise<void> {
  await runBatch(db, [
    db
      .prepare(
        `INSERT INTO carrier_pauses (carrier, since, opened_at, open_until, cause) VALUES (?1, ?2, ?2, ?3, ?4)
         ON CONFLICT (carrier) DO UPDATE SET since = iif(open_until < ?2 - ${SAME_PAUSE_MILLISECONDS}, ?2, since),
           opened_at = ?2, open_until = max(?3, iif(released_at >= opened_at, 0, open_until)), cause = ?4`,
      )
      .bind(carrier, now, openUntil, cause),
  ]);
}

/** The carrier has answered. @returns whether it had paused */
export async function endPause(db: D1Database, carrier: string): Promise<boolean> {
  const { ended } = await runNamed(db, {
    ended: db.prepare("DELETE FROM carrier_pauses WHERE carrier = ?1 RETURNING carrier").bind(carrier),
  });
  return ended.length > 0;
}

/** Lets the next submission through, in every isolate. @returns whether it had paused */
export async function releasePause(db: D1Database, carrier: string, now: number): Promise<boolean> {
  const { released } = await runNamed(db, {
    released: db
      .prepare(
        "UPDATE carrier_pauses SET released_at = ?2, open_until = min(open_until, ?2) WHERE carrier = ?1 RETURNING carrier",
      )
      .bind(carrier, now),
  });
  return released.length > 0;
}

/** @returns undefined: the carrier has not paused. Otherwise breakers that opened until `releasedAt` are to let one through. */
export async function readRelease(db: D1Database, carrier: string): Promise<{ releasedAt: number } | undefined> {
  const [row] = await runQuery<Pick<CarrierPauseRow, "released_at">>(
    db.prepare("SELECT released_at FROM carrier_pauses WHERE carrier = ?1").bind(carrier),
  );
  return row && { releasedAt: row.released_at ?? 0 };
}

export function selectPauses(db: D1Database): D1PreparedStatement {
  return db.prepare("SELECT carrier, since, opened_at, open_until, cause, released_at FROM carrier_pauses");
}

/** @param rows of selectPauses */
export function toPauses(rows: unknown[]): CarrierPause[] {
  return (rows as CarrierPauseRow[]).map(({ carrier, since, open_until, cause }) => ({
    carrier,
    since,
    openUntil: open_until,
    cause,
  }));
}

export async function readPauses(db: D1Database): Promise<CarrierPause[]> {
  return toPauses(await runQuery(selectPauses(db)));
}

/** Messages that one statement reads. All of them wait for a retry at the carrier. */
const READ_ROWS = 20_000;

/**
 * Makes messages due now that wait for a retry at a carrier.
 * @returns those that were, at most `most`: of one alone, that with the fewest attempts
 */
export async function takeRetries(
  db: D1Database,
  carrier: string,
  now: number,
  most: number,
): Promise<{ messageId: string; websiteId: string }[]> {
  const rows = await runQuery<{ message_id: string; website_id: string }>(
    db
      .prepare(
        `UPDATE messages SET retry_at = ?2, queued_at = ?2 WHERE message_id IN (
           SELECT p.message_id FROM (SELECT m.message_id, m.attempts
             FROM websites w INDEXED BY websites_by_sender CROSS JOIN messages m INDEXED BY messages_put_off
               ON m.website_id = w.website_id AND m.status = 'PENDING_TO_SEND' AND m.retry_at > ?2
             WHERE w.carrier = ?1 AND m.claimed_at IS NULL AND m.reason IS NOT NULL AND ${IS_OPEN("w.website_id")}
             LIMIT ${READ_ROWS}) p
           ORDER BY iif(?3 = 1, p.attempts, 0) LIMIT ?3)
         RETURNING message_id, website_id`,
      )
      .bind(carrier, now, most),
  );
  return rows.map((row) => ({ messageId: row.message_id, websiteId: row.website_id }));
}
