import { copyFileSync } from "node:fs";
import { join } from "node:path";
import type { V4WorkerOptions } from "miniflare";
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from "wrangler";
import { ROOT } from "./wrangler.ts";

export type WorkerConfig = Omit<V4WorkerOptions, "script" | "scriptPath" | "modules"> &
  Pick<V4WorkerOptions, "assets" | "bindings" | "compatibilityDate" | "queueConsumers"> & { name: string };

/** wrangler.toml of a checkout as Miniflare takes it; read from a copy that has no .dev.vars beside it, and no assets either. */
export function readConfig(directory: string, checkout = ROOT): WorkerConfig {
  const copy = join(directory, "wrangler.toml");
  copyFileSync(join(checkout, "wrangler.toml"), copy);
  const { name = "" } = unstable_readConfig({ config: copy });
  const { rootPath: _, ...config } = unstable_getMiniflareWorkerOptions(copy).workerOptions as WorkerConfig;
  return { ...config, name, assets: { ...config.assets, directory: join(checkout, "public") } };
}
