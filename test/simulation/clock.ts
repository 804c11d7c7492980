import { vi } from "vitest";
import { limits } from "../../src/platform/time-limit.ts";

// Not those that a test may put in their place.
const { setImmediate } = globalThis;

interface Timer {
  at: number;
  /** Timers of one instant go off in the order in which they were set. */
  order: number;
  run: (() => void) | undefined;
}

/** The calls of crypto.subtle that the Worker makes. Each is real work of another thread. */
const CRYPTO = ["digest", "sign", "importKey", "encrypt", "decrypt"] as const;

/** A clock that jumps to its next timer once nothing is left to do at its present time. */
export class VirtualClock {
  now: number;
  #order = 0;
  #busy = 0;
  /** A binary heap. */
  readonly #timers: Timer[] = [];

  constructor(now: number) {
    this.now = now;
  }

  /** From now on the flows wait by this clock, and so do their time limits. */
  hold(): void {
    vi.spyOn(scheduler, "wait").mockImplementation((milliseconds) => this.wait(milliseconds));
    vi.spyOn(limits, "start").mockImplementation((milliseconds, onOver) => this.after(milliseconds, onOver));
    // On a busy machine these take longer than a turn or two, and the clock would go on without them.
    for (const name of CRYPTO) this.#trackCrypto(name);
  }

  #trackCrypto(name: (typeof CRYPTO)[number]): void {
    const original = crypto.subtle[name].bind(crypto.subtle) as (...given: unknown[]) => Promise<never>;
    vi.spyOn(crypto.subtle, name).mockImplementation((...given: unknown[]) => this.track(original(...given)));
  }

  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => void this.after(milliseconds, resolve));
  }

  /** @returns a function that stops the timer */
  after(milliseconds: number, run: () => void): () => void {
    const timer: Timer = { at: this.now + Math.round(milliseconds), order: this.#order++, run };
    this.#push(timer);
    return () => {
      timer.run = undefined;
    };
  }

  /** Real work, such as a statement of D1: the clock stands still until it has ended. */
  async track<T>(work: Promise<T>): Promise<T> {
    this.#busy += 1;
    try {
      return await work;
    } finally {
      this.#busy -= 1;
    }
  }

  /** Lets time pass until the condition holds. @throws Error when it cannot any more */
  async runUntil(isDone: () => boolean, latest = Number.POSITIVE_INFINITY): Promise<void> {
    for (;;) {
      await this.#settle();
      if (isDone()) return;
      const next = this.#timers[0];
      if (!next || next.at > latest) throw new Error(`at ${this.now}: it does not come to pass`);
      this.now = next.at;
      while (this.#timers[0]?.at === next.at) this.#pop().run?.();
    }
  }

  async pass(milliseconds: number): Promise<void> {
    let isOver = false;
    this.after(milliseconds, () => {
      isOver = true;
    });
    await this.runUntil(() => isOver);
  }

  /** Until no promise is left that only waits for its turn. */
  async #settle(): Promise<void> {
    for (let quiet = 0; quiet < 2; quiet = this.#busy === 0 ? quiet + 1 : 0) {
      await new Promise<void>((resolve) => void setImmediate(resolve));
    }
  }

  #push(timer: Timer): void {
    const timers = this.#timers;
    let place = timers.push(timer) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (isBefore(timers[parent] as Timer, timer)) break;
      timers[place] = timers[parent] as Timer;
      place = parent;
    }
    timers[place] = timer;
  }

  #pop(): Timer {
    const timers = this.#timers;
    const first = timers[0] as Timer;
    const last = timers.pop() as Timer;
    if (timers.length === 0) return first;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= timers.length) break;
      if (child + 1 < timers.length && isBefore(timers[child + 1] as Timer, timers[child] as Timer)) child += 1;
      if (isBefore(last, timers[child] as Timer)) break;
      timers[place] = timers[child] as Timer;
      place = child;
    }
    timers[place] = last;
    return first;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
