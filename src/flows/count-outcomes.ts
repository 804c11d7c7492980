import type { Deps } from "../deps.ts";
import type { LogFields } from "../log.ts";
import { describeError } from "../platform/describe-error.ts";
import { addOutcomes, type OutcomeCount } from "../platform/store/outcome-counts.ts";

/**
 * Runs work and counts the submissions and callbacks that it logs, so that what is counted and what is logged cannot
 * differ. The counts are stored in the end, after the answer; counts that cannot be stored are missing.
 */
export async function countOutcomes<T>(deps: Deps, work: (counting: Deps) => Promise<T>): Promise<T> {
  const counts = new Map<string, OutcomeCount>();
  let isStored = false;
  const log: Deps["log"] = (level, event, fields = {}) => {
    const ended = toOutcome(event, fields);
    // Of work that goes on in the background.
    if (ended && isStored) deps.waitUntil(store(deps, [{ ...ended, count: 1 }]));
    else if (ended) {
      const key = JSON.stringify(ended);
      counts.set(key, { ...ended, count: (counts.get(key)?.count ?? 0) + 1 });
    }
    deps.log(level, event, fields);
  };
  try {
    // No copy: what is replaced in deps while the work runs is replaced for the work too.
    return await work(Object.assign(Object.create(deps) as Deps, { log }));
  } finally {
    isStored = true;
    if (counts.size > 0) deps.waitUntil(store(deps, [...counts.values()]));
  }
}

function toOutcome(
  event: string,
  { carrier, outcome, httpStatus }: LogFields,
): Omit<OutcomeCount, "count"> | undefined {
  if (event === "message.submitted") {
    return { kind: "submission", carrier: String(carrier), outcome: String(outcome) };
  }
  if (event !== "callback.posted") return undefined;
  const isTaken = typeof httpStatus === "number" && httpStatus < 300;
  const answer = isTaken ? "accepted" : "refused";
  return { kind: "callback", carrier: "", outcome: outcome === "answered" ? answer : String(outcome) };
}

async function store(deps: Deps, counts: OutcomeCount[]): Promise<void> {
  try {
    await addOutcomes(deps.db, counts, deps.now());
  } catch (error) {
    deps.log("error", "outcomes.not-counted", { count: counts.length, error: describeError(error) });
  }
}
