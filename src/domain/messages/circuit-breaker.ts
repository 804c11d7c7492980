// Pure. The circuit breaker of a carrier: after several failures in a row, it stops submissions for a while. The store keeps it in a
// row. A claim reads the row, the submissions of the claim change this copy, and the change is stored with their outcomes.
import { backoffSeconds } from "./retry-policy.ts";

/** What a pause belongs to. */
export type Paused = "sender" | "account" | "carrier";

/** Failures in a row that open the breaker. */
const FAILURES_TO_OPEN = 3;

/** When every submission hangs, the breaker stays open until the submissions under way have timed out. */
const HANG_MILLISECONDS = 20_000;

/** The state of a breaker in the store. A carrier without a row works. */
export interface BreakerState {
  carrier: string;
  /** In a row. */
  failures: number;
  /** Since the last success. */
  openings: number;
  /** No submission before this: milliseconds since 1970. */
  openUntil: number;
  /** Why the first submission since the last success failed, in words. */
  cause: string;
}

/** What submissions change of the row. */
export interface BreakerChange {
  carrier: string;
  /** The carrier has accepted or refused a message, before the failures: it works. */
  hasSucceeded: boolean;
  /** All of these answers took longer than a run waits. The pause ends, but the operator still sees the problem. */
  isSlow: boolean;
  failures: number;
  /** null: these failures do not open it. */
  openUntil: number | null;
  cause: string;
}

export class CircuitBreaker {
  readonly carrier: string;
  /** Whether the store has a row of it. */
  #isKnown: boolean;
  #failures: number;
  #openings: number;
  #openUntil = 0;
  #cause: string;
  #change: BreakerChange;

  /** @param state undefined: the carrier works */
  constructor(carrier: string, state: BreakerState | undefined) {
    this.carrier = carrier;
    this.#isKnown = state !== undefined;
    this.#failures = state?.failures ?? 0;
    this.#openings = state?.openings ?? 0;
    this.#cause = state?.cause ?? "";
    this.#change = this.#unchanged();
  }

  /** Whether it has opened since the last success: one submission at a time shows whether the carrier works again. */
  get hasOpened(): boolean {
    return this.#openings > 0;
  }

  get cause(): string {
    return this.#cause;
  }

  /** @returns milliseconds since 1970; undefined while submissions may begin */
  openUntil(now: number): number | undefined {
    return now < this.#openUntil ? this.#openUntil : undefined;
  }

  /** The carrier accepted or refused a message: it works. */
  recordSuccess(isSlow: boolean): void {
    const wasFast = this.#change.hasSucceeded && !this.#change.isSlow;
    this.#failures = 0;
    this.#openings = 0;
    this.#openUntil = 0;
    this.#cause = "";
    this.#change = { ...this.#unchanged(), hasSucceeded: true, isSlow: isSlow && !wasFast };
  }

  /**
   * The carrier failed for reasons that have nothing to do with the message. After an opening, the next failure opens the breaker
   * again at once, for longer.
   * @param random a number from 0 to 1
   */
  recordFailure(now: number, random: number, cause: string, retryAfterSeconds = 0): void {
    this.#cause ||= cause;
    this.#failures += 1;
    this.#change = { ...this.#change, failures: this.#change.failures + 1, cause: this.#cause };
    if (this.openUntil(now) !== undefined) return;
    if (this.#openings === 0 && this.#failures < FAILURES_TO_OPEN) return;
    this.#open(now + Math.max(retryAfterSeconds, backoffSeconds(this.#openings + 1, random)) * 1000);
  }

  /** The carrier left all submissions of a claim without an answer. */
  recordHang(now: number, cause: string): void {
    this.#cause ||= cause;
    this.#open(now + HANG_MILLISECONDS);
  }

  /** The change since the last call, for the caller to store. null: the row would stay as it is. */
  take(): BreakerChange | null {
    const change = this.#change;
    this.#change = this.#unchanged();
    const hasFailed = change.failures > 0 || change.openUntil !== null;
    const isNews = hasFailed || (change.hasSucceeded && this.#isKnown);
    this.#isKnown = hasFailed || (this.#isKnown && !change.hasSucceeded);
    return isNews ? change : null;
  }

  #open(until: number): void {
    this.#openings += 1;
    this.#openUntil = until;
    this.#change = { ...this.#change, openUntil: until, cause: this.#cause };
  }

  #unchanged(): BreakerChange {
    return { carrier: this.carrier, hasSucceeded: false, isSlow: false, failures: 0, openUntil: null, cause: "" };
  }
}
