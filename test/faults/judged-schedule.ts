import { expect } from "vitest";
import type { Row } from "../../src/store/database.ts";
import { Comparer } from "./compare.ts";
import { confirmationOf } from "./outside.ts";
import { Schedule } from "./schedule.ts";
import { printSummary } from "./summary.ts";

/** @param steps how many events are drawn from the seed */
export async function expectNothingLost(seed: number, isStormy: boolean, steps: number): Promise<void> {
  const schedule = await Schedule.create(seed, isStormy);
  schedule.scene.mayBeUnposted = isStormy;
  await schedule.run(steps);
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

function faultOf(schedule: Schedule, row: Row): string[] {
  const fault = schedule.judge(row);
  return fault === undefined ? [] : [`${row.message_id}: ${row.status} (${row.reason}): ${fault}`];
}
