import { silent } from "./silence.ts";

/**
 * D1 whose first calls fail.
 * @param when before the statements run, or after they took effect
 * @param which "batches" lets single queries through
 */
export function failingDatabase(
  db: D1Database,
  failures: number,
  when: "before" | "after" = "before",
  error = "D1_ERROR: Network connection lost.",
  which: "all" | "batches" = "all",
): D1Database {
  let left = failures;
  const fail = async <T>(run: () => Promise<T>): Promise<T> => {
    const fails = left-- > 0;
    if (fails && when === "before") throw new Error(error);
    const result = await run();
    if (fails) throw new Error(error);
    return result;
  };
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement =>
    new Proxy(statement, {
      get: (target, name) => {
        if (name === "bind") return (...values: unknown[]) => wrap(target.bind(...values));
        if (name === "all" && which === "all") return () => fail(() => target.all());
        if (name === "original") return target;
        return Reflect.get(target, name);
      },
    });
  const original = (statement: D1PreparedStatement) =>
    (statement as D1PreparedStatement & { original?: D1PreparedStatement }).original ?? statement;
  return {
    prepare: (sql: string) => wrap(db.prepare(sql)),
    batch: (statements: D1PreparedStatement[]) => fail(() => db.batch(statements.map(original))),
  } as unknown as D1Database;
}

/** D1 whose nth transaction waits until it is released: what happens meanwhile comes between a flow's reads and its writes. */
export function heldDatabase(db: D1Database, nth: number): { db: D1Database; reached: Promise<void>; release(): void } {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let count = 0;
  const batch = async (statements: D1PreparedStatement[]) => {
    if (++count === nth) {
      reached.resolve();
      await released.promise;
    }
    return db.batch(statements);
  };
  const held = { prepare: (sql: string) => db.prepare(sql), batch } as unknown as D1Database;
  return { db: held, reached: reached.promise, release: released.resolve };
}

/** D1 that never answers the statements that match, nor what runs with them, and runs them only when it is told to commit. */
export function lateDatabase(db: D1Database, matches: RegExp): { db: D1Database; commit(): Promise<void> } {
  const late: (() => Promise<unknown>)[] = [];
  const lateStatements = new WeakSet<D1PreparedStatement>();
  const defer = <T>(run: () => Promise<T>): Promise<T> => {
    late.push(run);
    return silent<T>();
  };
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = new Proxy(statement, {
      get: (target, name) => {
        if (name === "bind") return (...values: unknown[]) => wrap(target.bind(...values));
        if (name === "all") return () => defer(() => target.all());
        if (name === "original") return target;
        return Reflect.get(target, name);
      },
    });
    lateStatements.add(wrapped);
    return wrapped;
  };
  const original = (statement: D1PreparedStatement) =>
    (statement as D1PreparedStatement & { original?: D1PreparedStatement }).original ?? statement;
  const batch = (statements: D1PreparedStatement[]) => {
    const run = () => db.batch(statements.map(original));
    return statements.some((statement) => lateStatements.has(statement)) ? defer(run) : run();
  };
  const prepare = (sql: string) => (matches.test(sql) ? wrap(db.prepare(sql)) : db.prepare(sql));
  const commit = async () => {
    for (const run of late.splice(0)) await run();
  };
  return { db: { prepare, batch } as unknown as D1Database, commit };
}

/**
 * D1 that lets somebody else act as soon as an answer of it names this id: between what a flow has read and what it writes next.
 * @param act must not use this very database, which would be a part of the flow
 */
export function racingDatabase(
  db: D1Database,
  id: string,
  act: () => Promise<unknown>,
): { db: D1Database; hasActed(): boolean } {
  let hasActed = false;
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();
  const race = async <T>(answer: T): Promise<T> => {
    if (hasActed || !JSON.stringify(answer).includes(id)) return answer;
    hasActed = true;
    await act();
    return answer;
  };
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = new Proxy(statement, {
      get: (target, name) => {
        if (name === "bind") return (...values: unknown[]) => wrap(target.bind(...values));
        if (name === "all") return async () => race(await target.all());
        return Reflect.get(target, name);
      },
    });
    originals.set(wrapped, statement);
    return wrapped;
  };
  const batch = async (statements: D1PreparedStatement[]) =>
    race(await db.batch(statements.map((statement) => originals.get(statement) ?? statement)));
  const racing = { prepare: (sql: string) => wrap(db.prepare(sql)), batch } as unknown as D1Database;
  return { db: racing, hasActed: () => hasActed };
}

/**
 * D1 that lets somebody else act right before it runs the nth statement that matches.
 * @param act must not use this very database, which would be a part of the flow
 */
export function overtakenDatabase(
  db: D1Database,
  matches: RegExp,
  nth: number,
  act: () => Promise<unknown>,
): D1Database {
  let count = 0;
  const overtake = async () => {
    if (++count === nth) await act();
  };
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = new Proxy(statement, {
      get: (target, name) => {
        if (name === "bind") return (...values: unknown[]) => wrap(target.bind(...values));
        if (name === "all") return () => overtake().then(() => target.all());
        return Reflect.get(target, name);
      },
    });
    originals.set(wrapped, statement);
    return wrapped;
  };
  const batch = async (statements: D1PreparedStatement[]) => {
    if (statements.some((statement) => originals.has(statement))) await overtake();
    return db.batch(statements.map((statement) => originals.get(statement) ?? statement));
  };
  const prepare = (sql: string) => (matches.test(sql) ? wrap(db.prepare(sql)) : db.prepare(sql));
  return { prepare, batch } as unknown as D1Database;
}
