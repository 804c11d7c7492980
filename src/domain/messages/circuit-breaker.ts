// Pure. A circuit breaker: after several failures in a row, it stops submissions for a while. A sender has one, and so has a carrier with
// our account there. The store keeps each in a row. A claim reads the rows, the submissions of the claim change this copy, and the change
// is stored with their outcomes. While it is open:
// - store/messages/claims.ts gives the texts to the fallback of their website, or leaves them out. They wait, and end at their deadline.
// - flows/messages/carrier-pauses.ts tries one text a minute. As soon as one is taken, all that wait go.
import type { Reason } from "./reason.ts";
import { backoffSeconds } from "./retry-policy.ts";

/** What a pause belongs to. */
export type Paused = "sender" | "account" | "carrier";

/** The reason of a message that is not taken in time because of it; null: CARRIER_UNAVAILABLE, as for any other. */
export const endsAs = (failing: Paused | undefined): Reason | null => (failing === "sender" ? "SENDER_LIMIT" : null);

/** Failures in a row that open the breaker. */
const FAILURES_TO_OPEN = 3;

/** When every submission hangs, the breaker stays open until the submissions under way have timed out. */
const HANG_MILLISECONDS = 20_000;

/** What a breaker is of. */
export interface BreakerKey {
  carrier: string;
  /** `""`: our account and the carrier, and so all senders. */
  sender: string;
}

/** Why it fails. */
export interface Cause {
  about: Paused;
  /** Why the first submission since the last success failed, in words. */
  cause: string;
}

/** The state of a breaker in the store. What has no row works. */
export interface BreakerState extends BreakerKey, Cause {
  /** In a row. */
  failures: number;
  /** Since the last success. */
  openings: number;
  /** No submission before this: milliseconds since 1970. */
  openUntil: number;
}

/** What submissions change of the row. */
export interface BreakerChange extends BreakerKey, Cause {
  /** It has taken or refused a message, before the failures: it works. */
  hasSucceeded: boolean;
  /** All of these answers took longer than a run waits. The pause ends, but the operator still sees the problem. */
  isSlow: boolean;
  failures: number;
  /** null: these failures do not open it. */
  openUntil: number | null;
}

export class CircuitBreaker {
  readonly key: BreakerKey;
  /** Whether the store has a row of it. */
  #isKnown: boolean;
  #failures: number;
  #openings: number;
  #openUntil = 0;
  #cause: Cause | null;
  #change: BreakerChange;

  /** @param state undefined: it works */
  constructor({ carrier, sender }: BreakerKey, state: BreakerState | undefined) {
    this.key = { carrier, sender };
    this.#isKnown = state !== undefined;
    this.#failures = state?.failures ?? 0;
    this.#openings = state?.openings ?? 0;
    this.#cause = state ?? null;
    this.#change = this.#unchanged();
  }

  /** Whether it has opened since the last success: one submission at a time shows whether it works again. */
  get hasOpened(): boolean {
    return this.#openings > 0;
  }

  /** @returns milliseconds since 1970, and why; undefined while submissions may begin */
  pause(now: number): (BreakerKey & Cause & { openUntil: number }) | undefined {
    if (now >= this.#openUntil || !this.#cause) return undefined;
    const { about, cause } = this.#cause;
    return { ...this.key, about, cause, openUntil: this.#openUntil };
  }

  /** A message was accepted or refused: it works. */
  recordSuccess(isSlow: boolean): void {
    const wasFast = this.#change.hasSucceeded && !this.#change.isSlow;
    this.#failures = 0;
    this.#openings = 0;
    this.#openUntil = 0;
    this.#cause = null;
    this.#change = { ...this.#unchanged(), hasSucceeded: true, isSlow: isSlow && !wasFast };
  }

  /**
   * It failed for reasons that have nothing to do with the message. After an opening, the next failure opens the breaker again at once, for
   * longer.
   * @param random a number from 0 to 1
   */
  recordFailure(now: number, random: number, cause: Cause, retryAfterSeconds = 0): void {
    this.#failures += 1;
    this.#note(cause, { failures: this.#change.failures + 1 });
    if (this.pause(now) !== undefined) return;
    if (this.#openings === 0 && this.#failures < FAILURES_TO_OPEN) return;
    this.#open(now + Math.max(retryAfterSeconds, backoffSeconds(this.#openings + 1, random)) * 1000);
  }

  /** All submissions of a claim were left without an answer. */
  recordHang(now: number, cause: string): void {
    this.#note({ about: this.key.sender === "" ? "carrier" : "sender", cause }, {});
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

  /** The first cause since the last success stays. */
  #note(cause: Cause, change: Partial<BreakerChange>): void {
    this.#cause ??= cause;
    const { about, cause: words } = this.#cause;
    this.#change = { ...this.#change, ...change, about, cause: words };
  }

  #open(until: number): void {
    this.#openings += 1;
    this.#openUntil = until;
    this.#change = { ...this.#change, openUntil: until };
  }

  #unchanged(): BreakerChange {
    const none = {
      about: "carrier",
      cause: "",
      hasSucceeded: false,
      isSlow: false,
      failures: 0,
      openUntil: null,
    } as const;
    return { ...this.key, ...none };
  }
}
