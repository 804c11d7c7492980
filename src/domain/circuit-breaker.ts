// Pure. The circuit breaker of a carrier: after several failures in a row, it stops submissions for a while.
import { backoffSeconds } from "./retry-policy.ts";

/** Failures in a row that open the breaker. */
const FAILURES_TO_OPEN = 3;

/** When every submission hangs, the breaker stays open until the submissions under way have timed out. */
const HANG_MILLISECONDS = 20_000;

/** After an answer was noted, others are no news for so long: each would ask the store. */
const NOTED_MILLISECONDS = 10_000;

interface Answer {
  /** Its run has not waited for it. */
  isSlow: boolean;
  /** The message had waited for a retry: a pause may be stored that this isolate knows nothing of. */
  wasPutOff: boolean;
}

/** Each isolate has its own breaker for each carrier. */
export class CircuitBreaker {
  #failures = 0;
  /** Openings since the last success. */
  #openings = 0;
  #openUntil = 0;
  #openedAt = 0;
  #cause = "";
  /** The answers since it opened were slow: its pause is stored still. */
  #isSlow = false;
  #notedAt = Number.NEGATIVE_INFINITY;

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

  /** The carrier accepted or refused a message: it works. @returns whether a stored pause may have to be released, or ended */
  recordSuccess(now: number, { isSlow, wasPutOff }: Answer): boolean {
    const isUnknown = wasPutOff && now - this.#notedAt >= NOTED_MILLISECONDS;
    const isNews = this.hasOpened || (this.#isSlow && !isSlow) || isUnknown;
    if (isNews) this.#notedAt = now;
    this.#isSlow = isSlow && (isNews || this.#isSlow);
    this.#failures = 0;
    this.#openings = 0;
    this.#openUntil = 0;
    this.#openedAt = 0;
    this.#cause = "";
    return isNews;
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
