// The bindings as the service gets them: each call goes by way of the platform's price to the real one.
import { onModelClock } from "./clock.ts";
import type { Platform } from "./platform.ts";
import type { EdgeQueue } from "./queue.ts";
import type { EdgeSettings } from "./settings.ts";

/** One for each env: the service keeps what belongs to an isolate by it. */
const pricedEnvs = new WeakMap<object, object>();

export function priceEnv<E extends object>(env: E, platform: Platform, settings: EdgeSettings): E {
  const known = pricedEnvs.get(env);
  if (known) return known as E;
  const priced = { ...env } as Record<string, unknown>;
  for (const name of settings.databases) {
    priced[name] = priceDatabase(priced[name] as D1Database, name, platform, settings);
  }
  for (const name of settings.namespaces) priced[name] = priceNamespace(priced[name] as KVNamespace, platform);
  for (const name of settings.objects) priced[name] = priceObjects(priced[name] as DurableObjectNamespace, platform);
  const queues = priced.EDGE_QUEUES as DurableObjectNamespace<EdgeQueue>;
  for (const [name, queue] of Object.entries(settings.producers)) priced[name] = makeProducer(queues, queue, platform);
  pricedEnvs.set(env, priced);
  return priced as E;
}

type Call = (...given: unknown[]) => unknown;

/** The object with each of its methods wrapped. A method is read anew for each call: those of a stub stand for calls themselves. */
function wrapMethods<T extends object>(object: T, wrap: (name: string, call: Call) => Call): T {
  return new Proxy(object, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof name !== "string" || typeof value !== "function") return value;
      return wrap(name, (...given) => (target as Record<string, Call>)[name]?.(...given));
    },
  });
}

export function priceDatabase(
  db: D1Database,
  name: string,
  platform: Platform,
  settings: Pick<EdgeSettings, "slow" | "epoch">,
): D1Database {
  return wrapDatabase(
    db,
    (run) => platform.callDatabase(name, run, (results) => results.map(({ meta }) => meta)),
    (text) => onModelClock(text, settings),
  );
}

type CallDatabase = (run: () => Promise<D1Result[]>) => Promise<D1Result[]>;

/** The database with each of its calls, of one statement or of a batch, by way of `call`. @param toText changes the text of a statement */
export function wrapDatabase(
  db: D1Database | D1DatabaseSession,
  call: CallDatabase,
  toText = (text: string) => text,
): D1Database {
  return wrapMethods(db as D1Database, (method, real) => {
    switch (method) {
      case "prepare":
        return (text) => new WrappedStatement(real(toText(String(text))) as D1PreparedStatement, call);
      case "batch":
        return (statements) => call(async () => real((statements as WrappedStatement[]).map((it) => it.real)) as never);
      case "withSession":
        return (...given) => wrapDatabase(real(...given) as D1DatabaseSession, call, toText);
      case "getBookmark":
        return real;
      default:
        throw new Error(`the model has no price for ${method}() of a database`);
    }
  });
}

class WrappedStatement {
  readonly real: D1PreparedStatement;
  readonly #call: CallDatabase;

  constructor(real: D1PreparedStatement, call: CallDatabase) {
    this.real = real;
    this.#call = call;
  }

  bind(...values: unknown[]): WrappedStatement {
    return new WrappedStatement(this.real.bind(...values), this.#call);
  }

  async all(): Promise<D1Result> {
    const [result] = await this.#call(async () => [await this.real.all()]);
    return result as D1Result;
  }

  run(): Promise<D1Result> {
    return this.all();
  }

  async first(column?: string): Promise<unknown> {
    const [row] = (await this.all()).results as Record<string, unknown>[];
    if (!row) return null;
    return column === undefined ? row : row[column];
  }

  /** Its answer does not tell what it has read. */
  raw(): never {
    throw new Error("the model has no price for raw() of a statement");
  }
}

function priceNamespace(kv: KVNamespace, platform: Platform): KVNamespace {
  return wrapMethods(kv, (name, call) => {
    const kind = name.startsWith("get") ? "kvReads" : "kvWrites";
    return (...given) => platform.callNamespace(kind, async () => call(...given));
  });
}

function priceObjects(objects: DurableObjectNamespace, platform: Platform): DurableObjectNamespace {
  return wrapMethods(objects, (name, call) => {
    if (name === "jurisdiction") return (...given) => priceObjects(call(...given) as DurableObjectNamespace, platform);
    if (name !== "get" && name !== "getByName") return call;
    return (...given) =>
      wrapMethods(
        call(...given) as object,
        (_, ask) =>
          (...asked) =>
            platform.callObject(async () => ask(...asked)),
      );
  });
}

/** Cloudflare's limits for one call of sendBatch. */
const MOST_MESSAGES = 100;
const MOST_BYTES = 256_000;

function makeProducer(queues: DurableObjectNamespace<EdgeQueue>, name: string, platform: Platform): Queue {
  const sendBatch: Queue["sendBatch"] = async (messages, options) => {
    const sent = [...messages].map(({ body, delaySeconds }) => ({
      json: JSON.stringify(body),
      delaySeconds: delaySeconds ?? options?.delaySeconds ?? 0,
    }));
    const bytes = sent.reduce((sum, { json }) => sum + json.length, 0);
    if (sent.length > MOST_MESSAGES || bytes > MOST_BYTES)
      throw new Error("Too many messages, or too large, in a batch");
    await platform.callQueue(() => queues.getByName(name).send(sent));
    return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
  };
  return {
    send: (body, options) => sendBatch([{ body, ...options }]),
    sendBatch,
    metrics: async () => ({ backlogCount: 0, backlogBytes: 0 }),
  };
}
