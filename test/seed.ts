import type { World } from "./world.ts";

/** Writes rows of a table in one statement. @param columns SQL of each, in which `i` counts from 0 */
export async function seed(world: World, table: string, count: number, columns: Record<string, string>): Promise<void> {
  if (count === 0) return;
  const all = {
    ...(table === "events" ? { website_id: "'brand'", client_id: "''" } : {}),
    ...columns,
    ...(table === "messages" ? dueIfPending(columns) : {}),
  };
  await world.rows(
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})
     INSERT INTO ${table} (${Object.keys(all)}) SELECT ${Object.values(all)} FROM n`,
  );
}

/** A pending message has a job that is due, and no other has. */
function dueIfPending({ status = "'PENDING_TO_SEND'", due_at, accepted_at = "0" }: Record<string, string>) {
  return { due_at: `iif(${status} = 'PENDING_TO_SEND', ${due_at ?? accepted_at}, NULL)` };
}
