// Bundles the Workers as a deploy does.
import { execFile } from "node:child_process";
import { rename } from "node:fs/promises";
import { basename, delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

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
  const folder = join(directory, name);
  await wrangler(directory, "deploy", entry, "--dry-run", "--outdir", folder);
  await rename(join(folder, basename(entry).replace(/ts$/, "js")), bundlePath(directory, name));
}

export function bundlePath(directory: string, name: string): string {
  return join(directory, `${name}.js`);
}

/** Runs wrangler, and the build that it runs, on this very Node; its log goes to the directory. */
export async function wrangler(directory: string, ...parameters: string[]): Promise<void> {
  const env = {
    ...process.env,
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_LOG_PATH: join(directory, "logs"),
  };
  const command = [join(ROOT, "node_modules/wrangler/bin/wrangler.js"), ...parameters];
  await promisify(execFile)(process.execPath, command, { cwd: ROOT, env });
}
