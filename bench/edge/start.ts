// Starts the production bundle at the platform's price, in a workerd process of its own.
import { randomBytes } from "node:crypto";
import type { Miniflare, V4WorkerOptions } from "miniflare";
import type { Database } from "../../scripts/migrations.ts";
import { startRuntime, toWorker } from "../../scripts/runtime.ts";
import { findFreePort } from "../../test/node/harness/service.ts";
import { openDatabase, showTrouble } from "../service.ts";
import type { EdgeCounts } from "../workers/edge/counts.ts";
import type { ConsumerSettings, EdgeSettings } from "../workers/edge/settings.ts";
import type { EdgeBuild } from "./build.ts";
import { findWorkerd } from "./cpu.ts";

/** What can be set. Milliseconds, but `slow` and the consumers. */
export interface EdgePrice extends Pick<EdgeSettings, "slow" | "writingCall" | "readingCall" | "network"> {
  /** How many batches of each queue are consumed at a time. */
  consumers: number;
}

/** Says what is being measured. */
export function tell({ slow }: EdgePrice, what: string): void {
  process.stderr.write(`${(performance.now() / 1000).toFixed(0)} s: edge, ${slow} times slower: ${what}\n`);
}

/** How many connections one invocation has in production. */
const CONNECTIONS = 6;

export interface Edge {
  url: string;
  /** For when nothing is under way. */
  db: Database;
  operatorToken: string;
  /** The process id of workerd; undefined if the system does not say. */
  pid: number | undefined;
  price: EdgePrice;
  /** Lines that the service has logged so far. */
  logLines(): number;
  /** The clock of the model: milliseconds since 1970. */
  now(): number;
  takeCounts(): Promise<EdgeCounts>;
  /** The size of the database. */
  readBytes(): Promise<number>;
  /** Whether nothing waits in a queue and no consumer runs. */
  isIdle(): Promise<boolean>;
  /** Whether the consumers begin no batch. */
  hold(isHeld: boolean): Promise<void>;
  /** Deletes the pending messages of the queues. */
  drop(): Promise<void>;
  goAhead(milliseconds: number): Promise<void>;
  sweep(): Promise<void>;
  close(): Promise<void>;
}

/** @param vars of the service, once its own origin is known */
export async function startEdge(
  build: EdgeBuild,
  price: EdgePrice,
  vars: (origin: string) => Record<string, string>,
): Promise<Edge> {
  const settings = readSettings(build, price);
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const operatorToken = randomBytes(32).toString("hex");
  let logLines = 0;
  const miniflare = startRuntime({
    directory: build.directory,
    onError: () => {},
    handleStructuredLogs: ({ message }) => {
      logLines++;
      showTrouble(message);
    },
    workers: [workerOptions(build, settings, { OPERATOR_TOKEN: operatorToken, ...vars(url) }, port)],
  });
  try {
    await miniflare.ready;
    const db = await openDatabase(miniflare, "edge");
    return {
      url,
      db,
      operatorToken,
      pid: await findWorkerd(),
      price,
      logLines: () => logLines,
      ...controls(miniflare, url, settings, db),
    };
  } catch (error) {
    await miniflare.dispose();
    throw error;
  }
}

/** Reads wrangler.toml, whatever the bindings are called. */
function readSettings({ wrangler, config }: EdgeBuild, { consumers: most, ...price }: EdgePrice): EdgeSettings {
  const { kv_namespaces, durable_objects, queues } = wrangler;
  const consumers = (queues.consumers ?? []).map((consumer): [string, ConsumerSettings] => [
    consumer.queue,
    {
      // What is left out is as Cloudflare's own defaults.
      batchSize: consumer.max_batch_size ?? 10,
      batchTimeoutSeconds: consumer.max_batch_timeout ?? 5,
      retries: consumer.max_retries ?? 3,
      retryDelaySeconds: consumer.retry_delay ?? 0,
      deadLetterQueue: consumer.dead_letter_queue,
      concurrency: Math.min(most, consumer.max_concurrency ?? most),
    },
  ]);
  return {
    ...price,
    epoch: Date.now(),
    connections: CONNECTIONS,
    databases: Object.keys(config.d1Databases ?? {}),
    namespaces: kv_namespaces.map(({ binding }) => binding),
    objects: durable_objects.bindings.map(({ name }) => name),
    producers: Object.fromEntries((queues.producers ?? []).map(({ binding, queue }) => [binding, queue])),
    consumers: Object.fromEntries(consumers),
  };
}

/** Without the assets: with them, Miniflare's router would stand before this Worker, and it consumes no queue. */
function workerOptions(
  { script, config: { assets: _, ...config } }: EdgeBuild,
  settings: EdgeSettings,
  vars: Record<string, string>,
  port: number,
): V4WorkerOptions {
  const worker = toWorker("edge", { script, config }, vars);
  return {
    ...worker,
    bindings: { ...worker.bindings, EDGE: JSON.parse(JSON.stringify(settings)) },
    // The queues of the model call the consumers.
    queueConsumers: {},
    compatibilityFlags: [...((config.compatibilityFlags ?? []) as string[]), "service_binding_extra_handlers"],
    durableObjects: {
      ...(config.durableObjects as object),
      EDGE_QUEUES: { className: "EdgeQueue", useSQLite: true, unsafePreventEviction: true },
    },
    serviceBindings: { EDGE_SELF: "edge" },
    unsafeDirectSockets: [{ host: "127.0.0.1", port }],
  };
}

function controls(miniflare: Miniflare, url: string, { slow, epoch }: EdgeSettings, db: Database) {
  const ask = async (path: string) => (await fetch(`${url}/edge/${path}`)).json() as Promise<unknown>;
  let ahead = 0;
  return {
    now: () => epoch + (Date.now() - epoch) / slow + ahead,
    takeCounts: async () => (await ask("counts")) as EdgeCounts,
    readBytes: async () => (await db.prepare("SELECT 1").all()).meta.size_after,
    isIdle: async () => (await ask("idle")) === true,
    hold: async (isHeld: boolean) => void (await ask(`hold?on=${isHeld}`)),
    drop: async () => void (await ask("drop")),
    goAhead: async (milliseconds: number) => {
      ahead += milliseconds;
      await ask(`ahead?milliseconds=${milliseconds}`);
    },
    sweep: async () => void (await (await miniflare.getWorker("edge")).scheduled({ cron: "* * * * *" })),
    close: async () => miniflare.dispose(),
  };
}
