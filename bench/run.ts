// Measures the service against a floor and the usual way, side by side. `npm run bench -- --help` lists the flags.
import { parseArgs } from "node:util";
import { measureBulk } from "./bulk.ts";
import { measureBundle } from "./bundle.ts";
import { printReport, type Report } from "./report.ts";
import { measureSends } from "./send.ts";
import { start } from "./service.ts";
import { measureStatus } from "./status.ts";

const HELP = `npm run bench -- [flags]
  --only bundle,send,status,bulk   what to measure; all by default
  --seconds 1.5               how long each load of a round lasts
  --subscriptions 100000      the size of the larger table; the smaller one has 10,000
  --json                      JSON on standard output in place of the tables`;

const { values: flags } = parseArgs({
  options: {
    only: { type: "string", default: "bundle,send,status,bulk" },
    seconds: { type: "string", default: "1.5" },
    subscriptions: { type: "string", default: "100000" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (flags.help) console.log(HELP);
else await run(new Set(flags.only.split(",")));

async function run(parts: Set<string>): Promise<void> {
  const seconds = positive("seconds", flags.seconds);
  const subscriptions = positive("subscriptions", flags.subscriptions);
  const workers = await start(process.exit);
  try {
    const report: Report = {};
    if (parts.has("bundle")) report.bundle = await measureBundle(workers);
    if (parts.has("send")) report.send = await measureSends(workers, seconds);
    if (parts.has("status")) report.status = await measureStatus(workers, subscriptions);
    if (parts.has("bulk")) report.bulk = await measureBulk(workers);
    printReport(report, flags.json);
  } finally {
    await workers.close();
  }
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} must be a positive number`);
  return value;
}
