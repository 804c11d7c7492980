// Pure. How many have come in a window of time that ends now. They are counted by step: a window has no more counts than steps.

export interface Window {
  stepMilliseconds: number;
  /** A step counts until so many have begun since. */
  steps: number;
}

/** All times in milliseconds since 1970; a clock that steps back counts as the latest step. */
export class RollingCount {
  readonly #window: Window;
  /** Counts by step since 1970, the oldest first. */
  readonly #steps: Map<number, number>;
  /** How much of the room that a step will leave is promised. */
  readonly #promised = new Map<number, number>();
  #total = 0;
  #latest = 0;

  /** @param steps what was counted before, the oldest first */
  constructor(window: Window, steps: Iterable<[step: number, count: number]> = []) {
    this.#window = window;
    this.#steps = new Map(steps);
    for (const [step, count] of this.#steps) {
      this.#latest = step;
      this.#total += count;
    }
  }

  /** @returns the step in which they are counted */
  add(count: number, now: number): number {
    const step = this.#advance(now);
    this.#addTo(step, count);
    return step;
  }

  /** Those of a step that no longer counts are gone. */
  giveBack(step: number, count: number): void {
    if (this.#steps.has(step)) this.#addTo(step, -count);
  }

  usedAt(now: number): number {
    this.#advance(now);
    return this.#total;
  }

  /** The count of one step. */
  of(step: number): number {
    return this.#steps.get(step) ?? 0;
  }

  /** When so many more have room, if no others come: now, or later; for more than the limit, when nothing counts any more. */
  roomAt(count: number, limit: number, now: number): number {
    let left = this.usedAt(now) + count - limit;
    let freeAt = now;
    for (const [step, counted] of this.#steps) {
      if (left <= 0) break;
      left -= counted;
      freeAt = this.#endOf(step);
    }
    return freeAt;
  }

  /** Promises the room of the first steps whose room is promised to nobody. @returns when they will have left it */
  promise(count: number): number {
    let left = count;
    for (const [step, counted] of this.#steps) {
      const promised = this.#promised.get(step) ?? 0;
      const own = Math.min(left, counted - promised);
      this.#promised.set(step, promised + own);
      left -= own;
      if (left === 0) return this.#endOf(step);
    }
    return this.#endOf(this.#latest);
  }

  /** Drops the steps that are too old to count. @returns the present step */
  #advance(now: number): number {
    this.#latest = Math.max(this.#latest, Math.floor(now / this.#window.stepMilliseconds));
    for (const [step, count] of this.#steps) {
      if (step > this.#latest - this.#window.steps) break;
      this.#steps.delete(step);
      this.#promised.delete(step);
      this.#total -= count;
    }
    return this.#latest;
  }

  #addTo(step: number, count: number): void {
    const sum = this.of(step) + count;
    if (sum === 0) this.#steps.delete(step);
    else this.#steps.set(step, sum);
    this.#total += count;
  }

  #endOf(step: number): number {
    return (step + this.#window.steps) * this.#window.stepMilliseconds;
  }
}
