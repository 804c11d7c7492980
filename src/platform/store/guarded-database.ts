// The database of some websites that may move: what an isolate knows of their place may be outdated, and that is harmless.
import { RequestFailure } from "../../domain/failure.ts";
import { GUARD, isMovedError } from "./moving.ts";

/** The pauses of a call that waits for a website whose move is about to end: 75 ms, 150 ms and so on, 2.7 seconds in all. */
const PAUSE_MILLISECONDS = 75;
const MOST_PAUSES = 8;

/** Pauses of 1.6 seconds: no job that works holds a fence for longer. */
const PAUSES_OF_A_FENCE = 6;

/**
 * For so long, an isolate goes by what a guard has told: which websites are on the move. Calls for the others need no guard
 * meanwhile, because a website is on the move for longer before it leaves: see switch-website.ts. An object, so that a test can
 * change it.
 */
export const LEASE = { milliseconds: 1000 };

interface Lease {
  /** Milliseconds since 1970. */
  until: number;
  /** Homes. */
  moving: Set<number>;
}

/** A session has its own: its replica may be behind the others. */
const leases = new WeakMap<D1Database, Lease>();

/** @param isStuck the call has waited for longer than a move takes. @returns see guardDatabase */
type Find = (isStuck: boolean) => Promise<D1Database | null>;

class Statement {
  readonly #owner: GuardedDatabase;
  readonly #sql: string;
  readonly #values: unknown[];

  constructor(owner: GuardedDatabase, sql: string, values: unknown[] = []) {
    this.#owner = owner;
    this.#sql = sql;
    this.#values = values;
  }

  bind(...values: unknown[]): Statement {
    return new Statement(this.#owner, this.#sql, values);
  }

  async all(): Promise<unknown> {
    return (await this.#owner.batch([this]))[0];
  }

  in(db: D1Database): D1PreparedStatement {
    const statement = db.prepare(this.#sql);
    return this.#values.length > 0 ? statement.bind(...this.#values) : statement;
  }
}

class GuardedDatabase {
  db: D1Database;
  readonly #homes: number[];
  readonly #find: Find;

  constructor(db: D1Database, homes: number[], find: Find) {
    this.db = db;
    this.#homes = homes;
    this.#find = find;
  }

  prepare(sql: string): Statement {
    return new Statement(this, sql);
  }

  /** A replica that is behind may know neither that the website has come nor that it has gone: then the database itself is asked. */
  withSession(constraint: D1SessionConstraint): GuardedDatabase {
    return new GuardedDatabase(this.db.withSession(constraint) as unknown as D1Database, this.#homes, this.#find);
  }

  #isLeased(): boolean {
    const lease = leases.get(this.db);
    return lease !== undefined && Date.now() < lease.until && !this.#homes.some((home) => lease.moving.has(home));
  }

  async #runGuarded(db: D1Database, statements: D1PreparedStatement[]): Promise<unknown[]> {
    const until = Date.now() + LEASE.milliseconds;
    const guard = db.prepare(GUARD).bind(JSON.stringify(this.#homes));
    const [moving, ...results] = await db.batch<{ home: number }>([guard, ...statements]);
    leases.set(db, { until, moving: new Set(moving?.results.map(({ home }) => home)) });
    return results;
  }

  /** A transaction that was refused has left nothing, so the same statements run where the website is now. */
  async batch(statements: Statement[]): Promise<unknown[]> {
    for (let pauses = 0; ; ) {
      const { db } = this;
      try {
        const own = statements.map((statement) => statement.in(db));
        return this.#isLeased() ? await runAll(db, own) : await this.#runGuarded(db, own);
      } catch (error) {
        if (!isMovedError(error)) throw error;
        leases.delete(db);
        const found = await this.#find(pauses >= PAUSES_OF_A_FENCE);
        if (found === null || pauses === MOST_PAUSES) {
          throw new RequestFailure({ kind: "store-unavailable", isRefused: true, isMoved: true }, { cause: error });
        }
        this.db = found;
        pauses += 1;
        if (found === db) await scheduler.wait(PAUSE_MILLISECONDS * pauses);
      }
    }
  }
}

async function runAll(db: D1Database, statements: D1PreparedStatement[]): Promise<unknown[]> {
  const [only] = statements;
  return only && statements.length === 1 ? [await only.all()] : db.batch(statements);
}

/**
 * @param homes of the websites that its statements are about
 * @param find where the website is now; null: they are several, and no one database has all of them
 */
export function guardDatabase(db: D1Database, homes: number[], find: Find): D1Database {
  return new GuardedDatabase(db, homes, find) as unknown as D1Database;
}

/** The database itself. */
export const unguarded = (db: D1Database): D1Database => (db instanceof GuardedDatabase ? db.db : db);
