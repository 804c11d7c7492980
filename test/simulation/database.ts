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
  #queued = 0;
  #freeAt = 0;

  constructor(clock: VirtualClock, db: D1Database, limits: DatabaseLimits) {
    this.#clock = clock;
    this.#limits = limits;
    const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();
    const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
      const wrapped = {
        bind: (...values: unknown[]) => wrap(statement.bind(...values)),
        all: () => this.#call(() => statement.all()),
      } as unknown as D1PreparedStatement;
      originals.set(wrapped, statement);
      return wrapped;
    };
    const original = (statement: D1PreparedStatement) => originals.get(statement) as D1PreparedStatement;
    const batch = (statements: D1PreparedStatement[]) => this.#call(() => db.batch(statements.map(original)));
    this.db = { prepare: (sql: string) => wrap(db.prepare(sql)), batch } as unknown as D1Database;
  }

  async #call<T>(run: () => Promise<T>): Promise<T> {
    const { milliseconds, mostQueued = Number.POSITIVE_INFINITY } = this.#limits;
    if (this.#queued >= mostQueued) {
      this.refused += 1;
      throw new Error(OVERLOADED);
    }
    this.#queued += 1;
    this.#freeAt = Math.max(this.#freeAt, this.#clock.now) + milliseconds;
    await this.#clock.wait(this.#freeAt - this.#clock.now);
    this.#queued -= 1;
    this.served += 1;
    return this.#clock.track(run());
  }
}
