// Pure. What an isolate remembers of a website whose requests were refused, so that a flood does not reach the website's object.
import type { Admission } from "./sliding-window.ts";

/** In this time without an answer a share doubles: an isolate that heard of a flood asks for each request soon after it. */
const DOUBLING_MILLISECONDS = 250;

/** An overloaded object is left alone for half of this to all of it. */
const REST_MILLISECONDS = 1000;

/** Each time that the object is overloaded, an isolate asks for a quarter of what it asked for, down to the least. */
const OVERLOADED_FACTOR = 1 / 4;
const LEAST_SHARE = 1 / 100;

/** For so long after a refusal, an object that falls silent counts as overloaded. */
const RECENT_MILLISECONDS = 10_000;

/** All times are of the isolate's clock, in milliseconds. */
export class Refusals {
  /** Until then the object surely refuses. */
  #until = Number.NEGATIVE_INFINITY;
  /** Of the requests, the share that is to reach the object: from #shareFrom on. */
  #share = 1;
  #shareFrom = Number.NEGATIVE_INFINITY;
  /** Grows by the share with each request; the object is asked for each whole one. */
  #credit: number;
  #unasked = 0;
  #latest = Number.NEGATIVE_INFINITY;

  /** @param credit from 0 to 1, at random: isolates must not ask in step */
  constructor(credit: number) {
    this.#credit = credit;
  }

  /** @returns for how long this request is refused without asking; undefined: the object must be asked */
  refuse(now: number): number | undefined {
    if (now < this.#until) return this.#leave(this.#until - now);
    const share = this.#shareAt(now);
    if (share >= 1) return undefined;
    this.#credit += share;
    if (this.#credit < 1) return this.#leave(DOUBLING_MILLISECONDS);
    this.#credit -= 1;
    return undefined;
  }

  #leave(milliseconds: number): number {
    this.#unasked += 1;
    return milliseconds;
  }

  #shareAt(now: number): number {
    return this.#share * 2 ** (Math.max(0, now - this.#shareFrom) / DOUBLING_MILLISECONDS);
  }

  /** How many requests were refused without asking since this was last called: the object counts them as well. */
  takeUnasked(): number {
    const unasked = this.#unasked;
    this.#unasked = 0;
    return unasked;
  }

  /**
   * The object has answered. The time of a refusal counts from before the call, so it ends no later than the object's own: what
   * the object might admit is refused here only in a flood, when the object has named a share below 1.
   */
  answered(
    asked: number,
    now: number,
    { admitted, resetMilliseconds, share = admitted ? undefined : 1 }: Admission,
  ): void {
    if (!admitted) {
      this.#latest = now;
      this.#until = Math.max(this.#until, asked + resetMilliseconds);
    }
    if (share === undefined) return;
    this.#share = share;
    this.#shareFrom = Math.max(now, this.#until);
  }

  /** @param random from 0 to 1 */
  overloaded(now: number, random: number): void {
    this.#share = Math.max(LEAST_SHARE, Math.min(1, this.#shareAt(now)) * OVERLOADED_FACTOR);
    this.#latest = now;
    this.#until = Math.max(this.#until, now + REST_MILLISECONDS * (0.5 + random / 2));
    this.#shareFrom = this.#until;
  }

  /** Whether there was a refusal of late; if not, there is nothing to remember. */
  isRecent(now: number): boolean {
    return now - this.#latest < RECENT_MILLISECONDS;
  }
}
