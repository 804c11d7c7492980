// Pure. Bounds what an isolate looks up for callers whom nobody knows: they may be guesses.

const SECOND = 1000;

/** For so long, what was looked up in vain is not looked up again, of so many: a client repeats it, or a flood. */
const MISSING_MILLISECONDS = 5000;
const MISSING_ENTRIES = 1000;

interface Bounds {
  /** Look-ups a second that find nothing, once half as many have found nothing in this second or in the one before. */
  inFlood: number;
  /** Look-ups a second that have found nothing so far, those under way included. */
  otherwise: number;
}

/** To be told how a look-up ended. Of one that failed, or whose request was cut off, nothing is told. */
export interface Lookup {
  found(): void;
  missed(): void;
}

/**
 * A look-up that finds something does not count: so only a flood of guesses keeps a stranger out, never other strangers. One
 * address has at most half of the budget, so that it alone keeps nobody out who comes from another.
 */
export class LookupBudget {
  readonly #bounds: Bounds;
  #second = Number.NEGATIVE_INFINITY;
  /** Of this second, as all that follows. */
  #used = 0;
  readonly #usedBy = new Map<string, number>();
  /** The same without what an address has used beyond half of `inFlood`, before the flood was one. */
  #usedInFlood = 0;
  #missed = 0;
  #wasFlood = false;
  /** Until when each counts as missing; the oldest first. */
  readonly #missing = new Map<string, number>();

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** @param address of the caller */
  take(what: string, address: string, now: number): Lookup | "missing" | "exceeded" {
    if (now < (this.#missing.get(what) ?? 0)) return "missing";
    this.#turn(now);
    const isFlood = this.#wasFlood || this.#isFlood();
    const most = isFlood ? this.#bounds.inFlood : this.#bounds.otherwise;
    const used = isFlood ? this.#usedInFlood : this.#used;
    if (used >= most || (this.#usedBy.get(address) ?? 0) >= most / 2) return "exceeded";
    this.#count(address, 1);
    const second = this.#second;
    return {
      found: () => {
        if (second === this.#second) this.#count(address, -1);
      },
      missed: () => {
        this.#missed += 1;
        this.#keepMissing(what, now);
      },
    };
  }

  /** Something was made that may have been looked up before. */
  forget(): void {
    this.#missing.clear();
  }

  #isFlood(): boolean {
    return this.#missed >= this.#bounds.inFlood / 2;
  }

  #turn(now: number): void {
    const age = now - this.#second;
    if (age >= 0 && age < SECOND) return;
    this.#wasFlood = age < 2 * SECOND && this.#isFlood();
    this.#second = now;
    this.#used = 0;
    this.#usedBy.clear();
    this.#usedInFlood = 0;
    this.#missed = 0;
  }

  #count(address: string, by: 1 | -1): void {
    const before = this.#usedBy.get(address) ?? 0;
    const after = before + by;
    const share = this.#bounds.inFlood / 2;
    this.#used += by;
    this.#usedBy.set(address, after);
    this.#usedInFlood += Math.min(after, share) - Math.min(before, share);
  }

  #keepMissing(what: string, now: number): void {
    const oldest = this.#missing.keys().next();
    if (this.#missing.size >= MISSING_ENTRIES && !oldest.done) this.#missing.delete(oldest.value);
    this.#missing.delete(what);
    this.#missing.set(what, now + MISSING_MILLISECONDS);
  }
}
