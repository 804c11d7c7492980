// Pure. How long the answers took.
import { percentile } from "../../test/node/harness/statistics.ts";

const FIRST_ROOM = 4096;

export class Samples {
  #length = 0;
  #arrived = new Float64Array(FIRST_ROOM);
  #milliseconds = new Float64Array(FIRST_ROOM);
  #websites = new Uint16Array(FIRST_ROOM);

  add(website: number, arrived: number, milliseconds: number): void {
    if (this.#length === this.#arrived.length) this.#grow();
    this.#arrived[this.#length] = arrived;
    this.#milliseconds[this.#length] = milliseconds;
    this.#websites[this.#length] = website;
    this.#length++;
  }

  /** Of the requests that arrived from `from` until `until`, those of some websites. */
  between(from: number, until: number, isOf: (website: number) => boolean = () => true): number[] {
    const found: number[] = [];
    for (let index = 0; index < this.#length; index++) {
      const arrived = this.#arrived[index] as number;
      const isWithin = arrived >= from && arrived < until;
      if (isWithin && isOf(this.#websites[index] as number)) found.push(this.#milliseconds[index] as number);
    }
    return found;
  }

  #grow(): void {
    const [arrived, milliseconds, websites] = [this.#arrived, this.#milliseconds, this.#websites];
    this.#arrived = new Float64Array(2 * this.#length);
    this.#milliseconds = new Float64Array(2 * this.#length);
    this.#websites = new Uint16Array(2 * this.#length);
    this.#arrived.set(arrived);
    this.#milliseconds.set(milliseconds);
    this.#websites.set(websites);
  }
}

export interface Quantiles {
  p50: number;
  p99: number;
}

export function quantilesOf(values: number[]): Quantiles {
  return { p50: percentile(values, 0.5), p99: percentile(values, 0.99) };
}
