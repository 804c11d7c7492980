// Bundles the Workers as a deploy does.
import { execFile } from "node:child_process";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

const ENTRIES = {
  service: "src/index.ts",
  floor: "bench/workers/floor.ts",
  usual: "bench/workers/usual.ts",
  counted: "bench/workers/counted.ts",
} as const;

export type WorkerName = keyof typeof ENTRIES;
export const WORKERS = Object.keys(ENTRIES) as WorkerName[];

/** Each into a folder of its own. */
export async function buildWorkers(directory: string): Promise<void> {
  for (const name of WORKERS) {
    await wrangler(directory, "deploy", ENTRIES[name], "--dry-run", "--outdir", join(directory, name));
  }
}

export function bundlePath(directory: string, name: WorkerName): string {
  return join(directory, name, basename(ENTRIES[name]).replace(/ts$/, "js"));
}

/** Runs wrangler on this very Node; its log goes to the directory. */
export async function wrangler(directory: string, ...parameters: string[]): Promise<void> {
  const env = { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_LOG_PATH: join(directory, "logs") };
  const command = [join(ROOT, "node_modules/wrangler/bin/wrangler.js"), ...parameters];
  await promisify(execFile)(process.execPath, command, { cwd: ROOT, env });
}
