// Starts the production bundle and the Workers beside it in one workerd process, over the same stores.
import { randomBytes } from "node:crypto";
import type { Miniflare, V4WorkerOptions } from "miniflare";
import { applyMigrations, type Database } from "../scripts/migrations.ts";
import { startRuntime, toWorker } from "../scripts/runtime.ts";
import { readConfig, type WorkerConfig } from "../scripts/worker-config.ts";
import { bundlePath, type WorkerName } from "./build.ts";

export interface Workers<Name extends string = WorkerName> {
  url: Record<Name, string>;
  /** For when nothing is under way: preparing a statement stops this process, and workerd stops once its log is not read. */
  db: Database;
  operatorToken: string;
  /** The inspector of workerd, over HTTP; see withInspector. */
  inspectorUrl: URL | undefined;
  /** Fires the cron trigger of the first Worker. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

export interface StartOptions<Name extends string> {
  /** Where buildWorker has put the bundles. */
  directory: string;
  names: readonly Name[];
  /**
   * Whether the first of them consumes the queues. Without, Miniflare drops what is sent to them: a send is measured until its
   * acceptance, and Miniflare's queues fail once 10,000 messages wait.
   */
  withConsumers: boolean;
  /** For HeapMeter. It makes each line that a Worker logs dearer, and no deployment has one. */
  withInspector?: boolean;
  vars?: Record<string, string>;
  /** In place of wrangler.toml's: how many jobs a batch of each queue has at most. */
  batchSize?: number;
  /** Gets each line that a Worker logs; those above "info" go to standard error if not given. */
  onLog?: (line: string) => void;
}

export async function start<Name extends string>(options: StartOptions<Name>): Promise<Workers<Name>> {
  const { directory, names, withInspector = false, onLog = showTrouble } = options;
  const config = readConfig(directory);
  const operatorToken = randomBytes(32).toString("hex");
  const miniflare = startRuntime({
    directory,
    onError: () => {},
    handleStructuredLogs: ({ message }) => onLog(message),
    ...(withInspector ? { inspectorPort: 0 } : {}),
    workers: names.map((name) => workerOptions(config, name, options, operatorToken)),
  });
  try {
    const direct = async (name: Name) => [name, (await miniflare.unsafeGetDirectURL(name)).origin] as const;
    const url = Object.fromEntries(await Promise.all(names.map(direct))) as Record<Name, string>;
    const db = await openDatabase(miniflare, names[0]);
    const inspectorUrl = withInspector ? toHttp(await miniflare.getInspectorURL()) : undefined;
    const sweep = async () => void (await (await miniflare.getWorker(names[0])).scheduled({ cron: "* * * * *" }));
    const close = async () => miniflare.dispose();
    return { url, db, operatorToken, inspectorUrl, sweep, close };
  } catch (error) {
    await miniflare.dispose();
    throw error;
  }
}

const toHttp = ({ href }: URL) => new URL(href.replace(/^ws/, "http"));

/** With the schema. */
export async function openDatabase(miniflare: Miniflare, worker = ""): Promise<Database> {
  const db = await miniflare.getD1Database("DB", worker);
  await applyMigrations(db);
  return db;
}

export function showTrouble(line: string): void {
  if (!line.includes('"level":"info"')) process.stderr.write(`${line}\n`);
}

/** Each Worker has a socket of its own: Miniflare's router would slow all of them alike, and bring them closer together. */
function workerOptions<Name extends string>(
  config: WorkerConfig,
  name: Name,
  { directory, names, withConsumers, vars, batchSize }: StartOptions<Name>,
  operatorToken: string,
): V4WorkerOptions {
  const version = { script: bundlePath(directory, name), config };
  return {
    ...toWorker(name, version, { OPERATOR_TOKEN: operatorToken, SERVICE_KEY: operatorToken, ...vars }),
    queueConsumers: withConsumers && name === names[0] ? consumersOf(config, batchSize) : {},
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
  };
}

function consumersOf({ queueConsumers }: WorkerConfig, maxBatchSize: number | undefined) {
  const consumers = Object.entries(queueConsumers as Record<string, object>);
  return Object.fromEntries(
    consumers.map(([name, settings]) => [name, maxBatchSize ? { ...settings, maxBatchSize } : settings]),
  );
}
