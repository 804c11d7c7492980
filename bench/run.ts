// Measures the service against a floor and the usual way, side by side. `npm run bench -- --help` lists the flags.
import { parseArgs } from "node:util";
import { makeScratch } from "../test/node/harness/scratch.ts";
import { buildWorkers, WORKERS } from "./build.ts";
import { measureBulk } from "./bulk.ts";
import { measureBundle } from "./bundle.ts";
import { othersShare, readMachine } from "./cpu.ts";
import { measureBeside } from "./databases/beside.ts";
import { measureCores } from "./databases/cores.ts";
import { measureEight, measureEightAtPrice } from "./databases/eight.ts";
import { measureDeliveries } from "./deliver.ts";
import { type EdgeOptions, measureEdge } from "./edge/measure.ts";
import type { Figures } from "./figures.ts";
import { MOST_IMPORTED, measureImports } from "./import.ts";
import { measureLimiter } from "./limiter.ts";
import { measurePieces } from "./pieces.ts";
import { printReport } from "./report.ts";
import { type StartOptions, start, type Workers } from "./service.ts";
import { compareSingles, prepareSingles, type SingleRow } from "./single.ts";
import { measureStatus } from "./status.ts";

const PARTS = ["bundle", "send", "status", "bulk", "limit", "import", "deliver", "pieces"];
/** Requests of one message or number, beside the floors. */
const SINGLE = ["send", "status"];
/** What else runs beside the floors, over the stores of all. */
const BESIDE = ["status", "bulk", "limit"];

/** Only asked for by name; they need no Worker, or build their own. */
const EDGE = "edge";
const DATABASES = "databases";
const BY_NAME = [EDGE, DATABASES];

const HELP = `npm run bench -- [flags]
  --only ${PARTS.join(",")}   what to measure; all by default
  --seconds 0.5                            how long each load of a round lasts
  --subscriptions 10000,1000000,5000000    the sizes of the tables that numbers are looked up in
  --json                                   JSON on standard output in place of the tables

  --only databases                         eight databases over one; beside one that is slow or silent; two processes: 25 minutes

  --edge                                   measures at the platform's price, and nothing else that --only does not name
  --writing-ms 4, --reading-ms 0.7         how long a call keeps the one thread of its database busy, besides its statements
  --network-ms 5                           one way to a database, to an object or to a queue
  --consumers 250                          batches of a queue at a time, where wrangler.toml allows more
  --campaign 5000                          messages of the bulk campaign
  --slow 4                                 how many times slower the model runs; as slow as this machine needs it by default`;

