import type { Deps } from "../../deps.ts";
import { describeError } from "../../platform/describe-error.ts";
import { addCountsOnce } from "../../store/operations/counts.ts";
import { minuteOf, type OutcomeCount, toCounts } from "../../store/operations/outcome-counts.ts";

type Outcome = Pick<OutcomeCount, "kind" | "carrier" | "outcome">;

/** Adds up outcomes by minute. @param outcomes `at`: when it ended, by nextTime */
export function sumOutcomes(outcomes: (Outcome & { at: number })[]): OutcomeCount[] {
  const timed = outcomes.map((outcome) => ({ ...outcome, minute: minuteOf(outcome.at) }));
  const alike = Map.groupBy(timed, ({ kind, carrier, outcome, minute }) =>
    JSON.stringify([minute, kind, carrier, outcome]),
  );
  return [...alike.values()].flatMap((some) => {
    const [{ at, ...first }, last] = [some[0], some.at(-1)] as [(typeof timed)[0], (typeof timed)[0]];
    return { ...first, count: some.length, firstAt: at, lastAt: last.at };
  });
}

/** The clock of a Worker may stand still from one outcome to the next: they still keep their order. */
export function nextTime({ now, lastOutcome }: Deps): number {
  lastOutcome.at = Math.max(now(), lastOutcome.at + 1);
  return lastOutcome.at;
}

/** Stores counts in the background. Those that cannot be stored are lost. */
export function storeLater(deps: Deps, counts: OutcomeCount[]): void {
  if (counts.length > 0) deps.waitUntil(store(deps, counts));
}

async function store(deps: Deps, counts: OutcomeCount[]): Promise<void> {
  try {
    await addCountsOnce(deps.db, toCounts(counts));
  } catch (error) {
    deps.log("error", "outcomes.not-counted", { count: counts.length, error: describeError(error) });
  }
}
