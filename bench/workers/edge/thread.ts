// Pure. The one thread of a database.
import type { DatabaseCounts } from "./counts.ts";

const WINDOW_MILLISECONDS = 100;

/**
 * Works on one call after another, in the order in which they come. It only reckons when each call ends, and holds no lock: a
 * machine whose timers are late does not make the thread slower.
 */
export class Thread {
  #freeAt = 0;
  #busy = new Map<number, number>();
  #waits: number[] = [];

  /**
   * @param now when the call comes, milliseconds
   * @param service how long the thread works on it
   * @returns when it is done
   */
  take(now: number, service: number): number {
    const from = Math.max(now, this.#freeAt);
    this.#freeAt = from + service;
    this.#waits.push(from - now);
    this.#markBusy(from, this.#freeAt);
    return this.#freeAt;
  }

  #markBusy(from: number, until: number): void {
    for (let start = from; start < until; ) {
      const window = Math.floor(start / WINDOW_MILLISECONDS);
      const end = Math.min(until, (window + 1) * WINDOW_MILLISECONDS);
      this.#busy.set(window, (this.#busy.get(window) ?? 0) + end - start);
      start = end;
    }
  }

  /** What was counted, which then begins anew. @param from the windows that lie wholly between these times are told of */
  readCounts(from: number, until: number): DatabaseCounts {
    const busyShares: number[] = [];
    for (let window = Math.ceil(from / WINDOW_MILLISECONDS); (window + 1) * WINDOW_MILLISECONDS <= until; window++) {
      busyShares.push((this.#busy.get(window) ?? 0) / WINDOW_MILLISECONDS);
    }
    const counts = { busyShares, waits: this.#waits };
    this.#busy = new Map();
    this.#waits = [];
    return counts;
  }
}
