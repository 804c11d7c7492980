// Pure. The circuit breakers of a claim, as the store had them: its submissions share them.
import { type BreakerChange, type BreakerKey, type BreakerState, CircuitBreaker } from "./circuit-breaker.ts";

/** How a submission ended, for the breakers. */
interface Answer {
  /** What failed; undefined: nothing but this message, if that. */
  failing: BreakerState["about"] | undefined;
  /** Whether the carrier has accepted or refused the message. */
  isTaken: boolean;
  /** The answer took longer than a run waits. */
  isSlow: boolean;
  reason: string;
  retryAfterSeconds: number | undefined;
}

const nameOf = ({ carrier, sender }: BreakerKey) => JSON.stringify([carrier, sender]);

export class Breakers {
  readonly #states: ReadonlyMap<string, BreakerState>;
  readonly #used = new Map<string, CircuitBreaker>();

  constructor(states: BreakerState[]) {
    this.#states = new Map(states.map((state) => [nameOf(state), state]));
  }

  /** The breaker of a carrier with our account there, and that of the sender. */
  of({ carrier, sender }: { carrier: string; sender: string | null }): CircuitBreaker[] {
    return [...new Set(["", sender ?? ""])].map((own) => this.#get({ carrier, sender: own }));
  }

  /** The breaker that a message shares with those beside it: the sender's if that has paused, or else the carrier's. */
  sharedBy(message: { carrier: string; sender: string | null }): CircuitBreaker {
    const [whole, own] = this.of(message) as [CircuitBreaker, CircuitBreaker?];
    return own?.hasOpened ? own : whole;
  }

  /** The pauses of all senders and carriers. */
  pauses(now: number): BreakerState[] {
    return [...this.#states.values()].filter(({ openUntil }) => openUntil > now);
  }

  /** An answer about the sender says that the carrier works. */
  record(message: { carrier: string; sender: string | null }, answer: Answer, now: number, random: number): void {
    const { failing, isTaken, isSlow, reason: cause, retryAfterSeconds } = answer;
    for (const breaker of this.of(message)) {
      const isOwn = (failing === "sender") === (breaker.key.sender !== "");
      if (failing && isOwn) breaker.recordFailure(now, random, { about: failing, cause }, retryAfterSeconds);
      else if (isTaken || failing === "sender") breaker.recordSuccess(isSlow);
    }
  }

  /** The changes since the last call, for the caller to store. */
  take(): BreakerChange[] {
    return [...this.#used.values()].flatMap((breaker) => breaker.take() ?? []);
  }

  #get(key: BreakerKey): CircuitBreaker {
    const name = nameOf(key);
    const breaker = this.#used.get(name) ?? new CircuitBreaker(key, this.#states.get(name));
    this.#used.set(name, breaker);
    return breaker;
  }
}
