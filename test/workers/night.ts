// The service with switches at its database, its cron and its clock. Only the nights run this.
import service, { RateLimiter as WebsiteObject } from "../../src/index.ts";

export { SenderObject } from "../../src/index.ts";

const now = Date.now.bind(Date);
let aheadMilliseconds = 0;
Date.now = () => now() + aheadMilliseconds;

let isDatabaseAway = false;
let isCronOff = false;
/** What D1 tells of the size of the database is larger by so much. */
let filledBytes = 0;

const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();

async function ask<T>(run: () => Promise<T>): Promise<T> {
  if (isDatabaseAway) throw new Error("D1_ERROR: Network connection lost.");
  return run();
}

function filled<T>(result: D1Result<T>): D1Result<T> {
  return { ...result, meta: { ...result.meta, size_after: result.meta.size_after + filledBytes } };
}

/** With the calls that the service makes of a statement. */
function wrap(original: D1PreparedStatement): D1PreparedStatement {
  const all = () => ask(() => original.all());
  const bind = (...values: unknown[]) => wrap(original.bind(...values));
  const statement = { all, run: all, bind } as unknown as D1PreparedStatement;
  originals.set(statement, original);
  return statement;
}

/** The service keeps what it knows by its environment: there is one of each. */
const environments = new WeakMap<Env, Env>();

function switched(env: Env): Env {
  const known = environments.get(env) ?? withSwitches(env);
  environments.set(env, known);
  return known;
}

function withSwitches(env: Env): Env {
  const batch = async (statements: D1PreparedStatement[]) => {
    const own = statements.map((it) => originals.get(it) as D1PreparedStatement);
    return (await ask(() => env.DB.batch(own))).map(filled);
  };
  const DB = { prepare: (sql: string) => wrap(env.DB.prepare(sql)), batch } as unknown as D1Database;
  return { ...env, DB };
}

export class RateLimiter extends WebsiteObject {
  constructor(state: DurableObjectState, env: Env) {
    super(state, switched(env));
  }
}

export default {
  async fetch(request, env, context) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/night") return service.fetch(request, switched(env), context);
    if (searchParams.has("database")) isDatabaseAway = searchParams.get("database") === "away";
    if (searchParams.has("filled")) filledBytes = Number(searchParams.get("filled"));
    if (searchParams.has("cron")) isCronOff = searchParams.get("cron") === "off";
    aheadMilliseconds += Number(searchParams.get("ahead"));
    if (searchParams.has("sweep")) {
      await service.scheduled({ cron: "", scheduledTime: Date.now(), noRetry: () => {} }, switched(env), context);
    }
    return new Response();
  },
  queue: (batch, env, context) => service.queue(batch, switched(env), context),
  async scheduled(event, env, context) {
    if (!isCronOff) await service.scheduled(event, switched(env), context);
  },
} satisfies ExportedHandler<Env>;
