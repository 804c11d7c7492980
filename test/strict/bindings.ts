import { env } from "cloudflare:workers";
import type { Carrier } from "../../src/carriers/carrier.ts";
import type { RateLimiterNamespace, WebsiteObject } from "../../src/platform/rate-limiter.ts";
import type { SenderCalls, SenderNamespace } from "../../src/platform/sender-turns.ts";
import { strictDatabase } from "./database.ts";
import type { Use } from "./invocation.ts";
import { LIMITS } from "./limits.ts";
import { platform } from "./platform.ts";

/** The bindings of the Worker with Cloudflare's limits. A test itself looks into the real ones. */
export const strictEnv: typeof env = {
  ...env,
  DB: strictDatabase(env.DB),
  CREDENTIALS: members(env.CREDENTIALS, "KV", ["get", "put", "delete", "list"], checkWrite),
  RATE_LIMITER: strictObjects(env.RATE_LIMITER as RateLimiterNamespace) as typeof env.RATE_LIMITER,
  SENDERS: strictSenders(env.SENDERS as SenderNamespace) as typeof env.SENDERS,
  ASSETS: members(env.ASSETS, "assets", ["fetch"]),
  GUESSES: { limit: async ({ key = "" }) => ({ success: countGuess(key) }) },
};

/** GUESSES of wrangler.toml by the clock of the test: that of Miniflare goes by the machine's. */
function countGuess(key: string): boolean {
  const { now = 0, guesses } = platform;
  const period = Math.floor(now / 10_000);
  const counted = guesses.get(key);
  const count = counted?.period === period ? counted.count : 0;
  if (count >= 100) return false;
  guesses.set(key, { period, count: count + 1 });
  return true;
}

/** The object with these of its functions counted. What the Worker has not used so far is refused, not passed by. */
function members<T extends object>(
  object: T,
  what: Use["what"],
  names: string[],
  check?: (name: string, given: unknown[]) => void,
): T {
  return new Proxy(object, {
    get: (target, name) => {
      if (!names.includes(String(name))) throw new Error(`the strict platform does not count ${what} ${String(name)}`);
      const member = Reflect.get(target, name) as (...given: unknown[]) => Promise<unknown>;
      return (...given: unknown[]) =>
        platform.call({ what }, async () => {
          check?.(String(name), given);
          return member.apply(target, given);
        });
    },
  });
}

function checkWrite(name: string, [key]: unknown[]): void {
  if (name !== "put" && name !== "delete") return;
  const { now, keyWrites } = platform;
  const last = keyWrites.get(String(key));
  if (now === undefined) return;
  if (last !== undefined && now - last < LIMITS.keyWriteMilliseconds.value) {
    const message = `KV ${name.toUpperCase()} failed: 429 Too Many Requests`;
    platform.refuse(`${message}: ${key}`);
    throw new Error(message);
  }
  keyWrites.set(String(key), now);
}

/** The objects of the websites. What one of them asks of the others' bindings is no part of the invocation that has called it. */
export function strictObjects(namespace: RateLimiterNamespace): RateLimiterNamespace {
  const waiting = new Map<string, number>();
  const call = (name: string, run: () => Promise<unknown>) =>
    platform.call({ what: "object" }, async () => {
      const before = waiting.get(name) ?? 0;
      if (before >= platform.longestQueue.object) {
        const overload = { overloaded: true, retryable: false };
        throw Object.assign(new Error("Durable Object is overloaded. Too many requests queued."), overload);
      }
      waiting.set(name, before + 1);
      try {
        return await run();
      } finally {
        waiting.set(name, (waiting.get(name) ?? 1) - 1);
      }
    });
  const getByName: RateLimiterNamespace["getByName"] = (name, options) => {
    const object = namespace.getByName(name, options);
    const calls = {
      admit: (...given: Parameters<WebsiteObject["admit"]>) => call(name, async () => object.admit(...given)),
      learn: (...given: Parameters<WebsiteObject["learn"]>) => call(name, async () => object.learn(...given)),
      send: (...given: Parameters<WebsiteObject["send"]>) => call(name, async () => object.send(...given)),
      isStoring: (...given: Parameters<WebsiteObject["isStoring"]>) =>
        call(name, async () => object.isStoring(...given)),
      take: (...given: Parameters<WebsiteObject["take"]>) => call(name, async () => object.take(...given)),
      giveBack: (...given: Parameters<WebsiteObject["giveBack"]>) => call(name, async () => object.giveBack(...given)),
      textsUsed: () => call(name, async () => object.textsUsed()),
    };
    return calls as unknown as ReturnType<RateLimiterNamespace["getByName"]>;
  };
  return { getByName } as unknown as RateLimiterNamespace;
}

/** The objects of the senders. */
export function strictSenders(namespace: SenderNamespace): SenderNamespace {
  const getByName: SenderNamespace["getByName"] = (name, options) => {
    const object = namespace.getByName(name, options);
    const ask = (...given: Parameters<SenderCalls["ask"]>) =>
      platform.call({ what: "object" }, async () => object.ask(...given));
    return { ask } as unknown as ReturnType<SenderNamespace["getByName"]>;
  };
  return { getByName } as unknown as SenderNamespace;
}

const encoder = new TextEncoder();

/** The producer of a queue, which a test keeps itself. */
export function strictQueue<T>(queue: Queue<T>): Queue<T> {
  const { delaySeconds, messagesPerBatch, batchBytes, messageBytes, messageOverheadBytes } = LIMITS;
  const sendBatch = (given: Iterable<MessageSendRequest<T>>) =>
    platform.call({ what: "queue" }, async () => {
      const messages = [...given];
      const sizes = messages.map(
        ({ body }) => encoder.encode(JSON.stringify(body)).byteLength + messageOverheadBytes.value,
      );
      if (messages.some(({ delaySeconds: delay = 0 }) => delay > delaySeconds.value)) refuseBatch("Delay too long");
      if (messages.length > messagesPerBatch.value) refuseBatch("Too many messages");
      if (sizes.some((size) => size > messageBytes.value)) refuseBatch("Message too large");
      if (sizes.reduce((sum, size) => sum + size, 0) > batchBytes.value) refuseBatch("Payload Too Large");
      return queue.sendBatch(messages);
    });
  const metrics = () => platform.call({ what: "queue" }, () => queue.metrics());
  return { sendBatch, metrics, send: (body: T) => sendBatch([{ body }]) } as unknown as Queue<T>;
}

function refuseBatch(why: string): never {
  platform.refuse(`Queue sendBatch failed: ${why}`);
  throw new Error(`Queue sendBatch failed: ${why}`);
}

/** A carrier that a test plays: a submission is the request that the Worker would make. */
export function strictCarrier<T extends Carrier>(carrier: T): T {
  const submit: Carrier["submit"] = (message) => platform.call({ what: "fetch" }, () => carrier.submit(message));
  return Object.assign(Object.create(carrier) as T, { submit });
}
