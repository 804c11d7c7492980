import { relative } from "node:path";
import { demoClientFile, ensureDemo } from "./demo.ts";
import { consoleLink, demoOperatorFile, fillDemo } from "./demo-console.ts";
import { ensureSecrets, readVars } from "./dev-vars.ts";
import { startService } from "./local-service.ts";
import { sweepEachMinute } from "./minute-sweep.ts";
import { nextSteps } from "./next-steps.ts";
import { startReverseProxy } from "./reverse-proxy.ts";
import { isDefaultFolder, tellRunning } from "./running-service.ts";
import { parseStartOptions, START_HELP, StartError } from "./start-options.ts";
import { exitWhenStopped } from "./until-stopped.ts";
import { makeWorkerLog } from "./worker-log.ts";

exitWhenStopped();
process.exit(await main(process.argv.slice(2)).catch(explain));

/** @returns the exit code */
async function main(args: string[]): Promise<number> {
  const options = parseStartOptions(args);
  if (options.help) {
    console.log(START_HELP);
    return 0;
  }
  const { ip, persistTo } = options;
  const origin = Promise.withResolvers<URL>();
  const port = await startReverseProxy(options.port, ip, origin.promise);
  const { OPERATOR_TOKEN: token } = ensureSecrets(options.varFiles, options.vars);
  console.log("Starting …");
  const log = makeWorkerLog(options.logLevel, console.log);
  const service = await startService(options, log);
  origin.resolve(service.origin);
  const url = `http://${toHost(ip)}:${port}`;
  tellRunning(persistTo, url);
  const clientFile = demoClientFile(persistTo);
  const makeDemo = async () => {
    if (options.demo) await fillDemo({ url, token });
    const client = await ensureDemo({ url, token }, clientFile, service.isInForce);
    return { client, console: await consoleLink({ url, token }, demoOperatorFile(persistTo)) };
  };
  const demo = await makeDemo().catch((error: Error) => {
    throw new StartError(`The demo could not be made: ${error.message}\n${log.tail()}`);
  });
  const tokenIsElsewhere = readVars([".dev.vars"]).OPERATOR_TOKEN !== token;
  console.log(
    nextSteps({ url, ...demo, clientFile: toShown(clientFile), tokenIsElsewhere, isFound: isDefaultFolder(persistTo) }),
  );
  log.open();
  await sweepEachMinute(service.call, console.error);
  return service.ended;
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
