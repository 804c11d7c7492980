// The fence of a transaction. D1 runs one transaction after another, but it may run one long after its caller has given it up. So each try
// has a number and a deadline, and its first statement fails, which rolls the transaction back, if the deadline has passed by D1's own clock, or
// a later try of the same call has run. A later try ends those before it: either they ran, and it finds their work done, or they never run.
import { STORE_CLOCKS_MILLISECONDS } from "../domain/messages/retry-policy.ts";
import { prepare, sql } from "./sql.ts";

/** The constraint that a try violates which may no longer run. */
export const FENCE = "try_is_over";

/** Like the clock of D1, it goes on while a test holds Date. */
const realTime = Date.now;

/** One try of a call. */
export interface Try {
  /** Names the call: all of its tries have it. */
  call: string;
  /** From 1. */
  number: number;
}

/** What a transaction begins with. The first statement writes nothing while the try may run. */
export function fence(db: D1Database, { call, number }: Try, milliseconds: number): D1PreparedStatement[] {
  const now = realTime();
  const deadline = now + milliseconds + STORE_CLOCKS_MILLISECONDS;
  const own = prepare(
    db,
    sql`INSERT INTO late_tries SELECT 1 WHERE unixepoch('subsec') * 1000 > ${deadline}
      OR EXISTS (SELECT 1 FROM ended_tries WHERE call = ${call} AND latest >= ${number})`,
  );
  if (number === 1) return [own];
  const before = prepare(
    db,
    sql`INSERT INTO ended_tries (call, latest, ended_at) VALUES (${call}, ${number - 1}, ${now})
      ON CONFLICT (call) DO UPDATE SET latest = max(latest, excluded.latest)`,
  );
  return [own, before];
}
