import type { Deps } from "../../deps.ts";
import { describeError } from "../../platform/describe-error.ts";
import { addOutcomes, minuteOf, type OutcomeCount } from "../../store/operations/outcome-counts.ts";

type Outcome = Pick<OutcomeCount, "kind" | "carrier" | "outcome">;

/** Counts how submissions and callbacks end. Counts that cannot be stored are lost. */
export class OutcomeTally {
  readonly #deps: Deps;
  readonly #counts = new Map<string, OutcomeCount>();
  #isStored = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  add(outcome: Outcome): void {
    const at = nextTime(this.#deps);
    this.#add({ ...outcome, minute: minuteOf(at), count: 1, firstAt: at, lastAt: at });
  }

  #add(count: OutcomeCount): void {
    const key = JSON.stringify([count.minute, count.kind, count.carrier, count.outcome]);
    // Work in the background goes on after the tally is stored: each of its outcomes is stored by itself.
    if (this.#isStored) return void this.#storeLater([count]);
    const before = this.#counts.get(key) ?? { ...count, count: 0 };
    this.#counts.set(key, {
      ...count,
      count: before.count + count.count,
      firstAt: Math.min(before.firstAt, count.firstAt),
      lastAt: Math.max(before.lastAt, count.lastAt),
    });
  }

  /** Hands over the counts so far: the caller stores them in the transaction of the outcomes. */
  take(): OutcomeCount[] {
    const counts = [...this.#counts.values()];
    this.#counts.clear();
    return counts;
  }

  /** Takes back counts whose transaction had no effect. */
  putBack(counts: OutcomeCount[]): void {
    for (const count of counts) this.#add(count);
  }

  /** One statement for the counts that are left, after the job is acknowledged. */
  store(): void {
    this.#isStored = true;
    if (this.#counts.size > 0) this.#storeLater([...this.#counts.values()]);
  }

  #storeLater(counts: OutcomeCount[]): void {
    this.#deps.waitUntil(store(this.#deps, counts));
  }
}

/** The clock of a Worker may stand still from one outcome to the next: they still keep their order. */
function nextTime({ now, lastOutcome }: Deps): number {
  lastOutcome.at = Math.max(now(), lastOutcome.at + 1);
  return lastOutcome.at;
}

/** Runs work with a tally, and stores the tally when the work has ended or failed. */
export async function countOutcomes<T>(deps: Deps, work: (tally: OutcomeTally) => Promise<T>): Promise<T> {
  const tally = new OutcomeTally(deps);
  try {
    return await work(tally);
  } finally {
    tally.store();
  }
}

async function store(deps: Deps, counts: OutcomeCount[]): Promise<void> {
  try {
    await addOutcomes(deps.db, counts);
  } catch (error) {
    deps.log("error", "outcomes.not-counted", { count: counts.length, error: describeError(error) });
  }
}
