// The version before is upgraded to this one and rolled back, under load; then what was counted outside is compared with the
// record. `npm run faults -- --only upgrade`, or `node test/node/trials/upgrade.ts --help`.
import { parseArgs } from "node:util";
import { buildBundle } from "../harness/killable-service.ts";
import { printRows } from "../harness/table.ts";
import { printFaults } from "./crash/report.ts";
import { checkOut, compareMigrations, findPrevious, NoHistory, resolveCommit } from "./upgrade/previous.ts";
import { type RolloutResult, rollOut } from "./upgrade/rollout.ts";

const HELP = `node test/node/trials/upgrade.ts [flags]
  --from <commit>   the version to upgrade from; by default the one before the newest migration. Not one from before
                    0004_dead_jobs.sql, which lacks the GET /operator/health that tells when nothing waits any more
  --seeds 1,2,3     the same seed makes the same plan of requests and receipts. Odd ones replace a version at rest, as a
                    deploy does; even ones kill it under load
  --messages 2000   of each seed
  --keep            leaves the state and the log of each service in the temporary directory, and says where
Exits with 1 when anything was lost, sent or called back twice, or when the record does not say what was seen from outside.
Needs the project's history: without it, it says so, and does not run.`;

const { values: flags } = parseArgs({
  options: {
    from: { type: "string" },
    seeds: { type: "string", default: "1,2,3" },
    messages: { type: "string", default: "2000" },
    keep: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
if (flags.help) console.log(HELP);
else process.exitCode = await run();

async function run(): Promise<number> {
  let commit: string;
  try {
    commit = flags.from === undefined ? await findPrevious() : await resolveCommit(flags.from);
  } catch (error) {
    if (!(error instanceof NoHistory) || flags.from !== undefined) throw error;
    console.log(`upgrade did not run: ${error.message}`);
    return 0;
  }
  const checkout = await checkOut(commit);
  const migrations = await compareMigrations(checkout);
  const names = migrations.added.map((path) => path.replace(/.*\//, ""));
  console.log(`from ${commit.slice(0, 7)}; migrations: ${names.length > 0 ? names.join(", ") : "none"}`);
  const [previous, present] = [await buildBundle(checkout.directory), await buildBundle()];
  const seeds = flags.seeds.split(",").map(Number);
  const results: RolloutResult[] = [];
  for (const seed of seeds) {
    const messages = Number(flags.messages);
    results.push(await rollOut({ previous, present, migrations, seed, messages, keep: flags.keep }));
  }
  const figures = Object.keys(results[0]?.figures ?? {});
  printRows(
    [
      ["", ...seeds.map((seed) => `seed ${seed}`)],
      ...figures.map((name) => [name, ...results.map((result) => result.figures[name] ?? "")]),
    ],
    1,
  );
  const faults = results.flatMap((result, index) => result.faults.map((fault) => `seed ${seeds[index]}: ${fault}`));
  printFaults([...migrations.faults, ...faults]);
  return migrations.faults.length + faults.length > 0 ? 1 : 0;
}
