// Starts the production bundle and the Workers beside it in one workerd process, over the same stores.
import { randomBytes } from "node:crypto";
import { copyFile, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare, NoOpLog, type V4WorkerOptions } from "miniflare";
import { unstable_getMiniflareWorkerOptions, unstable_splitSqlQuery } from "wrangler";
import { bundlePath, ROOT, type WorkerName } from "./build.ts";
import { findWorkerd } from "./cpu.ts";

export type Database = Awaited<ReturnType<Miniflare["getD1Database"]>>;

export interface Workers<Name extends string = WorkerName> {
  url: Record<Name, string>;
  /** For when nothing is under way: preparing a statement stops this process, and workerd stops once its log is not read. */
  db: Database;
  operatorToken: string;
  /** Of workerd, over HTTP. */
  inspectorUrl: URL;
  /** Of workerd; undefined where the system does not tell. */
  pid: number | undefined;
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
  vars?: Record<string, string>;
  /** Gets each line that a Worker logs; those above "info" go to standard error if not given. */
  onLog?: (line: string) => void;
}

export async function start<Name extends string>(options: StartOptions<Name>): Promise<Workers<Name>> {
  const { directory, names, onLog = showTrouble } = options;
  const config = await readConfig(directory);
  const operatorToken = randomBytes(32).toString("hex");
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      log: new NoOpLog(),
      handleStructuredLogs: ({ message }) => onLog(message),
      cf: false,
      inspectorPort: 0,
      telemetry: { enabled: false },
      resourceTmpPath: join(directory, "resources"),
      workers: names.map((name) => workerOptions(config, name, options, operatorToken)),
    }),
  );
  try {
    const direct = async (name: Name) => [name, (await miniflare.unsafeGetDirectURL(name)).origin] as const;
    const url = Object.fromEntries(await Promise.all(names.map(direct))) as Record<Name, string>;
    const db = await miniflare.getD1Database("DB", names[0]);
    await applyMigrations(db);
    const inspectorUrl = new URL((await miniflare.getInspectorURL()).href.replace(/^ws/, "http"));
    const sweep = async () => void (await (await miniflare.getWorker(names[0])).scheduled({ cron: "* * * * *" }));
    const close = async () => miniflare.dispose();
    return { url, db, operatorToken, inspectorUrl, pid: await findWorkerd(), sweep, close };
  } catch (error) {
    await miniflare.dispose();
    throw error;
  }
}

function showTrouble(line: string): void {
  if (!line.includes('"level":"info"')) process.stderr.write(`${line}\n`);
}

export type WorkerConfig = Omit<V4WorkerOptions, "script" | "scriptPath" | "modules"> &
  Pick<V4WorkerOptions, "assets" | "bindings" | "compatibilityDate" | "queueConsumers">;

/** wrangler.toml of a checkout as Miniflare takes it; read from a copy that has no .dev.vars beside it, and no assets either. */
export async function readConfig(directory: string, checkout = ROOT): Promise<WorkerConfig> {
  const copy = join(directory, "wrangler.toml");
  await copyFile(join(checkout, "wrangler.toml"), copy);
  const config = unstable_getMiniflareWorkerOptions(copy).workerOptions as WorkerConfig;
  return { ...config, assets: { ...config.assets, directory: join(checkout, "public") } };
}

/** Each Worker has a socket of its own: Miniflare's router would slow all of them alike, and bring them closer together. */
function workerOptions<Name extends string>(
  config: WorkerConfig,
  name: Name,
  { directory, names, withConsumers, vars }: StartOptions<Name>,
  operatorToken: string,
): V4WorkerOptions {
  return {
    ...config,
    name,
    modules: [{ type: "ESModule", path: bundlePath(directory, name) }],
    bindings: { ...config.bindings, OPERATOR_TOKEN: operatorToken, SERVICE_KEY: operatorToken, ...vars },
    ...(withConsumers && name === names[0] ? {} : { queueConsumers: {} }),
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
  };
}

/** Paths, in the order in which they are applied. */
export async function findMigrations(checkout = ROOT): Promise<string[]> {
  const folder = join(checkout, "migrations");
  return (await readdir(folder)).sort().map((file) => join(folder, file));
}

/** Each in a transaction of its own. */
export async function applyMigrations(db: Database, paths?: string[]): Promise<void> {
  for (const path of paths ?? (await findMigrations())) {
    const statements = unstable_splitSqlQuery(await readFile(path, "utf8"));
    await db.batch(statements.map((statement) => db.prepare(statement)));
  }
}
