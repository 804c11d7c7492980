// Pure. Bounds the look-ups that an isolate makes for callers whom nobody knows: they may be guesses.

const SECOND = 1000;

interface Bounds {
  /** Look-ups a second that find nothing, once so many have found nothing in a second. */
  inFlood: number;
  /** Look-ups a second that have found nothing so far, those under way included. */
  otherwise: number;
}

/** To be told how a look-up ended; of one that failed, or whose request was cut off, nothing is ever told. */
export interface Lookup {
  found(): void;
  missed(): void;
}

/**
 * What is found does not count, so it bounds nobody who follows a real link or has the right secret, but in a second in which
 * guesses have used it up. Half of it is the most for one address, so that one alone does not use it up.
 */
export class LookupBudget {
  readonly #bounds: Bounds;
  #second = Number.NEGATIVE_INFINITY;
  #used = 0;
  #missed = 0;
  #isFlood = false;
  /** Of this second. */
  readonly #usedBy = new Map<string, number>();

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** @returns undefined when there is none left in this second */
  take(address: string, now: number): Lookup | undefined {
    this.#turn(now);
    const most = this.#isFlood || this.#missed >= this.#bounds.inFlood ? this.#bounds.inFlood : this.#bounds.otherwise;
    const usedBy = this.#usedBy.get(address) ?? 0;
    if (this.#used >= most || usedBy >= most / 2) return undefined;
    this.#count(address, 1);
    const second = this.#second;
    return {
      found: () => {
        if (second === this.#second) this.#count(address, -1);
      },
      missed: () => {
        this.#missed += 1;
      },
    };
  }

  #turn(now: number): void {
    const age = now - this.#second;
    if (age >= 0 && age < SECOND) return;
    this.#isFlood = age < 2 * SECOND && this.#missed >= this.#bounds.inFlood;
    this.#second = now;
    this.#used = 0;
    this.#missed = 0;
    this.#usedBy.clear();
  }

  #count(address: string, by: 1 | -1): void {
    const usedBy = (this.#usedBy.get(address) ?? 0) + by;
    this.#used += by;
    if (usedBy > 0) this.#usedBy.set(address, usedBy);
    else this.#usedBy.delete(address);
  }
}
