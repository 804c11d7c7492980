/** What a D1 was asked, as it bills: calls, and rows read and written. */
export interface Usage {
  calls: number;
  rowsRead: number;
  rowsWritten: number;
}

/**
 * D1 that counts what it is asked. `take` returns the counts since the last call of it.
 * @param onCall gets the texts of each call's statements
 */
export function countingDatabase(
  db: D1Database,
  onCall: (texts: string[]) => void = () => {},
): { db: D1Database; take(): Usage } {
  const nothing = (): Usage => ({ calls: 0, rowsRead: 0, rowsWritten: 0 });
  let usage = nothing();
  const count = <T extends D1Result<unknown>>(results: T[]): T[] => {
    usage.calls += 1;
    for (const { meta } of results) {
      usage.rowsRead += meta.rows_read;
      usage.rowsWritten += meta.rows_written;
    }
    return results;
  };
  const note = (statements: D1PreparedStatement[]) =>
    onCall((statements as unknown as { statement: string }[]).map(({ statement }) => statement));
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = new Proxy(statement, {
      get: (target, name) => {
        if (name === "bind") return (...values: unknown[]) => wrap(target.bind(...values));
        if (name === "all")
          return async () => {
            note([target]);
            return count([await target.all()])[0];
          };
        return Reflect.get(target, name);
      },
    });
    originals.set(wrapped, statement);
    return wrapped;
  };
  const counting = {
    prepare: (sql: string) => wrap(db.prepare(sql)),
    batch: async (statements: D1PreparedStatement[]) => {
      const own = statements.map((statement) => originals.get(statement) ?? statement);
      note(own);
      return count(await db.batch(own));
    },
  } as unknown as D1Database;
  const take = () => {
    const taken = usage;
    usage = nothing();
    return taken;
  };
  return { db: counting, take };
}
