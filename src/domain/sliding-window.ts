// Pure. An exact sliding-window limit: never more than `limit` admissions in any span of one second.

/** How long an admission counts. Two whole-millisecond stamps 1,000 apart can be less than a second apart, so it is refused. */
export const WINDOW_MILLISECONDS = 1000;

export const REQUESTS_PER_SECOND = 300;

export type Admission =
  | { admitted: true; remaining: number; resetMilliseconds: number }
  | { admitted: false; remaining: 0; resetMilliseconds: number };

/** The stamps of the latest admissions, in a ring: the oldest is overwritten by the next. */
export class SlidingWindow {
  readonly #stamps: Float64Array;
  #next = 0;

  constructor(limit: number = REQUESTS_PER_SECOND) {
    this.#stamps = new Float64Array(limit).fill(Number.NEGATIVE_INFINITY);
  }

  /**
   * Admits a request at `now` (milliseconds, any epoch; a clock that steps back is held at the latest stamp), or refuses it.
   * `resetMilliseconds` is the time until the oldest counted admission leaves the window: after a refusal, the earliest
   * moment at which a request can be admitted.
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

  /** Stamps stand in order of time from `#next` on, so the number that has left the window is a binary search. */
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
