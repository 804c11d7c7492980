// Pure. The receipts of a database's messages: src/flows/apply-receipts.ts, by way of their queue.
import { Fifo } from "./fifo.ts";
import { SERVICE, STATEMENTS, statementsOf } from "./model.ts";
import type { World } from "./world.ts";

interface Receipt {
  website: number;
  /** It is delivered; the one before changes nothing in the store. */
  isLast: boolean;
}

export class Receipts {
  readonly #world: World;
  readonly #home: number;
  readonly #most: number;
  readonly #waiting = new Fifo<Receipt>();
  #running = 0;
  #isTimed = false;

  constructor(world: World, home: number, mostBatches: number) {
    this.#world = world;
    this.#home = home;
    this.#most = mostBatches;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  add(websites: number[], isLast: boolean): void {
    for (const website of websites) this.#waiting.add({ website, isLast });
    this.#begin(false);
  }

  /** A batch that is not full waits for its time. */
  #begin(isDue: boolean): void {
    let isNext = isDue;
    while (this.#running < this.#most && this.#waiting.length > 0) {
      if (!isNext && this.#waiting.length < SERVICE.receiptsABatch) {
        this.#beginLater();
        return;
      }
      isNext = false;
      this.#apply(this.#waiting.take(SERVICE.receiptsABatch));
    }
  }

  #beginLater(): void {
    if (this.#isTimed) return;
    this.#isTimed = true;
    this.#world.events.after(SERVICE.receiptsWaitMilliseconds, () => {
      this.#isTimed = false;
      this.#begin(true);
    });
  }

  #apply(batch: Receipt[]): void {
    this.#running++;
    const last = batch.flatMap(({ website, isLast }) => (isLast ? [website] : []));
    this.#world.database(this.#home).call(last.length > 0, statementsOf(STATEMENTS.receipt, batch.length), () => {
      this.#world.queueCallbacks(last);
      this.#running--;
      this.#begin(false);
    });
  }
}
