import type { Deps } from "../../deps.ts";
import type { DatabaseState } from "../../domain/databases/database-state.ts";
import { ageSeconds } from "../../domain/operations/service-state.ts";
import { describeError } from "../../platform/describe-error.ts";
import { withinTime } from "../../platform/time-limit.ts";
import { failingStatus } from "../../store/database.ts";
import { LIMIT_BYTES, readStoredState, type StoredState } from "../../store/databases/database-state.ts";
import { inParallel } from "../in-parallel.ts";
import { CONNECTIONS } from "../messages/connections.ts";
import { inEach } from "./places.ts";

export interface BoundDatabase extends DatabaseState {
  /** Its first sweep: milliseconds since 1970. */
  sweptSince: number | null;
}

const ANSWER_MILLISECONDS = 5000;

/** Where the first is away, it is not known which are missing. */
export async function readDatabases(deps: Deps): Promise<BoundDatabase[]> {
  const bound = inEach(deps);
  const states = await inParallel(bound, CONNECTIONS, readState);
  const unbound = states.flatMap(({ used }) => used).filter((name) => !bound.some(({ database }) => database === name));
  const all = [...states, ...unbound.map((database) => ({ database, status: "unbound" as const, ...NOTHING }))];
  const now = deps.now();
  return all.map(({ endedAt, used: _, ...state }) => ({
    ...state,
    limitBytes: LIMIT_BYTES,
    daysLeft: daysLeft(state),
    sweptAt: endedAt === null ? null : new Date(endedAt).toISOString(),
    sweepAgeSeconds: endedAt === null ? null : ageSeconds(endedAt, now),
  }));
}

const NOTHING: StoredState = { used: [], bytes: null, bytesPerDay: null, endedAt: null, sweptSince: null };

async function readState({ db, database, now, log }: Deps) {
  try {
    return { database, status: "ok" as const, ...(await withinTime(ANSWER_MILLISECONDS, readStoredState(db, now()))) };
  } catch (error) {
    log("error", "health.failing", { check: "database", database, error: describeError(error) });
    return { database, status: failingStatus(error), ...NOTHING };
  }
}

function daysLeft({ bytes, bytesPerDay }: Pick<StoredState, "bytes" | "bytesPerDay">): number | null {
  if (bytes === null || bytesPerDay === null || bytesPerDay <= 0) return null;
  return Math.max(0, Math.floor((LIMIT_BYTES - bytes) / bytesPerDay));
}
