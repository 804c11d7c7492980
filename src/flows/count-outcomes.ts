import type { Deps } from "../deps.ts";
import { describeError } from "../platform/describe-error.ts";
import { unguarded } from "../platform/store/guarded-database.ts";
import { addOutcomes, type OutcomeCount } from "../platform/store/outcome-counts.ts";

type Outcome = Omit<OutcomeCount, "count">;

/** Counts how submissions and callbacks end. Counts that cannot be stored are lost. */
export class OutcomeTally {
  readonly #deps: Deps;
  readonly #counts = new Map<string, OutcomeCount>();
  #isStored = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  add(outcome: Outcome): void {
    this.#add(outcome, 1);
  }

  #add(outcome: Outcome, count: number): void {
    const key = JSON.stringify([outcome.kind, outcome.carrier, outcome.outcome]);
    // Work in the background goes on after the tally is stored: each of its outcomes is stored by itself.
    if (this.#isStored) this.#storeLater([{ ...outcome, count }]);
    else this.#counts.set(key, { ...outcome, count: (this.#counts.get(key)?.count ?? 0) + count });
  }

  /** The counts so far, which the caller stores with something else. */
  take(): OutcomeCount[] {
    const counts = [...this.#counts.values()];
    this.#counts.clear();
    return counts;
  }

  /** Counts that could not be stored with something else. */
  putBack(counts: OutcomeCount[]): void {
    for (const { count, ...outcome } of counts) this.#add(outcome, count);
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
    await addOutcomes(unguarded(deps.db), counts, deps.now());
  } catch (error) {
    deps.log("error", "outcomes.not-counted", { count: counts.length, error: describeError(error) });
  }
}
