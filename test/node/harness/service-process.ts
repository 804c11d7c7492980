// One process of the service, made to be killed: the production bundle in workerd, with its state on disk, its queue consumers
// and its cron. Its settings come as JSON in the first argument; it says "ready" over the channel of its parent.

import { join } from "node:path";
import { applyMigrations, readMigration } from "../../../scripts/migrations.ts";
import { startRuntime, toWorker, type Version } from "../../../scripts/runtime.ts";
import { chunk } from "../../../src/domain/chunk.ts";
import { homeOf } from "../../../src/domain/databases/home.ts";

export interface ServiceSettings extends Version {
  /** Another version, which runs the queues' consumers, the cron and the limiter in place of the one that answers requests. */
  consumer?: Version | undefined;
  /** Paths of the migrations that an empty database gets. Default: all of them. */
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
const { d1Databases, queueProducers } = settings.config as unknown as Record<
  "d1Databases" | "queueProducers",
  Record<string, string>
>;

/**
 * Reaches the bindings from within. Miniflare's own way to a database or a queue stops this process until it is answered, and
 * workerd stops until this process reads its log: that is well only as long as nothing is under way.
 */
const INSIDE = `export default {
  async fetch(request, env) {
    const { statements, queue, bodies, cron } = await request.json();
    try {
      if (cron) await env.SWEPT.scheduled({ cron, scheduledTime: new Date() });
      else if (queue) await env[queue].sendBatch(bodies.map((body) => ({ body, contentType: "json" })));
      else return Response.json(await env.DB.batch(statements.map((statement) => env.DB.prepare(statement))));
      return new Response("[]");
    } catch (error) {
      return new Response(String(error), { status: 500 });
    }
  },
};`;

/** As many as a job names, and as many as a batch may hold. */
const HUNDRED = 100;

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
    {
      name: "inside",
      modules: true,
      script: INSIDE,
      compatibilityDate: "2026-01-01",
      compatibilityFlags: ["service_binding_extra_handlers"],
      d1Databases,
      queueProducers,
      serviceBindings: { SWEPT: consumer ? "consumer" : "service" },
      unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
    },
  ],
});
await miniflare.ready;

const inside = await miniflare.unsafeGetDirectURL("inside");
const [websites] = await query("SELECT 1 FROM sqlite_master WHERE name = 'websites'");
if (websites) await redeliver();
else {
  for (const binding of Object.keys(d1Databases))
    await applyMigrations(await miniflare.getD1Database(binding, "service"), settings.migrations);
}

let sweeping: Promise<unknown> = Promise.resolve();
setInterval(() => {
  sweeping = sweeping.then(() => ask({ cron: "* * * * *" })).catch((error) => console.error(String(error)));
}, settings.sweepEveryMilliseconds);
process.on("message", (paths: string[]) => {
  migrate(paths).then(
    () => process.send?.("migrated"),
    (error) => process.send?.(String(error)),
  );
});
process.send?.("ready");

function limiterOf(scriptName: string) {
  return {
    RATE_LIMITER: { className: "RateLimiter", scriptName, useSQLite: true },
    SENDERS: { className: "SenderObject", scriptName, useSQLite: true },
  };
}

async function ask(what: object): Promise<{ results: object[] }[]> {
  const response = await fetch(inside, { method: "POST", body: JSON.stringify(what) });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as { results: object[] }[];
}

async function query(statement: string): Promise<object[]> {
  return (await ask({ statements: [statement] }))[0]?.results ?? [];
}

async function migrate(paths: string[]): Promise<void> {
  for (const path of paths) {
    const statement = await readMigration(path);
    await ask({ statements: [statement] }).catch((error) => Promise.reject(new Error(`${path}: ${error}`)));
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
    `SELECT message_id || '_' || event FROM events WHERE due_at IS NOT NULL AND ${comesAgain}`,
  );
  // A job is of one website.
  const byWebsite = (ids: string[]) => [...Map.groupBy(ids, homeOf).values()].flatMap((some) => chunk(some, HUNDRED));
  const jobs: object[] = byWebsite(messageIds).map((ids) => ({ kind: "deliver", messageIds: ids }));
  for (const bodies of chunk(jobs, HUNDRED)) await ask({ queue: "MESSAGES", bodies });
  for (const bodies of chunk(eventIds, HUNDRED)) await ask({ queue: "CALLBACKS", bodies });
}

async function selectIds(statement: string): Promise<string[]> {
  return (await query(statement)).map((row) => String(Object.values(row)[0]));
}
