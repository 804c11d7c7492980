// Bundles the Workers as a deploy does.
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { bundle } from "../scripts/bundle.ts";

const ENTRIES = {
  service: "src/index.ts",
  floor: "bench/workers/floor.ts",
  inTurn: "bench/workers/in-turn.ts",
  usual: "bench/workers/usual.ts",
  counted: "bench/workers/counted.ts",
} as const;

export type WorkerName = keyof typeof ENTRIES;
export const WORKERS = Object.keys(ENTRIES) as WorkerName[];

export async function buildWorkers(directory: string): Promise<void> {
  for (const name of WORKERS) await buildWorker(directory, name, ENTRIES[name]);
}

/** @param entry from the root of the project */
export async function buildWorker(directory: string, name: string, entry: string): Promise<void> {
  await rename(await bundle(join(directory, name), entry), bundlePath(directory, name));
}

export function bundlePath(directory: string, name: string): string {
  return join(directory, `${name}.js`);
}
