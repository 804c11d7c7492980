// `npm run restore`: takes the databases of a deployment back to an earlier time. docs/procedures.md says what that means.
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Unstable_Config as Config } from "wrangler";
import { DEFAULT_URL } from "../next-steps.ts";
import { readClaims, runWrangler, wait } from "./outside.ts";
import { Progress } from "./progress.ts";
import { Restore } from "./restore.ts";

const HELP = `npm run restore -- --to <time> (--dry-run | --yes)

  --to <time>  such as 2026-11-21T12:00:00Z, within the last 30 days
  --dry-run    shows what would be done and kept, and changes nothing
  --yes        does it. After an interruption, the same command goes on

It needs CLOUDFLARE_ENV, TEXTGATE_URL and OPERATOR_TOKEN, and a login of wrangler.`;

const DAYS = 30;

/** @throws Error the command line is wrong */
function readArguments(args: string[]) {
  const options = { to: { type: "string" }, "dry-run": { type: "boolean" }, yes: { type: "boolean" } } as const;
  const { values } = parseArgs({ args, options });
  const { to = "", yes = false, "dry-run": isDry = false } = values;
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(to) || Number.isNaN(Date.parse(to))) {
    throw new Error(`--to must be a time with its offset, such as 2026-11-21T12:00:00Z, not "${to}"`);
  }
  const restoreTo = Date.parse(to);
  if (restoreTo > Date.now()) throw new Error(`--to is in the future: ${to}`);
  if (restoreTo < Date.now() - DAYS * 86_400_000) throw new Error(`--to is more than ${DAYS} days ago: ${to}`);
  if (yes === isDry) throw new Error("give --dry-run to look, or --yes to restore");
  return { restoreTo, isDry };
}

async function readNames(env: string) {
  // Loaded late, because it takes seconds, and a slip of the command line should be reported at once.
  const { unstable_readConfig } = await import("wrangler");
  const { d1_databases, queues }: Config = unstable_readConfig(
    { config: "wrangler.toml", env },
    { hideWarnings: true },
  );
  const numberOf = (binding: string) => Number(binding.slice("DB_".length));
  const bindings = d1_databases.map(({ binding }) => binding).filter((binding) => /^DB(_\d+)?$/.test(binding));
  return {
    databases: bindings.sort((a, b) => numberOf(a) - numberOf(b)),
    queues: (queues.producers ?? []).map(({ queue = "" }) => queue),
  };
}

async function main(args: string[]): Promise<number> {
  if (args.includes("--help")) {
    console.log(HELP);
    return 0;
  }
  const env = process.env.CLOUDFLARE_ENV ?? "";
  const service = { url: process.env.TEXTGATE_URL || DEFAULT_URL, token: process.env.OPERATOR_TOKEN ?? "" };
  const { restoreTo, isDry } = readArguments(args);
  const { databases, queues } = await readNames(env);
  const folder = join(
    ".wrangler",
    "restore",
    `${env || "production"}-${new Date(restoreTo).toISOString().replaceAll(":", "")}`,
  );
  const restore = new Restore({
    ...{ restoreTo, databases, queues, wait, now: Date.now },
    progress: new Progress(folder),
    wrangler: (...command) => runWrangler(env, command),
    readClaims: () => readClaims(service),
    print: (line) => console.log(line),
  });
  if (isDry) await restore.show();
  else await restore.run();
  return 0;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: Error) => {
  console.error(`${error.message}\n\n${HELP}`);
  return 1;
});
