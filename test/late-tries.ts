import type { World } from "./world.ts";

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
  const texts = new WeakMap<D1PreparedStatement, string>();
  let late: (() => Promise<unknown>) | undefined;
  const loseOr = <T>(statements: D1PreparedStatement[], isBatch: boolean, run: () => Promise<T>): Promise<T> => {
    const isMeant = text === undefined ? isBatch : statements.some((one) => texts.get(one)?.includes(text));
    if (late || !isMeant) return run();
    late = run;
    throw new Error("D1_ERROR: Network connection lost.");
  };
  const named = (statement: D1PreparedStatement, sql: string): D1PreparedStatement => {
    const { bind, all } = statement;
    texts.set(statement, sql);
    statement.bind = (...values) => named(bind.apply(statement, values), sql);
    statement.all = (async () => loseOr([statement], false, () => all.call(statement))) as typeof all;
    return statement;
  };
  const db = {
    prepare: (sql: string) => named(deps.db.prepare(sql), sql),
    batch: async (statements: D1PreparedStatement[]) => loseOr(statements, true, () => deps.db.batch(statements)),
  };
  world.deps = { ...deps, db: db as unknown as D1Database };
  await work();
  world.deps = deps;
  if (!late) throw new Error(`nothing was lost: ${text}`);
  return late;
}
