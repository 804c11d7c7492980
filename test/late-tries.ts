import type { World } from "./world.ts";

/** Runs a transaction, or a statement of its own. @param sql of its statements */
type Run = <T>(sql: string[], isBatch: boolean, run: () => Promise<T>) => Promise<T>;

/** A database that leaves to `around` when, and whether, each transaction runs. */
function runningAround(db: D1Database, around: Run): D1Database {
  const texts = new WeakMap<D1PreparedStatement, string>();
  const sqlOf = (statements: D1PreparedStatement[]) => statements.map((one) => texts.get(one) ?? "");
  const named = (statement: D1PreparedStatement, sql: string): D1PreparedStatement => {
    const { bind, all } = statement;
    texts.set(statement, sql);
    statement.bind = (...values) => named(bind.apply(statement, values), sql);
    statement.all = (async () => around([sql], false, () => all.call(statement))) as typeof all;
    return statement;
  };
  return {
    prepare: (sql: string) => named(db.prepare(sql), sql),
    batch: async (statements: D1PreparedStatement[]) => around(sqlOf(statements), true, () => db.batch(statements)),
  } as unknown as D1Database;
}

/**
 * Work one of whose tries is lost: it has no answer, and the next one has.
 * @param text which: the first transaction, or statement of its own, that has this text; left out: the first transaction
 * @returns what runs the lost try, as D1 may up to half a minute later
 */
export async function losingFirst(
  world: World,
  work: () => Promise<unknown>,
  text?: string,
): Promise<() => Promise<unknown>> {
  const { deps } = world;
  let late: (() => Promise<unknown>) | undefined;
  const loseOr: Run = (sql, isBatch, run) => {
    const isMeant = text === undefined ? isBatch : sql.some((one) => one.includes(text));
    if (late || !isMeant) return run();
    late = run;
    throw new Error("D1_ERROR: Network connection lost.");
  };
  world.deps = { ...deps, db: runningAround(deps.db, loseOr) };
  await work();
  world.deps = deps;
  if (!late) throw new Error(`nothing was lost: ${text}`);
  return late;
}

/** The first transaction takes effect, and its answer is lost. @param between what happens before the next try */
export async function losingAnswer<T>(
  world: World,
  work: () => Promise<T>,
  between: () => Promise<unknown>,
): Promise<T> {
  const { deps } = world;
  let tries = 0;
  const lose: Run = async (_, isBatch, run) => {
    const results = await run();
    if (!isBatch || ++tries > 1) return results;
    world.deps = deps;
    await between();
    throw new Error("D1_ERROR: Network connection lost.");
  };
  world.deps = { ...deps, db: runningAround(deps.db, lose) };
  const result = await work();
  world.deps = deps;
  return result;
}

/** From now on, `act` is done before each transaction that has this text. @returns what ends that */
export function beforeRunning(world: World, text: string, act: () => Promise<unknown>): () => void {
  const { db } = world.deps;
  const actFirst: Run = async (sql, isBatch, run) => {
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
  const lose: Run = async (sql, _, run) => {
    if (sql.some((one) => one.includes(text))) throw new Error("D1_ERROR: Network connection lost.");
    return run();
  };
  world.deps = { ...world.deps, db: runningAround(db, lose) };
  return () => {
    world.deps = { ...world.deps, db };
  };
}
