// Breaks the service from outside, and counts what comes of it. `npm run faults -- --help` lists the flags.
import { type SpawnOptions, spawn } from "node:child_process";
import { parseArgs } from "node:util";
import { ROOT } from "../../../scripts/wrangler.ts";
import { type Bundle, buildBundle } from "../harness/killable-service.ts";
import { printRows } from "../harness/table.ts";
import { callbackFaults } from "./crash/callback-faults.ts";
import { validateCarrier } from "./crash/carrier-faults.ts";
import { type CrashResult, crash } from "./crash/crash.ts";
import { heldUp } from "./crash/neighbors.ts";
import { printCallbacks, printCarrier, printCrash, printFaults, printFigures } from "./crash/report.ts";
import { scheduled } from "./crash/scheduled.ts";

const HELP = `npm run faults -- [flags]
  --only crash,scheduled,carrier,callback,nights,fuzz,soak,console,bindings,suites   which parts; all by default
  --seeds 1,2,3      the same seed makes the same plan of requests, kills and receipts; fuzz takes the first
  --messages 10000   of a crash run
  --kills 10         of a crash run: kill -9 of the whole service under load. A fifth of the requests is of a website whose sender and
                     fallback each have a pace and fail again and again; half of the kills come among them
  --keep             leaves each service's state and log in the temporary directory, and says where
Exits with 1 when anything was lost, sent twice, sent above a pace or held up, when a problem showed too late, or when the record does not say what was
seen from outside.`;

/** What came of one part: faults found, a line each. */
type Part = (options: Options) => Promise<string[]>;

interface Options {
  bundle(): Promise<Bundle>;
  seeds: number[];
  messages: number;
  kills: number;
  keep: boolean;
}

const TRIALS = "test/node/trials";
const VITEST = ["node_modules/vitest/vitest.mjs", "run", "--project"];
const SUITES = ["test/faults", "test/simulation"];
/** Suites whose short forms are among the tests. */
const LONG_FORMS = [
  "test/flows/messages/hours-never.long.test.ts",
  "test/flows/messages/scheduled-beside-others.test.ts",
  "test/flows/messages/scheduled.long.test.ts",
  "test/store/operations/report-counts.long.test.ts",
];

/** How long a part that is a program of its own may take. */
const LONGEST_PROGRAM_MILLISECONDS = 5_400_000;

const PARTS: Record<string, Part> = {
  crash: runCrash,
  scheduled: runScheduled,
  carrier: runCarrier,
  callback: runCallback,
  nights: (options) => runNode([`${TRIALS}/nights.ts`, ...(options.keep ? ["--keep"] : [])], options),
  fuzz: (options) => runNode([`${TRIALS}/fuzz.ts`, "--seed", String(options.seeds[0] ?? 1)], options),
  soak: (options) => runNode([`${TRIALS}/soak.ts`], options),
  console: (options) => runNode([...VITEST, "node", "test/node/console/first-numbers.trial.ts"], options),
  bindings: (options) => runNode([...VITEST, "worker", ...SUITES], options),
  suites: (options) => runNode([...VITEST, "worker", ...LONG_FORMS], options),
};

const { values: flags } = parseArgs({
  options: {
    only: { type: "string" },
    seeds: { type: "string", default: "1,2,3" },
    messages: { type: "string", default: "10000" },
    kills: { type: "string", default: "10" },
    keep: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
if (flags.help) console.log(HELP);
else process.exitCode = await run();

async function run(): Promise<number> {
  const chosen = flags.only?.split(",") ?? Object.keys(PARTS);
  const unknown = chosen.filter((name) => !(name in PARTS));
  if (unknown.length > 0) throw new Error(`--only: ${unknown} is none of ${Object.keys(PARTS)}`);
  let built: Promise<Bundle> | undefined;
  const options: Options = {
    bundle: () => {
      built ??= buildBundle();
      return built;
    },
    seeds: flags.seeds.split(",").map((seed) => wholeNumber("seeds", seed)),
    messages: wholeNumber("messages", flags.messages),
    kills: wholeNumber("kills", flags.kills),
    keep: flags.keep,
  };
  const results: [name: string, seconds: number, faults: string[]][] = [];
  for (const name of chosen) {
    const started = performance.now();
    console.log(`\n${name}, seeds ${options.seeds}`);
    const faults = (await PARTS[name]?.(options)) ?? [];
    printFaults(faults);
    results.push([name, (performance.now() - started) / 1000, faults]);
  }
  (await built)?.remove();
  console.log("");
  printRows(
    [
      ["part", "seconds", "faults"],
      ...results.map(([name, seconds, faults]) => [name, seconds.toFixed(0), faults.length]),
    ],
    1,
  );
  return results.some(([, , faults]) => faults.length > 0) ? 1 : 0;
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || text.trim() === "")
    throw new Error(`--${name}: ${text} is no whole number`);
  return value;
}

/** One seed after the other: each takes all of a core. */
async function runCrash({ bundle, seeds, messages, kills, keep }: Options): Promise<string[]> {
  const results: CrashResult[] = [];
  for (const seed of seeds) results.push(await crash({ bundle: await bundle(), seed, messages, kills, keep }));
  printCrash(seeds, results);
  return results.flatMap(({ faults }, index) => faults.map((fault) => `seed ${seeds[index]}: ${fault}`));
}

/** All seeds at a time: most of it is waiting. */
async function runScheduled({ bundle, seeds, keep }: Options): Promise<string[]> {
  const built = await bundle();
  const results = await Promise.all(seeds.map((seed) => scheduled({ bundle: built, seed, keep })));
  printFigures(seeds, results);
  return results.flatMap(({ faults }, index) => faults.map((fault) => `seed ${seeds[index]}: ${fault}`));
}

/** All seeds at a time: most of it is waiting. */
async function runCarrier({ bundle, seeds, keep }: Options): Promise<string[]> {
  const built = await bundle();
  const rows = (await Promise.all(seeds.map((seed) => validateCarrier({ bundle: built, seed, keep })))).flat();
  printCarrier(rows);
  return rows.flatMap((row) => [...row.faults, ...heldUp(`carrier ${row.fault}`, row.healthy)]);
}

async function runCallback({ bundle, seeds, keep }: Options): Promise<string[]> {
  const built = await bundle();
  const rows = (await Promise.all(seeds.map((seed) => callbackFaults({ bundle: built, seed, keep })))).flat();
  printCallbacks(rows);
  return rows.flatMap((row) => [...row.faults, ...heldUp(`endpoint ${row.fault}`, row.healthy)]);
}

/** A program of its own, which says by its exit code whether it has found a fault. */
function runNode(parameters: string[], { seeds }: Options): Promise<string[]> {
  const options: SpawnOptions = {
    cwd: ROOT,
    stdio: "inherit",
    timeout: LONGEST_PROGRAM_MILLISECONDS,
    env: { ...process.env, FAULT_SEEDS: String(seeds.length) },
  };
  const { promise, resolve, reject } = Promise.withResolvers<string[]>();
  spawn(process.execPath, parameters, options)
    .on("error", reject)
    .on("exit", (code) => resolve(code === 0 ? [] : [`${parameters.join(" ")} ended with ${code ?? "a signal"}`]));
  return promise;
}
