// Pure. The consumers of a queue of jobs: so many batches at a time, as soon as there are jobs.
import { Fifo } from "./fifo.ts";
import { SERVICE } from "./model.ts";

export class Consumers {
  readonly #most: number;
  readonly #run: (ids: number[], free: () => void) => void;
  readonly #jobs = new Fifo<number[]>();
  #running = 0;
  /** What the jobs name. */
  waiting = 0;

  /** @param run takes a batch, and calls `free` once for the next */
  constructor(mostBatches: number, run: (ids: number[], free: () => void) => void) {
    this.#most = mostBatches;
    this.#run = run;
  }

  add(job: number[]): void {
    this.#jobs.add(job);
    this.waiting += job.length;
    this.#begin();
  }

  #begin(): void {
    while (this.#running < this.#most && this.#jobs.length > 0) {
      const ids = this.#jobs.take(SERVICE.jobsABatch).flat();
      this.waiting -= ids.length;
      this.#running++;
      this.#run(ids, () => this.#free());
    }
  }

  #free(): void {
    this.#running--;
    this.#begin();
  }
}
