import { join, relative } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { ensureDemo } from "./demo.ts";
import { ensureSecrets, readVars } from "./dev-vars.ts";
import { requireFreePort } from "./free-port.ts";
import { sweepEachMinute } from "./minute-sweep.ts";
import { nextSteps } from "./next-steps.ts";
import { parseStartOptions, START_HELP, StartError, type StartOptions } from "./start-options.ts";
import { untilStopped } from "./until-stopped.ts";
import { createWrangler, type Wrangler } from "./wrangler.ts";
import { createOutput } from "./wrangler-output.ts";

const STARTUP_MILLISECONDS = 60_000;

const wrangler = createWrangler();
process.on("exit", () => wrangler.kill());
process.exitCode = await Promise.race([untilStopped(), main(process.argv.slice(2))]).catch(explain);
await wrangler.stop();
process.exit();

/** @returns the exit code, once the service has ended by itself */
async function main(args: string[]): Promise<number> {
  const options = parseStartOptions(args);
  if (options.help) {
    console.log(START_HELP);
    return 0;
  }
  const port = await requireFreePort(options.port, options.ip);
  const { OPERATOR_TOKEN: token } = ensureSecrets(options.varFiles, options.vars);
  console.log("Starting …");
  await migrate(wrangler, options.persistTo);
  const url = `http://${toHost(options.ip)}:${port}`;
  const { exited, output } = await runService(wrangler, options, port, url);
  const clientFile = join(options.persistTo, "demo-client.json");
  const client = await ensureDemo({ url, token }, clientFile).catch((error: Error) => {
    throw new StartError(`The demo could not be made: ${error.message}\n${output.tail()}`);
  });
  const tokenIsElsewhere = readVars([".dev.vars"]).OPERATOR_TOKEN !== token;
  console.log(nextSteps({ url, client, clientFile: toShown(clientFile), tokenIsElsewhere }));
  output.open();
  await sweepEachMinute(url, console.error);
  throw new StartError(`wrangler ended by itself (exit code ${await exited}).`);
}

async function migrate({ start }: Wrangler, persistTo: string): Promise<void> {
  const output = createOutput({ quiet: false, show: console.error });
  const args = ["d1", "migrations", "apply", "DB", "--local", "--persist-to", persistTo];
  const code = await start(args, output.add).exited;
  if (code !== 0) throw new StartError(`The database could not be brought up to date:\n${output.tail()}`);
}

/** @returns once the service answers */
async function runService({ start }: Wrangler, options: StartOptions, port: number, url: string) {
  const output = createOutput({ quiet: options.quiet, show: console.log });
  const { exited } = start(toDevArgs(options, port), output.add);
  let ended = false;
  void exited.then(() => {
    ended = true;
  });
  const deadline = Date.now() + STARTUP_MILLISECONDS;
  while (!(await answers(url))) {
    if (ended) throw new StartError(`wrangler ended by itself:\n${output.tail()}`);
    if (output.hasFailedToBuild()) throw new StartError(`The Worker does not build:\n${output.tail()}`);
    if (Date.now() > deadline) throw new StartError(`No answer at ${url} in 60 s:\n${output.tail()}`);
    await wait(50);
  }
  return { exited, output };
}

function toDevArgs({ ip, persistTo, passedOn }: StartOptions, port: number): string[] {
  const isGiven = (flag: string) => passedOn.some((arg) => arg === flag || arg.startsWith(`${flag}=`));
  return [
    "dev",
    ...["--ip", ip, "--port", String(port), "--persist-to", persistTo],
    ...(isGiven("--inspector-port") ? [] : ["--inspector-port", "0"]),
    ...(isGiven("--show-interactive-dev-session") ? [] : ["--show-interactive-dev-session=false"]),
    ...passedOn,
  ];
}

async function answers(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(10_000) }).then(
    () => true,
    () => false,
  );
}

/** Where to call a service that listens at `ip`. */
function toHost(ip: string): string {
  if (["*", "0.0.0.0", "::"].includes(ip)) return "127.0.0.1";
  return ip.includes(":") ? `[${ip}]` : ip;
}

/** From here where it lies below, otherwise absolute. */
function toShown(path: string): string {
  const fromHere = relative(".", path);
  return fromHere.startsWith("..") ? path : fromHere;
}

function explain(error: unknown): number {
  console.error(error instanceof StartError ? error.message : error);
  return 1;
}
