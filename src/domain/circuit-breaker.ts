// Pure. The circuit breaker of a carrier: when a carrier that keeps failing gets no submissions, and for how long.
import { backoffSeconds } from "./retry-policy.ts";

/** How many submissions in a row must fail before the breaker opens. */
export const FAILURES_TO_OPEN = 3;

/** How long the breaker stays open when every submission hangs: until those under way have timed out. */
const HANG_MILLISECONDS = 20_000;

/** Each isolate has a breaker of its own for each carrier. */
export class CircuitBreaker {
  #failures = 0;
  /** How often in a row it has opened. */
  #openings = 0;
  #openUntil = 0;

  /** Until when it stays open: milliseconds since 1970; undefined while it is closed. */
  openUntil(now: number): number | undefined {
    return now < this.#openUntil ? this.#openUntil : undefined;
  }

  /** The carrier accepted or refused a message: it works. */
  recordSuccess(): void {
    this.#failures = 0;
    this.#openings = 0;
    this.#openUntil = 0;
  }

  /** None of the submissions that were made together was answered for a while. */
  recordHang(now: number): void {
    this.#openUntil = Math.max(this.#openUntil, now + HANG_MILLISECONDS);
  }

  /**
   * The carrier failed, whatever the message was. While the carrier keeps failing, the first failure after an opening opens
   * the breaker again, for longer.
   * @param random a number from 0 to 1
   */
  recordFailure(now: number, random: number, retryAfterSeconds = 0): void {
    this.#failures += 1;
    if (this.openUntil(now) !== undefined) return;
    if (this.#openings === 0 && this.#failures < FAILURES_TO_OPEN) return;
    this.#openings += 1;
    this.#openUntil = now + Math.max(retryAfterSeconds, backoffSeconds(this.#openings, random)) * 1000;
  }
}
