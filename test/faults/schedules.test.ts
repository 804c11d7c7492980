import { afterEach, describe, expect, inject, it, vi } from "vitest";
import type { Row } from "../../src/store/database.ts";
import { Comparer } from "./compare.ts";
import { confirmationOf } from "./outside.ts";
import { Schedule } from "./schedule.ts";
import { printSummary } from "./summary.ts";

const STEPS = 120;
/** FAULT_FROM_SEED repeats a run: the seeds go on from it. */
const SEEDS = Array.from({ length: inject("faultSeeds") }, (_, index) => inject("faultFromSeed") + index);

afterEach(() => {
  vi.restoreAllMocks();
});

describe("jobs that come twice, out of order, hours late or never, and receipts at any time", () => {
  it.each(SEEDS)("lose nothing and send nothing twice: seed %d", (seed) => run(seed, false));

  it.each(SEEDS)("nor while bindings fail at random: seed %d", (seed) => run(seed, true));

  async function run(seed: number, isStormy: boolean): Promise<void> {
    const schedule = await Schedule.create(seed, isStormy);
    schedule.scene.mayBeUnposted = isStormy;
    await schedule.run(STEPS);
    const { stage, scene, late, counts } = schedule;
    const rows = (await stage.world.rows("SELECT * FROM messages")) as Row[];
    // The confirmations of STOP are the service's own: as many as it has stored.
    const isReply = (row: Row) => row.text === confirmationOf("brand");
    const wrong = rows.filter((row) => !isReply(row)).flatMap((row) => faultOf(schedule, row));
    const comparer = await Comparer.read(stage);
    const { violations, counts: compared } = comparer.compare([scene]);
    const strays = (await comparer.strays()).filter((stray) => !stray.includes(confirmationOf("brand")));
    printSummary(`seed ${seed}${isStormy ? ", stormy" : ""}: ${JSON.stringify(compared)}, ${JSON.stringify(counts)}`);
    expect({ wrong, violations, strays, late }).toEqual({ wrong: [], violations: [], strays: [], late: [] });
  }
});

function faultOf(schedule: Schedule, row: Row): string[] {
  const fault = schedule.judge(row);
  return fault === undefined ? [] : [`${row.message_id}: ${row.status} (${row.reason}): ${fault}`];
}
