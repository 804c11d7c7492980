// Starts the production bundle, the floor and the usual way as Workers of one workerd process, over the same stores.
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { copyFile, mkdtemp, readdir, readFile, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { convertV4MiniflareOptions, Miniflare, NoOpLog, type V4WorkerOptions } from "miniflare";
import { unstable_getMiniflareWorkerOptions, unstable_splitSqlQuery } from "wrangler";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

const ROOM_BYTES = 2 * 1024 ** 3;

const ENTRIES = {
  service: "src/index.ts",
  floor: "bench/workers/floor.ts",
  usual: "bench/workers/usual.ts",
} as const;

export type WorkerName = keyof typeof ENTRIES;

export type Database = Awaited<ReturnType<Miniflare["getD1Database"]>>;

export interface Workers {
  url: Record<WorkerName, string>;
  db: Database;
  operatorToken: string;
  /** Of workerd, over HTTP. */
  inspectorUrl: URL;
  /** Where the bundles stand; it goes when the process ends. */
  directory: string;
  close(): Promise<void>;
}

/** @param exit called with 1 on SIGINT or SIGTERM */
export async function start(exit: (code: number) => void): Promise<Workers> {
  const directory = await mkdtemp(join(await scratch(), "textgate-bench-"));
  let miniflare: Miniflare | undefined;
  // On a signal Miniflare ends the process by itself, so the directory goes at the very end, whatever ends it.
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => exit(1));
  const close = async () => miniflare?.dispose();
  try {
    const names = Object.keys(ENTRIES) as WorkerName[];
    for (const name of names) {
      await wrangler(directory, "deploy", ENTRIES[name], "--dry-run", "--outdir", join(directory, name));
    }
    const config = await readConfig(directory);
    const operatorToken = randomBytes(32).toString("hex");
    miniflare = new Miniflare(
      convertV4MiniflareOptions({
        log: new NoOpLog(),
        handleStructuredLogs: ({ message }) => process.stderr.write(`${message}\n`),
        cf: false,
        inspectorPort: 0,
        telemetry: { enabled: false },
        resourceTmpPath: join(directory, "resources"),
        workers: names.map((name) => workerOptions(config, name, directory, operatorToken)),
      }),
    );
    const direct = (name: WorkerName) => (miniflare as Miniflare).unsafeGetDirectURL(name);
    const urls = await Promise.all(names.map(async (name) => [name, (await direct(name)).origin] as const));
    const db = await miniflare.getD1Database("DB", "service");
    await applyMigrations(db);
    const inspectorUrl = new URL((await miniflare.getInspectorURL()).href.replace(/^ws/, "http"));
    const url = Object.fromEntries(urls) as Record<WorkerName, string>;
    return { url, db, operatorToken, inspectorUrl, directory, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** In memory where there is room: a disk would be measured with each write, and differently each time. */
async function scratch(): Promise<string> {
  const memory = "/dev/shm";
  const free = await statfs(memory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return free > ROOM_BYTES ? memory : tmpdir();
}

export type WorkerConfig = Omit<V4WorkerOptions, "script" | "scriptPath" | "modules"> &
  Pick<V4WorkerOptions, "bindings" | "compatibilityDate" | "queueConsumers">;

/** wrangler.toml as Miniflare takes it; read from a copy that has no .dev.vars beside it. */
export async function readConfig(directory: string): Promise<WorkerConfig> {
  const copy = join(directory, "wrangler.toml");
  await copyFile(join(ROOT, "wrangler.toml"), copy);
  return unstable_getMiniflareWorkerOptions(copy).workerOptions as WorkerConfig;
}

/**
 * Each Worker has a socket of its own: Miniflare's router would slow all of them alike, and bring them closer together. The
 * queues have no consumer, which makes Miniflare drop what is sent: what is measured of a send is its acceptance, and
 * Miniflare's queues fail once 10,000 messages wait.
 */
function workerOptions(
  config: WorkerConfig,
  name: WorkerName,
  directory: string,
  operatorToken: string,
): V4WorkerOptions {
  return {
    ...config,
    name,
    modules: [{ type: "ESModule", path: bundlePath(directory, name) }],
    bindings: { ...config.bindings, OPERATOR_TOKEN: operatorToken, SERVICE_KEY: operatorToken },
    queueConsumers: {},
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
  };
}

export function bundlePath(directory: string, name: WorkerName): string {
  return join(directory, name, basename(ENTRIES[name]).replace(/ts$/, "js"));
}

/** Runs wrangler on this very Node; its log goes to the temporary directory. */
export async function wrangler(directory: string, ...parameters: string[]): Promise<void> {
  const env = { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_LOG_PATH: join(directory, "logs") };
  const command = [join(ROOT, "node_modules/wrangler/bin/wrangler.js"), ...parameters];
  await promisify(execFile)(process.execPath, command, { cwd: ROOT, env });
}

export async function applyMigrations(db: Database): Promise<void> {
  const folder = join(ROOT, "migrations");
  for (const file of (await readdir(folder)).sort()) {
    const statements = unstable_splitSqlQuery(await readFile(join(folder, file), "utf8"));
    await db.batch(statements.map((statement) => db.prepare(statement)));
  }
}
