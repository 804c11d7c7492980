// Runs Workers in workerd, for `npm start`, the measurements and the fault trials.
import { dirname, join } from "node:path";
import {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  Miniflare,
  type V4SharedOptions,
  type V4WorkerOptions,
} from "miniflare";
import type { WorkerConfig } from "./worker-config.ts";
import { guardWorkerd } from "./workerd-guard.ts";

export type RuntimeOptions = V4SharedOptions & {
  /** For temporary files. */
  directory: string;
  workers: V4WorkerOptions[];
  /** Gets Miniflare's own errors; they go to standard output if not given. */
  onError?: (error: Error) => void;
};

/** Neither fetches from the internet nor reports to it. */
export function startRuntime({ directory, onError, ...options }: RuntimeOptions): Miniflare {
  guardWorkerd();
  const log = new Log(LogLevel.ERROR);
  if (onError) log.error = onError;
  return new Miniflare(
    convertV4MiniflareOptions({
      log,
      logRequests: false,
      cf: false,
      telemetry: { enabled: false },
      resourceTmpPath: join(directory, "resources"),
      ...options,
    }),
  );
}

/** A version of the Worker. */
export interface Version {
  /** Path of the bundle. */
  script: string;
  config: WorkerConfig;
}

/** @param bindings win over the vars of wrangler.toml */
export function toWorker(name: string, { script, config }: Version, bindings: Record<string, string>) {
  return {
    ...config,
    name,
    modulesRoot: dirname(script),
    modules: [{ type: "ESModule" as const, path: script }],
    bindings: { ...config.bindings, ...bindings },
  };
}

/** The databases of wrangler.toml, and DB_2, DB_3, … up to the number that is asked for. */
export function withDatabases(config: WorkerConfig, count: number): WorkerConfig {
  const names = Array.from({ length: count - 1 }, (_, index) => `DB_${index + 2}`);
  const more = Object.fromEntries(names.map((name) => [name, { id: name }]));
  return { ...config, d1Databases: { ...more, ...(config.d1Databases as object) } };
}
