// The size of the production bundle, and what it costs to start.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { runWrangler } from "../scripts/wrangler.ts";
import { type Spread, spreadOf } from "../test/node/harness/statistics.ts";
import { bundlePath } from "./build.ts";

const PROFILES = 5;

export interface BundleFigures {
  bytes: number;
  gzipBytes: number;
  /** CPU milliseconds of evaluating the Worker, as `wrangler check startup` profiles it. */
  startUp: Spread;
}

/** @param directory where the bundles are */
export async function measureBundle(directory: string): Promise<BundleFigures> {
  const bundle = await readFile(bundlePath(directory, "service"));
  const startUps: number[] = [];
  for (let profile = 0; profile < PROFILES; profile++) startUps.push(await startUpMilliseconds(directory));
  return { bytes: bundle.length, gzipBytes: gzipSync(bundle).length, startUp: spreadOf(startUps) };
}

/** A CPU profile in the format of the DevTools protocol; times in microseconds. */
interface Profile {
  nodes: { id: number; callFrame: { functionName: string } }[];
  samples: number[];
  timeDeltas: number[];
}

async function startUpMilliseconds(directory: string): Promise<number> {
  const file = join(directory, "startup.cpuprofile");
  await runWrangler(directory, "check", "startup", "--outfile", file);
  const { nodes, samples, timeDeltas } = JSON.parse(await readFile(file, "utf8")) as Profile;
  const idle = new Set(nodes.filter(({ callFrame }) => callFrame.functionName === "(idle)").map(({ id }) => id));
  return samples.reduce((sum, id, index) => (idle.has(id) ? sum : sum + (timeDeltas[index] ?? 0)), 0) / 1000;
}
