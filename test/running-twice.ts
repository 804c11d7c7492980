/** D1 of which each transaction takes effect, is lost, and runs again. @param isLost asked for each of them */
export function runningTwice(db: D1Database, isLost: () => boolean): D1Database {
  const batch: D1Database["batch"] = async (statements) => {
    const first = await db.batch(statements);
    return (isLost() ? await db.batch(statements) : first) as never;
  };
  return new Proxy(db, {
    get: (target, name) =>
      name === "batch" ? batch : name === "prepare" ? target.prepare.bind(target) : Reflect.get(target, name),
  });
}
