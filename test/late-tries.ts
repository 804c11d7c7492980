import type { World } from "./world.ts";

/**
 * Work whose first transaction is lost: its try has no answer, and the next one has.
 * @returns what runs the lost try, as D1 may up to half a minute later
 */
export async function losingFirst(world: World, work: () => Promise<unknown>): Promise<() => Promise<unknown>> {
  const { deps } = world;
  let late: D1PreparedStatement[] | undefined;
  const batch = async (statements: D1PreparedStatement[]) => {
    if (late) return deps.db.batch(statements);
    late = statements;
    throw new Error("D1_ERROR: Network connection lost.");
  };
  world.deps = { ...deps, db: { prepare: (sql: string) => deps.db.prepare(sql), batch } as unknown as D1Database };
  await work();
  world.deps = deps;
  return () => deps.db.batch(late ?? []);
}
