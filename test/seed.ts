import type { World } from "./world.ts";

/** Writes rows of a table in one statement. @param columns SQL of each, in which `i` counts from 0 */
export async function seed(world: World, table: string, count: number, columns: Record<string, string>): Promise<void> {
  if (count === 0) return;
  await world.rows(
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})
     INSERT INTO ${table} (${Object.keys(columns)}) SELECT ${Object.values(columns)} FROM n`,
  );
}
