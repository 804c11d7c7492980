// Pure. When a carrier that keeps failing is left alone, and for how long.
import { backoffSeconds } from "./backoff.ts";

/** How many submissions in a row a carrier fails before it is given a rest. */
export const FAILURES_BEFORE_REST = 3;

/** How long a carrier is left alone that lets everything hang: until what is under way has timed out. */
const HANG_MILLISECONDS = 20_000;

/** One isolate's knowledge of a carrier. */
export class CarrierRest {
  #failures = 0;
  #rests = 0;
  #until = 0;

  /** Until when nothing is to be submitted: milliseconds since 1970; undefined while the carrier does not rest. */
  until(now: number): number | undefined {
    return now < this.#until ? this.#until : undefined;
  }

  /** The carrier has taken or refused a message: it works. */
  worked(): void {
    this.#failures = 0;
    this.#rests = 0;
    this.#until = 0;
  }

  /** Nothing of what was submitted together has been answered for a while. */
  hangs(now: number): void {
    this.#until = Math.max(this.#until, now + HANG_MILLISECONDS);
  }

  /**
   * The carrier has failed, whatever the message was. Each rest that follows a rest is longer; the first failure after one
   * begins the next.
   * @param random a number from 0 to 1
   */
  failed(now: number, random: number, retryAfterSeconds = 0): void {
    this.#failures += 1;
    if (this.until(now) !== undefined) return;
    if (this.#rests === 0 && this.#failures < FAILURES_BEFORE_REST) return;
    this.#rests += 1;
    this.#until = now + Math.max(retryAfterSeconds, backoffSeconds(this.#rests, random)) * 1000;
  }
}
