import { expect } from "vitest";
import type { World } from "./world.ts";

/** What D1 says of a try that may no longer run. */
export const REFUSAL = /try_is_over/;

const LOST = "D1_ERROR: Network connection lost.";

/** A transaction, or a statement of its own. */
export interface Call {
  sql: string[];
  isBatch: boolean;
  /** @param lateSeconds by how much the clock of D1 has gone on meanwhile */
  run(lateSeconds?: number): Promise<unknown>;
}

/** A database that leaves to `around` when, and whether, each call runs. */
export function runningAround(db: D1Database, around: (call: Call) => Promise<unknown>): D1Database {
  const made = new WeakMap<D1PreparedStatement, { sql: string; values: unknown[]; original: D1PreparedStatement }>();
  const wrap = (sql: string, values: unknown[]): D1PreparedStatement => {
    const original = values.length > 0 ? db.prepare(sql).bind(...values) : db.prepare(sql);
    const all = async () => around({ sql: [sql], isBatch: false, run: async () => original.all() });
    const statement = { bind: (...given: unknown[]) => wrap(sql, given), all } as unknown as D1PreparedStatement;
    made.set(statement, { sql, values, original });
    return statement;
  };
  const batch = async (statements: D1PreparedStatement[]) => {
    const all = statements.map((statement) => made.get(statement) ?? { sql: "", values: [], original: statement });
    const run = async (lateSeconds = 0) =>
      db.batch(
        all.map(({ sql, values: [deadline, ...others], original }) =>
          lateSeconds > 0 && sql.includes("INTO late_tries")
            ? db.prepare(sql).bind(Number(deadline) - lateSeconds * 1000, ...others)
            : original,
        ),
      );
    return around({ sql: all.map(({ sql }) => sql), isBatch: true, run });
  };
  return { prepare: (sql: string) => wrap(sql, []), batch } as unknown as D1Database;
}

/** The tries whose answer was lost, and that D1 has yet to run. */
export class LateTries {
  readonly #tries: Call[] = [];

  /** Work in a Worker whose D1 answers as `loses` says. @param loses whether it has yet to run this try; its answer is lost */
  async during<T>(world: World, work: () => Promise<T>, loses: (call: Call) => boolean): Promise<T> {
    const { deps } = world;
    const around = async (call: Call) => {
      if (!call.isBatch || !loses(call)) return call.run();
      this.#tries.push(call);
      throw new Error(LOST);
    };
    world.deps = { ...deps, db: runningAround(deps.db, around) };
    try {
      return await work();
    } finally {
      world.deps = deps;
    }
  }

  get count(): number {
    return this.#tries.length;
  }

  /** D1 runs them, the last one first. @returns what it says of each: null where it took effect */
  async run(lateSeconds = 0): Promise<(string | null)[]> {
    const said: (string | null)[] = [];
    for (const { run } of this.#tries.splice(0).reverse())
      said.push(
        await run(lateSeconds).then(
          () => null,
          (error: unknown) => String(error),
        ),
      );
    return said;
  }
}

/** The first try of each transaction. */
export const isFirst = ({ sql }: Call): boolean => !sql.some((one) => one.includes("INTO ended_tries"));

/** The first transaction takes effect, and its answer is lost. @param between what happens before the next try */
export async function losingAnswer<T>(
  world: World,
  work: () => Promise<T>,
  between: () => Promise<unknown>,
  text = "",
): Promise<T> {
  const { deps } = world;
  let isOver = false;
  const lose = async ({ sql, isBatch, run }: Call) => {
    const results = await run();
    if (!isBatch || isOver || !sql.some((one) => one.includes(text))) return results;
    isOver = true;
    world.deps = deps;
    await between();
    throw new Error(LOST);
  };
  world.deps = { ...deps, db: runningAround(deps.db, lose) };
  const result = await work();
  world.deps = deps;
  expect(isOver).toBe(true);
  return result;
}

/** From now on, `act` is done before each transaction that has this text. @returns what ends that */
export function beforeRunning(world: World, text: string, act: () => Promise<unknown>): () => void {
  const { db } = world.deps;
  const actFirst = async ({ sql, isBatch, run }: Call) => {
    if (isBatch && sql.some((one) => one.includes(text))) await act();
    return run();
  };
  world.deps = { ...world.deps, db: runningAround(db, actFirst) };
  return () => {
    world.deps = { ...world.deps, db };
  };
}

/** From now on, no transaction or statement of its own that has this text takes effect, or has an answer. @returns what ends that */
export function losingAll(world: World, text: string): () => void {
  const { db } = world.deps;
  const lose = async ({ sql, run }: Call) => {
    if (sql.some((one) => one.includes(text))) throw new Error(LOST);
    return run();
  };
  world.deps = { ...world.deps, db: runningAround(db, lose) };
  return () => {
    world.deps = { ...world.deps, db };
  };
}