const { values: flags } = parseArgs({
  options: {
    only: { type: "string" },
    seconds: { type: "string", default: "0.5" },
    subscriptions: { type: "string", default: "10000,1000000,5000000" },
    json: { type: "boolean", default: false },
    edge: { type: "boolean", default: false },
    "writing-ms": { type: "string", default: "4" },
    "reading-ms": { type: "string", default: "0.7" },
    "network-ms": { type: "string", default: "5" },
    consumers: { type: "string", default: "250" },
    campaign: { type: "string", default: "5000" },
    slow: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

if (flags.help) console.log(HELP);
else await run([...(flags.only?.split(",") ?? (flags.edge ? [] : PARTS)), ...(flags.edge ? [EDGE] : [])]);

async function run(parts: string[]): Promise<void> {
  const unknown = parts.find((part) => ![...PARTS, ...BY_NAME].includes(part));
  if (unknown !== undefined)
    throw new Error(`--only takes ${[...PARTS, ...BY_NAME].join(", ")}; there is no ${unknown}`);
  const seconds = positive("seconds", flags.seconds);
  const tables = flags.subscriptions.split(",").map((size) => positive("subscriptions", size));
  const known = parts.includes("status") ? tables.reduce((sum, size) => sum + size, 0) : 0;
  const imported = parts.includes("import") ? MOST_IMPORTED : 0;
  const directory = await makeScratch(known + imported);
  const figures: Figures = {};
  const machineBefore = await readMachine();
  const measure = async (part: string, work: () => Promise<void>) => {
    if (!parts.includes(part)) return;
    process.stderr.write(`${(performance.now() / 1000).toFixed(0)} s: ${part}\n`);
    await work();
  };
  if (parts.some((part) => !BY_NAME.includes(part) || part === DATABASES)) await buildWorkers(directory);
  await measure("bundle", async () => {
    figures.bundle = await measureBundle(directory);
  });
  if (parts.some((part) => SINGLE.includes(part))) {
    await withWorkers({ directory, names: WORKERS, withConsumers: false }, async (workers) => {
      const singles = await prepareSingles(workers, "single");
      await measure("send", async () => {
        figures.send = await compare(workers, singles.send, [1, 32, 128], seconds);
      });
      await measure("status", async () => {
        figures.statusOfOne = await compare(workers, singles.status, [1, 32], seconds);
      });
    });
  }
  if (parts.some((part) => BESIDE.includes(part))) {
    await withWorkers({ directory, names: WORKERS, withConsumers: false, withInspector: true }, async (workers) => {
      await measure("status", async () => {
        figures.status = await measureStatus(workers, tables);
      });
      await measure("bulk", async () => {
        figures.bulk = await measureBulk(workers, (await prepareSingles(workers, "single")).send, seconds);
      });
      await measure("limit", async () => {
        figures.limit = await measureLimiter(workers, seconds);
      });
    });
  }
  await measure("import", () =>
    withWorkers({ directory, names: ["service"], withConsumers: false, withInspector: true }, async (workers) => {
      figures.imports = await measureImports(workers);
    }),
  );
  await measure("deliver", () =>
    withWorkers({ directory, names: ["service"], withConsumers: true }, (workers) =>
      withWorkers({ directory, names: ["deliveryFloor"], withConsumers: true }, async (floor) => {
        figures.deliver = await measureDeliveries(workers, floor);
      }),
    ),
  );
  await measure(EDGE, async () => {
    figures.edge = await measureEdge(directory, readEdgeOptions());
  });
  await measure(DATABASES, async () => {
    const { price, slow = 1 } = readEdgeOptions();
    figures.databases = {
      eight: await measureEight(directory, seconds),
      eightAtPrice: await measureEightAtPrice(directory, price),
      cores: await measureCores(directory, seconds),
      beside: await measureBeside(directory, { ...price, slow }),
    };
  });
  await measure("pieces", async () => {
    figures.pieces = measurePieces();
  });
  const machineAfter = await readMachine();
  if (machineBefore && machineAfter) figures.othersShare = othersShare(machineBefore, machineAfter);
  printReport(figures, flags.json);
}

async function withWorkers<Name extends string>(
  options: StartOptions<Name>,
  work: (workers: Workers<Name>) => Promise<void>,
): Promise<void> {
  const workers = await start(options);
  try {
    await work(workers);
  } finally {
    await workers.close();
  }
}

type Requests = Awaited<ReturnType<typeof prepareSingles>>["send"];

async function compare(workers: Workers, requests: Requests, connections: number[], seconds: number) {
  const rows: SingleRow[] = [];
  for (const count of connections) {
    const row = await compareSingles(workers, requests, count, seconds);
    if (row) rows.push(row);
  }
  return rows;
}

function readEdgeOptions(): EdgeOptions {
  return {
    slow: flags.slow === undefined ? undefined : positive("slow", flags.slow),
    price: {
      writingCall: positive("writing-ms", flags["writing-ms"]),
      readingCall: positive("reading-ms", flags["reading-ms"]),
      network: positive("network-ms", flags["network-ms"]),
      consumers: positive("consumers", flags.consumers),
    },
    campaign: positive("campaign", flags.campaign),
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} must be a positive number`);
  return value;
}
