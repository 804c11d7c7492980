// Pure. The limit of a website as its object applies it, with what the object tells isolates in a flood.
import { type Admission, REQUESTS_PER_SECOND, SlidingWindow } from "./sliding-window.ts";

/**
 * About how many requests a second of a website are to reach its object. Twice the limit: each place in the window is then taken
 * about 2 ms after it is free. An object answers about 1,000 a second (Cloudflare, "Rules of Durable Objects").
 */
const ASKS_PER_SECOND = 2 * REQUESTS_PER_SECOND;

const SECOND = 1000;

export class RequestLimit {
  readonly #window = new SlidingWindow();
  #second = Number.NEGATIVE_INFINITY;
  #inSecond = 0;
  #inSecondBefore = 0;

  /**
   * Admits or refuses a request. An isolate that is refused, or that has refused requests by itself, is told for which share of
   * its requests it is to ask: for all of them, unless more than ASKS_PER_SECOND came in the last second.
   * @param unasked how many requests the isolate has refused by itself since it asked last
   */
  admit(now: number, unasked = 0): Admission {
    const share = Math.min(1, ASKS_PER_SECOND / this.#count(1 + unasked, now));
    const admission = this.#window.admit(now);
    return admission.admitted && unasked === 0 ? admission : { ...admission, share };
  }

  /** @returns the requests of the last second, about: of the second before this one, what may still lie within it */
  #count(requests: number, now: number): number {
    const age = now - this.#second;
    if (age >= SECOND) {
      const isNext = age < 2 * SECOND;
      this.#inSecondBefore = isNext ? this.#inSecond : 0;
      this.#inSecond = 0;
      this.#second = isNext ? this.#second + SECOND : now;
    }
    this.#inSecond += requests;
    const passed = Math.max(0, now - this.#second) / SECOND;
    return this.#inSecond + this.#inSecondBefore * (1 - passed);
  }
}
