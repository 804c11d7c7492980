// The production bundle, as a deploy uploads it, joined with the platform's price.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { unstable_readConfig } from "wrangler";
import { readConfig, type WorkerConfig } from "../../scripts/worker-config.ts";
import { ROOT } from "../../scripts/wrangler.ts";
import { buildWorker, bundlePath } from "../build.ts";

export interface EdgeBuild {
  directory: string;
  /** Path of the bundle. */
  script: string;
  config: WorkerConfig;
  wrangler: WranglerConfig;
}

/** What is read here of wrangler.toml. */
export interface WranglerConfig {
  kv_namespaces: { binding: string }[];
  durable_objects: { bindings: { name: string; class_name: string }[] };
  queues: {
    producers?: { binding: string; queue: string }[];
    consumers?: {
      queue: string;
      max_batch_size?: number;
      max_batch_timeout?: number;
      max_retries?: number;
      max_concurrency?: number | null;
      retry_delay?: number;
      dead_letter_queue?: string;
    }[];
  };
}

const PRICE = join(ROOT, "bench/workers/edge/index.ts");

export async function buildEdge(directory: string): Promise<EdgeBuild> {
  const config = readConfig(directory);
  const wrangler = unstable_readConfig({ config: join(directory, "wrangler.toml") }) as WranglerConfig;
  const classes = new Set(wrangler.durable_objects.bindings.map(({ class_name }) => class_name));
  await buildWorker(directory, "service", "src/index.ts");
  await buildWorker(directory, "floor", "bench/workers/floor.ts");
  const entry = join(directory, "edge-entry.ts");
  const lines = [
    // First: it sets the pace of the clock.
    `import { priceClass, priceHandlers } from ${JSON.stringify(PRICE)};`,
    `import * as service from "./service.js";`,
    `import floor from "./floor.js";`,
    `export { EdgeQueue } from ${JSON.stringify(PRICE)};`,
    "export default priceHandlers(service.default, floor);",
    ...[...classes].map((name) => `export const ${name} = priceClass(service.${name}, "${name}");`),
  ];
  await writeFile(entry, lines.join("\n"));
  await buildWorker(directory, "edge", entry);
  return { directory, script: bundlePath(directory, "edge"), config, wrangler };
}
