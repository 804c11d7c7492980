// Measures the service against a floor and the usual way, side by side. `npm run bench -- --help` lists the flags.
import { parseArgs } from "node:util";
import { makeScratch } from "../test/node/harness/scratch.ts";
import { buildWorkers, WORKERS } from "./build.ts";
import { measureBulk } from "./bulk.ts";
import { measureDeliveries } from "./deliver.ts";
import { buildEdge } from "./edge/build.ts";
import { measureFullSender } from "./edge/full-sender.ts";
import { type EdgeOptions, measureEdge } from "./edge/measure.ts";
import { ROWS as IMPORTED, measureImport } from "./import.ts";
import { measureLookUps } from "./look-up.ts";
import { type Figures, printReport } from "./report.ts";
import { shareClient } from "./seed.ts";
import { type StartOptions, start, type Workers } from "./service.ts";
import { compareSingles, prepareSingles, type SingleRow, WITH_FLOOR, WITH_USUAL } from "./single.ts";

const PARTS = ["send", "status", "look-up", "bulk", "import", "deliver"];
/** At the platform's price: with --edge, or alone. */
const FULL_SENDER = "full-sender";
/** Measured side by side, over the same stores. */
const BESIDE = ["send", "status", "look-up", "bulk"];
/** A job of the usual way has one text, or one callback. */
const USUAL_BATCH = 24;
/** So many times slower did this model run wherever it was measured. */
const USUAL_SLOW = 8;
const CONNECTIONS = { send: [1, 32, 128], status: [1, 32] };

const HELP = `npm run bench -- [flags]
  --only ${PARTS.join(",")}   what to measure; all of these by default; ${FULL_SENDER}: what nine websites notice
                                      at the platform's price of the full queue of a tenth, which --edge measures too
  --seconds 0.5                       how long each load of a round lasts
  --subscriptions 10000,1000000       the sizes of the tables that numbers are looked up in
  --json                              JSON on standard output in place of the tables

  --edge                              measures at the platform's price, and nothing else that --only does not name
  --writing-ms 4, --reading-ms 0.7    how long a call keeps the one thread of its database busy, besides its statements
  --network-ms 5                      one way to a database, to an object or to a queue
  --consumers 250                     batches of a queue at a time, where wrangler.toml allows more
  --campaign 5000                     messages of the bulk campaign
  --texts 3000                        of each round of ${FULL_SENDER}
  --slow 4                            how many times slower the model runs; as slow as this machine needs it by default`;

const { values: flags } = parseArgs({
  options: {
    only: { type: "string" },
    seconds: { type: "string", default: "0.5" },
    subscriptions: { type: "string", default: "10000,1000000" },
    json: { type: "boolean", default: false },
    edge: { type: "boolean", default: false },
    "writing-ms": { type: "string", default: "4" },
    "reading-ms": { type: "string", default: "0.7" },
    "network-ms": { type: "string", default: "5" },
    consumers: { type: "string", default: "250" },
    campaign: { type: "string", default: "5000" },
    texts: { type: "string", default: "3000" },
    slow: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

if (flags.help) console.log(HELP);
else await run(flags.only?.split(",") ?? (flags.edge ? [] : PARTS));

async function run(parts: string[]): Promise<void> {
  const known = [...PARTS, FULL_SENDER];
  const unknown = parts.find((part) => !known.includes(part));
  if (unknown !== undefined) throw new Error(`--only takes ${known.join(", ")}; there is no ${unknown}`);
  const seconds = positive("seconds", flags.seconds);
  const tables = flags.subscriptions.split(",").map((size) => positive("subscriptions", size));
  const seeded = parts.includes("look-up") ? tables.reduce((sum, size) => sum + size, 0) : 0;
  const directory = await makeScratch(seeded + IMPORTED);
  const figures: Figures = {};
  const measure = async (part: string, work: () => Promise<void>) => {
    if (!parts.includes(part)) return;
    process.stderr.write(`${(performance.now() / 1000).toFixed(0)} s: ${part}\n`);
    await work();
  };
  if (parts.some((part) => PARTS.includes(part))) await buildWorkers(directory);
  if (parts.some((part) => BESIDE.includes(part))) {
    await withWorkers({ directory, names: WORKERS, withConsumers: false }, async (workers) => {
      const singles = await prepareSingles(workers, "single");
      await measure("send", async () => {
        for (const client of singles.clients) await shareClient(workers, client);
        figures.send = await inTurn(CONNECTIONS.send, (connections) =>
          compareSingles(workers, WITH_USUAL, singles.send, { connections, seconds }),
        );
      });
      await measure("status", async () => {
        figures.status = await inTurn(CONNECTIONS.status, (connections) =>
          compareSingles(workers, WITH_FLOOR, singles.status, { connections, seconds }),
        );
      });
      await measure("look-up", async () => {
        figures.lookUps = await measureLookUps(workers, tables);
      });
      await measure("bulk", async () => {
        figures.bulk = await measureBulk(workers, singles.send, seconds);
      });
    });
  }
  await measure("import", () =>
    withWorkers({ directory, names: ["service"], withConsumers: false }, async (workers) => {
      figures.imported = await measureImport(workers);
    }),
  );
  await measure("deliver", () =>
    withWorkers({ directory, names: ["service"], withConsumers: true }, (workers) =>
      withWorkers({ directory, names: ["deliveryFloor"], withConsumers: true }, (floor) =>
        // The service is beside it for its schema and its operator's calls only: it consumes nothing there.
        withWorkers(
          { directory, names: ["usualMessages", "service"], withConsumers: true, batchSize: USUAL_BATCH },
          async (usual) => {
            figures.deliver = await measureDeliveries(workers, floor, usual);
          },
        ),
      ),
    ),
  );
  await measureAtPrice(directory, figures, parts.includes(FULL_SENDER));
  printReport(figures, flags.json);
}

async function measureAtPrice(directory: string, figures: Figures, hasFullSender: boolean): Promise<void> {
  if (!flags.edge && !hasFullSender) return;
  const build = await buildEdge(directory);
  const options = readEdgeOptions();
  if (flags.edge) figures.edge = await measureEdge(build, options);
  const slow = figures.edge?.price.slow ?? options.slow ?? USUAL_SLOW;
  figures.fullSender = await measureFullSender(build, { ...options.price, slow }, positive("texts", flags.texts));
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

async function inTurn(
  connections: number[],
  measure: (connections: number) => Promise<SingleRow | undefined>,
): Promise<SingleRow[]> {
  const rows: SingleRow[] = [];
  for (const count of connections) rows.push(...[(await measure(count)) ?? []].flat());
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
