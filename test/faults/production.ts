// The production bundle of a checkout in workerd, on a socket of its own: neither `wrangler dev` nor a proxy in between.
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4WorkerOptions } from "miniflare";
import { unstable_getMiniflareWorkerOptions, unstable_splitSqlQuery } from "wrangler";

/** A folder for what a run makes: in memory where there is such a place, as each write would wait for a disk. */
export function makeFolder(): Promise<string> {
  return mkdtemp(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "textgate-"));
}

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** One version of the Worker, ready to be run. */
export interface Bundle {
  /** The checkout that it was built from. */
  root: string;
  script: string;
  config: WorkerConfig;
}

type WorkerConfig = Omit<V4WorkerOptions, "script" | "scriptPath" | "modules"> &
  Pick<V4WorkerOptions, "bindings" | "compatibilityDate" | "queueConsumers">;

/** @param root a checkout with node_modules @param directory for what is made; it need not exist */
export async function build(root: string, directory: string): Promise<Bundle> {
  // wrangler runs the build step of wrangler.toml on the first `node` of the path.
  const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
  const settings = { PATH, WRANGLER_SEND_METRICS: "false", WRANGLER_LOG_PATH: join(directory, "logs") };
  const wrangler = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
  const command = [wrangler, "deploy", "--dry-run", "--outdir", directory];
  await promisify(execFile)(process.execPath, command, { cwd: root, env: { ...process.env, ...settings } });
  // Read from a copy that has no .dev.vars beside it.
  await mkdir(directory, { recursive: true });
  const copy = join(directory, "wrangler.toml");
  await copyFile(join(root, "wrangler.toml"), copy);
  const config = unstable_getMiniflareWorkerOptions(copy).workerOptions as WorkerConfig;
  return { root, script: join(directory, "index.js"), config };
}

export interface Options {
  /** Where the stores are kept; when left out, they go when it is stopped. */
  state?: string;
  /** Settings beside those of wrangler.toml. */
  vars?: Record<string, string>;
  /** Whether the queues have their consumer: without, what is sent is dropped. */
  consumes?: boolean;
  /** Answers what the Worker asks of the world. */
  answer?: (request: { url: string; text(): Promise<string> }) => Promise<string> | string;
}

type Row = Record<string, string | number | null>;

export interface Production {
  url: URL;
  operatorToken: string;
  /** What the Worker and workerd have printed. */
  output: string[];
  /** The rows of one statement on the Worker's database. */
  rows(sql: string, ...values: (string | number | null)[]): Promise<Row[]>;
  /** Runs statements as one transaction. */
  batch(statements: string[]): Promise<void>;
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A Worker on the same database. Miniflare's own way to it waits without reading what workerd prints, and a workerd that
 * cannot print stands still: then both wait for ever.
 */
const STORE = `export default {
  async fetch(request, { DB }) {
    const statements = (await request.json()).map(({ sql, values }) => DB.prepare(sql).bind(...values));
    const results = await DB.batch(statements).catch((error) => ({ error: String(error) }));
    return Response.json(results);
  },
};`;

export async function start(bundle: Bundle, { state, vars, consumes = false, answer }: Options): Promise<Production> {
  const { config } = bundle;
  const operatorToken = vars?.OPERATOR_TOKEN ?? randomBytes(32).toString("hex");
  const output: string[] = [];
  const keep = (name: string) => (state === undefined ? false : join(state, name));
  const direct = { unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }] };
  const service = {
    ...config,
    ...direct,
    name: "service",
    modules: [{ type: "ESModule", path: bundle.script }],
    bindings: { ...config.bindings, OPERATOR_TOKEN: operatorToken, SERVICE_KEY: operatorToken, ...vars },
    ...(consumes ? {} : { queueConsumers: {} }),
    ...(answer ? { outboundService: async (request: Request) => new Response(await answer(request)) } : {}),
  };
  const { compatibilityDate, d1Databases } = config;
  const store = { ...direct, name: "store", modules: true, script: STORE, compatibilityDate, d1Databases };
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      log: new Log(LogLevel.NONE),
      handleStructuredLogs: ({ message }) => void output.push(message),
      cf: false,
      telemetry: { enabled: false },
      unsafeTriggerHandlers: true,
      resourceTmpPath: join(dirname(bundle.script), "resources"),
      d1Persist: keep("d1"),
      kvPersist: keep("kv"),
      durableObjectsPersist: keep("objects"),
      workers: [service, store],
    } as Parameters<typeof convertV4MiniflareOptions>[0]),
  );
  const main = await miniflare.ready;
  const storeUrl = await miniflare.unsafeGetDirectURL("store");
  const run = async (statements: { sql: string; values: unknown[] }[]) => {
    const response = await fetch(storeUrl, { method: "POST", body: JSON.stringify(statements) });
    const results = (await response.json()) as { results: Row[] }[] | { error: string };
    if ("error" in results) throw new Error(`${results.error}: ${statements.map(({ sql }) => sql).join("; ")}`);
    return results;
  };
  return {
    url: await miniflare.unsafeGetDirectURL("service"),
    operatorToken,
    output,
    rows: async (sql, ...values) => (await run([{ sql, values }]))[0]?.results ?? [],
    batch: async (statements) => void (await run(statements.map((sql) => ({ sql, values: [] })))),
    sweep: async () => {
      const response = await fetch(new URL("/cdn-cgi/handler/scheduled", main));
      if (!response.ok) throw new Error(`the sweep failed: ${response.status} ${await response.text()}`);
    },
    stop: () => miniflare.dispose(),
  };
}

/** Applies the migrations of a checkout, in order; those of `applied` are left out. @returns the names of all */
export async function migrate(service: Production, root: string, applied: readonly string[] = []): Promise<string[]> {
  const folder = join(root, "migrations");
  const files = (await readdir(folder)).sort();
  for (const file of files.filter((name) => !applied.includes(name))) {
    await service.batch(unstable_splitSqlQuery(await readFile(join(folder, file), "utf8")));
  }
  return files;
}
