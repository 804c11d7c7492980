import { wrapDatabase } from "../../bench/workers/edge/bindings.ts";
import { Thread } from "../../bench/workers/edge/thread.ts";
import type { VirtualClock } from "./clock.ts";

const OVERLOADED = "D1_ERROR: D1 DB is overloaded. Too many requests queued.";

export interface DatabaseLimits {
  /** How long each call keeps the one thread of the database. */
  milliseconds: number;
  /** A call beyond so many that wait or run is refused. */
  mostQueued?: number;
}

/** D1 behind the clock of a test: its calls run one after the other, and each takes a time of that clock. */
export class OneThreadDatabase {
  readonly db: D1Database;
  served = 0;
  refused = 0;
  readonly #clock: VirtualClock;
  readonly #limits: DatabaseLimits;
  readonly #thread = new Thread();
  #queued = 0;

  constructor(clock: VirtualClock, db: D1Database, limits: DatabaseLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.db = wrapDatabase(db, (run) => this.#call(run));
  }

  async #call<T>(run: () => Promise<T>): Promise<T> {
    const { milliseconds, mostQueued = Number.POSITIVE_INFINITY } = this.#limits;
    if (this.#queued >= mostQueued) {
      this.refused += 1;
      throw new Error(OVERLOADED);
    }
    this.#queued += 1;
    await this.#clock.wait(this.#thread.take(this.#clock.now, milliseconds) - this.#clock.now);
    this.#queued -= 1;
    this.served += 1;
    return this.#clock.track(run());
  }
}
