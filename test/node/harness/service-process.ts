// One process of the service, made to be killed: the production bundle in workerd, with its state on disk, its queue consumers
// and its cron. Its settings come as JSON in the first argument; it says "ready" over the channel of its parent.
import { join } from "node:path";
import { startRuntime, toWorker, type Version } from "../../../scripts/runtime.ts";

export interface ServiceSettings extends Version {
  /** Another version, which runs the queues' consumers, the cron and the limiter in place of the one that answers requests. */
  consumer?: Version | undefined;
  /** Paths of those that an empty database gets; all, when left out. */
  migrations?: string[] | undefined;
  /** Holds the state, and what goes with the process. */
  directory: string;
  port: number;
  /** What is other here than in wrangler.toml. */
  bindings: Record<string, string>;
  /** In production a minute. */
  sweepEveryMilliseconds: number;
}

const settings: ServiceSettings = JSON.parse(process.argv[2] ?? "{}");
const { directory, port, bindings, consumer } = settings;
const { d1Databases } = settings.config as unknown as { d1Databases: Record<string, string> };

/**
 * Applies a migration to a database in use. Miniflare's own way to the database stops this process until it is answered, and
 * workerd stops until this process reads its log.
 */
const MIGRATOR = `export default {
  async fetch(request, { DB }) {
    const statements = (await request.json()).map((statement) => DB.prepare(statement));
    return DB.batch(statements).then(() => new Response(), (error) => new Response(String(error), { status: 500 }));
  },
};`;

// The service does not outlive a driver that was itself killed.
process.on("disconnect", () => process.exit(1));

const miniflare = startRuntime({
  directory,
  handleStructuredLogs: ({ message }) => process.stdout.write(`${message}\n`),
  resourcePersistencePath: join(directory, "state"),
  workers: [
    {
      ...toWorker("service", settings, bindings),
      ...(consumer ? { queueConsumers: {}, durableObjects: limiterOf("consumer") } : {}),
      unsafeDirectSockets: [{ host: "127.0.0.1", port }],
    },
    ...(consumer ? [toWorker("consumer", consumer, bindings)] : []),
    { name: "migrator", modules: true, script: MIGRATOR, d1Databases },
  ],
});
await miniflare.ready;

const db = await miniflare.getD1Database("DB", "service");
const isRestart = await db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'websites'").first();
if (isRestart) await redeliver();
else {
  // wrangler's code, which this needs, takes long to load: a restart does without.
  const { applyMigrations } = await import("../../../scripts/migrations.ts");
  await applyMigrations(db, settings.migrations);
}

const worker = await miniflare.getWorker(consumer ? "consumer" : "service");
let sweeping: Promise<unknown> = Promise.resolve();
setInterval(() => {
  sweeping = sweeping
    .then(() => worker.scheduled({ cron: "* * * * *" }))
    .catch((error) => console.error(String(error)));
}, settings.sweepEveryMilliseconds);
process.on("message", (paths: string[]) => {
  migrate(paths).then(
    () => process.send?.("migrated"),
    (error) => process.send?.(String(error)),
  );
});
process.send?.("ready");

function limiterOf(scriptName: string) {
  return { RATE_LIMITER: { className: "RateLimiter", scriptName, useSQLite: true } };
}

async function migrate(paths: string[]): Promise<void> {
  const { readMigration } = await import("../../../scripts/migrations.ts");
  const migrator = await miniflare.getWorker("migrator");
  for (const path of paths) {
    const body = JSON.stringify(await readMigration(path));
    const response = await migrator.fetch("http://migrator", { method: "POST", body });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  }
}

/**
 * Miniflare's queues die with the process. Cloudflare's do not: what a killed run has not acknowledged is delivered again,
 * also what it had claimed. So half of the jobs come again here, by the message's id, and half are lost, for the sweep to find.
 */
async function redeliver(): Promise<void> {
  const comesAgain = "instr('02468ace', substr(message_id, -1)) > 0";
  const messageIds = await selectIds(
    `SELECT message_id FROM messages WHERE status = 'PENDING_TO_SEND' AND ${comesAgain}`,
  );
  const eventIds = await selectIds(
    `SELECT message_id || '_' || event FROM events WHERE callback_due = 1 AND outcome IS NULL AND ${comesAgain}`,
  );
  const jobs = inHundreds(messageIds).map((ids) => ({ kind: "deliver", messageIds: ids }));
  const messages = await miniflare.getQueueProducer("MESSAGES", "service");
  const callbacks = await miniflare.getQueueProducer("CALLBACKS", "service");
  for (const batch of inHundreds(jobs)) await messages.sendBatch(batch.map(toMessage));
  for (const batch of inHundreds(eventIds)) await callbacks.sendBatch(batch.map(toMessage));
}

async function selectIds(query: string): Promise<string[]> {
  return (await db.prepare(query).raw<[string]>()).map(([id]) => id);
}

function toMessage(body: unknown) {
  return { body, contentType: "json" as const };
}

/** As many as a job names, and as many as a batch may hold. */
function inHundreds<T>(items: T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / 100) }, (_, index) =>
    items.slice(index * 100, index * 100 + 100),
  );
}
