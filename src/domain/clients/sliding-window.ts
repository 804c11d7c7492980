// Pure. An exact sliding-window limit: never more than `limit` admissions in any span of one second.

/** Inclusive: stamps in whole milliseconds that differ by 1,000 may be less than a second apart. */
const WINDOW_MILLISECONDS = 1000;

export const REQUESTS_PER_SECOND = 300;

export type Admission =
  | { admitted: true; remaining: number; resetMilliseconds: number }
  | { admitted: false; remaining: 0; resetMilliseconds: number };

/** A ring buffer of the latest admissions: the next one overwrites the oldest. */
export class SlidingWindow {
  readonly #stamps: Float64Array;
  #next = 0;

  constructor(limit: number = REQUESTS_PER_SECOND) {
    this.#stamps = new Float64Array(limit).fill(Number.NEGATIVE_INFINITY);
  }

  /**
   * Admits or refuses a request. `resetMilliseconds` is the time until the oldest counted admission leaves the window, which after
   * a refusal is the earliest time for a retry.
   * @param now milliseconds since any epoch; a clock that steps back counts as the latest stamp
   */
  admit(now: number): Admission {
    const limit = this.#stamps.length;
    const latest = this.#at(this.#next - 1 + limit);
    const time = Math.max(now, latest);
    const oldest = this.#at(this.#next);
    if (time - oldest <= WINDOW_MILLISECONDS) {
      return { admitted: false, remaining: 0, resetMilliseconds: this.#untilFree(oldest, time) };
    }
    this.#stamps[this.#next] = time;
    this.#next = (this.#next + 1) % limit;
    const expired = this.#countExpired(time);
    return {
      admitted: true,
      remaining: expired,
      resetMilliseconds: this.#untilFree(this.#at(this.#next + expired), time),
    };
  }

  #at(index: number): number {
    return this.#stamps[index % this.#stamps.length] ?? Number.NEGATIVE_INFINITY;
  }

  #untilFree(stamp: number, time: number): number {
    return stamp + WINDOW_MILLISECONDS + 1 - time;
  }

  /** Stamps are in order from `#next` on, so a binary search counts the expired ones. */
  #countExpired(time: number): number {
    let low = 0;
    let high = this.#stamps.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (time - this.#at(this.#next + middle) > WINDOW_MILLISECONDS) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
