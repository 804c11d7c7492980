// Pure. The circuit breaker of a carrier: after several failures in a row, it stops submissions for a while.
import { backoffSeconds } from "./retry-policy.ts";

/** Failures in a row that open the breaker. */
const FAILURES_TO_OPEN = 3;

/** When every submission hangs, the breaker stays open until the submissions under way have timed out. */
const HANG_MILLISECONDS = 20_000;

/** Each isolate has its own breaker for each carrier. */
export class CircuitBreaker {
  #failures = 0;
  /** Openings since the last success. */
  #openings = 0;
  #openUntil = 0;
  #openedAt = 0;
  #cause = "";

  /** @returns milliseconds since 1970; undefined while the breaker is closed */
  openUntil(now: number): number | undefined {
    return now < this.#openUntil ? this.#openUntil : undefined;
  }

  /** Whether it has opened since the last success: one submission at a time shows whether the carrier works again. */
  get hasOpened(): boolean {
    return this.#openedAt > 0;
  }

  /** When it last opened: milliseconds since 1970. */
  get openedAt(): number {
    return this.#openedAt;
  }

  /** Of the first failure since the last success, in words. */
  get cause(): string {
    return this.#cause;
  }

  /** Lets submissions through. The next failure opens it again, for longer. */
  release(): void {
    this.#openUntil = 0;
  }

  /** The carrier accepted or refused a message: it works. @returns whether the breaker had opened since the last success */
  recordSuccess(): boolean {
    const hadOpened = this.hasOpened;
    this.#failures = 0;
    this.#openings = 0;
    this.#openUntil = 0;
    this.#openedAt = 0;
    this.#cause = "";
    return hadOpened;
  }

  /** The carrier left all submissions of a claim without an answer. */
  recordHang(now: number, cause: string): void {
    this.#cause ||= cause;
    this.#open(now, Math.max(this.#openUntil, now + HANG_MILLISECONDS));
  }

  /**
   * The carrier failed for reasons that have nothing to do with the message. After an opening, the next failure opens the breaker
   * again at once, for longer.
   * @param random a number from 0 to 1
   * @returns whether it has opened now
   */
  recordFailure(now: number, random: number, cause: string, retryAfterSeconds = 0): boolean {
    this.#cause ||= cause;
    this.#failures += 1;
    if (this.openUntil(now) !== undefined) return false;
    if (this.#openings === 0 && this.#failures < FAILURES_TO_OPEN) return false;
    this.#openings += 1;
    this.#open(now, now + Math.max(retryAfterSeconds, backoffSeconds(this.#openings, random)) * 1000);
    return true;
  }

  #open(now: number, until: number): void {
    this.#openedAt = now;
    this.#openUntil = until;
  }
}
