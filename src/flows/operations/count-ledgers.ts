import type { Deps } from "../../deps.ts";
import { countStep } from "../../store/operations/count-ledgers.ts";

/** Steps of one sweep: 600,000 rows of each ledger. Ten websites that send 300 texts a second each need 54. */
const MOST_STEPS = 60;

/** Counts what the ledgers have since the last sweep. @returns the number of rows that were counted */
export async function countLedgers({ db }: Deps, now: number): Promise<number> {
  let rows = 0;
  for (let step = 0; step < MOST_STEPS; step++) {
    const counted = await countStep(db, now);
    rows += counted.rows;
    if (!counted.isBehind) break;
  }
  return rows;
}
