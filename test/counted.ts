import { countLedgers } from "../src/flows/operations/count-ledgers.ts";
import type { World } from "./world.ts";

/** What is counted of all days, by kind, after the sweep has counted. @param subject a website; `""`: all of them */
export async function countsOf(world: World, subject = ""): Promise<Record<string, number>> {
  await countLedgers(world.deps, world.now);
  const rows = await world.rows(
    "SELECT kind, sum(count) AS count FROM counts WHERE span = 'day' AND subject = ?1 GROUP BY 1 HAVING sum(count) <> 0",
    subject,
  );
  return Object.fromEntries(rows.map(({ kind, count }) => [String(kind), Number(count)]));
}

/** How submissions and callbacks ended, by minute, in the order of their minutes. */
export async function outcomesOf(world: World, wanted: "submission" | "callback") {
  const rows = await world.rows("SELECT detail, count FROM counts WHERE kind = 'outcome' ORDER BY at, detail");
  return rows.flatMap(({ detail, count }) => {
    const [kind, carrier, ...outcome] = String(detail).split(" ");
    return kind === wanted ? [{ carrier, outcome: outcome.join(" "), count }] : [];
  });
}
