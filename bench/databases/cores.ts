// Two workerd processes with half of the databases each, over one with all: a core for each. Load generators take CPU too, so each
// process shares its core with a generator of its own: what a core does is the same mixture, and two cores are twice one.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpus } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../../scripts/wrangler.ts";
import { medianRatio, type Spread, spreadOf } from "../../test/node/harness/statistics.ts";
import { timeCpu } from "../cpu.ts";
import type { LoadOptions, LoadResult, PreparedRequest } from "../load.ts";
import { start, type Workers } from "../service.ts";
import { prepareSingles } from "../single.ts";
import { DATABASES } from "./eight.ts";

const WEBSITES = 64;
const CORES = 2;
const CONNECTIONS = 16;
const ROUNDS = 12;
const WARM_UP_SECONDS = 1;

/** What a generator is told. */
export interface GeneratorLoad {
  url: string;
  requests: PreparedRequest[];
  options: LoadOptions;
}

export interface CoresFigures {
  /** Sends per second. */
  one: Spread;
  two: Spread;
  times: number;
  /** Milliseconds of workerd a send, stores included. */
  cpuOfOne: Spread;
  cpuOfTwo: Spread;
}

/** A service with its generator. */
interface Pair {
  workers: Workers<"service">;
  requests: PreparedRequest[];
  generator: ChildProcess;
}

/** @returns undefined where processes cannot be pinned to two cores */
export async function measureCores(directory: string, seconds: number): Promise<CoresFigures | undefined> {
  if (cpus().length < CORES || !(await pin(process.pid, [0, 1]))) return undefined;
  const pairs: Pair[] = [];
  try {
    for (const share of [1, 1 / CORES, 1 / CORES]) pairs.push(await startPair(directory, share));
    const [all, ...halves] = pairs as [Pair, ...Pair[]];
    const rounds: { one: Outcome; two: Outcome }[] = [];
    for (let round = -1; round < ROUNDS; round++) {
      const duration = round < 0 ? WARM_UP_SECONDS : seconds;
      // Each core in turn has all alone, in case another program prefers one of them.
      const one = () => runPinned([all], [Math.abs(round) % CORES], duration);
      const two = () => runPinned(halves, [0, 1], duration);
      const results = round % 2 === 0 ? [await one(), await two()] : [await two(), await one()].reverse();
      const [ofOne, ofTwo] = results as [Outcome, Outcome];
      if (round >= 0) rounds.push({ one: ofOne, two: ofTwo });
    }
    const rates = (name: "one" | "two") => rounds.map((round) => round[name].perSecond);
    const cpu = (name: "one" | "two") => spreadOf(rounds.map((round) => round[name].cpu));
    return {
      one: spreadOf(rates("one")),
      two: spreadOf(rates("two")),
      times: medianRatio(rates("two"), rates("one")),
      cpuOfOne: cpu("one"),
      cpuOfTwo: cpu("two"),
    };
  } finally {
    for (const { generator, workers } of pairs) {
      generator.disconnect();
      await workers.close();
    }
    await pin(process.pid, [0, 1]);
  }
}

/** @param share of the databases and of the websites */
async function startPair(directory: string, share: number): Promise<Pair> {
  const databases = DATABASES * share;
  const workers = await start({ directory, names: ["service"], withConsumers: false, databases });
  const { send } = await prepareSingles(workers, "cores", WEBSITES * share);
  const script = join(ROOT, "bench/databases/generator.ts");
  const generator = spawn(process.execPath, [script], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  return { workers, requests: send, generator };
}

interface Outcome {
  perSecond: number;
  /** Milliseconds a send. */
  cpu: number;
}

/** All of them at a time, each on its core; this process, which takes the lines of their logs, on any of these. */
async function runPinned(pairs: Pair[], cores: number[], seconds: number): Promise<Outcome> {
  await pin(process.pid, cores);
  const results = await Promise.all(
    pairs.map(async ({ workers, requests, generator }, index) => {
      const core = cores[index] ?? 0;
      await pin(workers.pid ?? 0, [core]);
      await pin(generator.pid ?? 0, [core]);
      const load = { url: workers.url.service, requests, options: { connections: CONNECTIONS, seconds } };
      return timeCpu(workers.pid, () => generate(generator, load));
    }),
  );
  const sum = (of: (result: (typeof results)[number]) => number) => results.reduce((all, it) => all + of(it), 0);
  return {
    perSecond: sum(([{ requestsPerSecond }]) => requestsPerSecond),
    cpu: sum(([, cpu = Number.NaN]) => cpu) / sum(([{ answers }]) => answers),
  };
}

async function generate(generator: ChildProcess, load: GeneratorLoad): Promise<LoadResult> {
  generator.send(load);
  const [result] = (await once(generator, "message")) as [LoadResult | { error: string }];
  if ("error" in result) throw new Error(result.error);
  return result;
}

/** All threads of a process. @returns whether the system can */
async function pin(pid: number, cores: number[]): Promise<boolean> {
  return promisify(execFile)("taskset", ["-a", "-c", "-p", cores.join(","), String(pid)]).then(
    () => true,
    () => false,
  );
}
