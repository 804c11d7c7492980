// Bundles the Workers as a deploy does.
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { bundle } from "../scripts/bundle.ts";

const ENTRIES = {
  service: "src/index.ts",
  floor: "bench/workers/floor.ts",
  usual: "bench/workers/usual.ts",
  usualMessages: "bench/workers/usual-messages.ts",
  deliveryFloor: "bench/workers/delivery-floor.ts",
} as const;

/** Those that are measured side by side, over the same stores. */
export const WORKERS = ["service", "floor", "usual", "usualMessages"] as const;
export type WorkerName = (typeof WORKERS)[number];

export async function buildWorkers(directory: string): Promise<void> {
  for (const [name, entry] of Object.entries(ENTRIES)) await buildWorker(directory, name, entry);
}

/** @param entry from the root of the project */
export async function buildWorker(directory: string, name: string, entry: string): Promise<void> {
  await rename(await bundle(join(directory, name), entry), bundlePath(directory, name));
}

export function bundlePath(directory: string, name: string): string {
  return join(directory, `${name}.js`);
}
