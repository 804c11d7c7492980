// When how much of something had come.
import { setTimeout as sleep } from "node:timers/promises";

const LOOK_MILLISECONDS = 10;
/** Without anything new. */
const PATIENCE_MILLISECONDS = 60_000;

export class Timeline {
  readonly #looks: { at: number; count: number }[] = [];
  readonly #count: () => number;
  readonly #timer: NodeJS.Timeout;

  constructor(count: () => number) {
    this.#count = count;
    this.#timer = setInterval(() => this.#look(), LOOK_MILLISECONDS);
    this.#look();
  }

  /** @returns when that much had come: performance.now() @throws Error when no more comes */
  async until(count: number): Promise<number> {
    for (;;) {
      const last = this.#looks.at(-1);
      if (last && last.count >= count) return last.at;
      if (last && performance.now() - last.at > PATIENCE_MILLISECONDS)
        throw new Error(`only ${last.count} of ${count} callbacks came`);
      await sleep(LOOK_MILLISECONDS);
    }
  }

  /** @returns how much came in a second, from when so much had come until so much had */
  rate(fromCount: number, untilCount: number): number {
    const from = this.#reached(fromCount);
    const until = this.#reached(untilCount);
    return ((until.count - from.count) * 1000) / (until.at - from.at);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #reached(count: number): { at: number; count: number } {
    return this.#looks.find((look) => look.count >= count) ?? { at: Number.NaN, count };
  }

  /** Keeps each change. */
  #look(): void {
    const count = this.#count();
    if (count !== this.#looks.at(-1)?.count) this.#looks.push({ at: performance.now(), count });
  }
}
