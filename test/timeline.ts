/** Virtual time, in whole milliseconds: everything due in a millisecond happens before the next begins. */
export class Timeline {
  now = 0;
  readonly #due = new Map<number, (() => void)[]>();

  at(time: number, run: () => void): void {
    const when = Math.max(this.now, Math.ceil(time));
    const runs = this.#due.get(when);
    if (runs) runs.push(run);
    else this.#due.set(when, [run]);
  }

  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.at(this.now + milliseconds, resolve));
  }

  /** @returns a function that stops it */
  timer(milliseconds: number, onOver: () => void): () => void {
    let stopped = false;
    this.at(this.now + milliseconds, () => {
      if (!stopped) onOver();
    });
    return () => {
      stopped = true;
    };
  }

  /** Until nothing is due any more. */
  async run(): Promise<void> {
    while (this.#due.size > 0) {
      for (let runs = this.#due.get(this.now); runs; runs = this.#due.get(this.now)) {
        this.#due.delete(this.now);
        for (const run of runs) run();
        await settle();
      }
      this.now += 1;
    }
  }
}

/** More turns than any chain of promises here has. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 40; turn++) await null;
}

/** @param times milliseconds, in any order. @returns how many of them lie within any span of one second */
export function mostInASecond(times: number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  let first = 0;
  let most = 0;
  for (const [index, at] of sorted.entries()) {
    while (at - (sorted[first] as number) > 1000) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}
