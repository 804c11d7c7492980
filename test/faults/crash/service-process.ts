// One process of the service, made to be killed: the production bundle in workerd, with its state on disk, its queue consumers
// and its cron. Its settings come as JSON in the first argument; it says "ready" over the channel of its parent.
import { dirname, join } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import type { WorkerConfig } from "../../../bench/service.ts";

export interface ServiceSettings {
  /** Of the bundled Worker. */
  script: string;
  /** Holds the state, and what goes with the process. */
  directory: string;
  port: number;
  /** wrangler.toml, and what of it is other here. */
  config: WorkerConfig;
  bindings: Record<string, string>;
  /** In production a minute. */
  sweepEveryMilliseconds: number;
}

const settings: ServiceSettings = JSON.parse(process.argv[2] ?? "{}");
const { script, directory, port, config, bindings } = settings;

// The service does not outlive a driver that was itself killed.
process.on("disconnect", () => process.exit(1));

const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    log: new Log(LogLevel.WARN),
    handleStructuredLogs: ({ message }) => process.stdout.write(`${message}\n`),
    cf: false,
    telemetry: { enabled: false },
    resourcePersistencePath: join(directory, "state"),
    resourceTmpPath: join(directory, "resources"),
    workers: [
      {
        ...config,
        name: "service",
        modulesRoot: dirname(script),
        modules: [{ type: "ESModule", path: script }],
        bindings: { ...config.bindings, ...bindings },
        unsafeDirectSockets: [{ host: "127.0.0.1", port }],
      },
    ],
  }),
);
await miniflare.ready;

const db = await miniflare.getD1Database("DB", "service");
const migrated = await db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'websites'").first();
if (!migrated) {
  // wrangler's code, which this needs, takes long to load: a restart does without.
  const { applyMigrations } = await import("../../../bench/service.ts");
  await applyMigrations(db);
}

const worker = await miniflare.getWorker("service");
let sweeping: Promise<unknown> = Promise.resolve();
setInterval(() => {
  sweeping = sweeping
    .then(() => worker.scheduled({ cron: "* * * * *" }))
    .catch((error) => console.error(String(error)));
}, settings.sweepEveryMilliseconds);
process.send?.("ready");
