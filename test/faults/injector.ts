import type { Deps } from "../../src/deps.ts";
import type { Credentials } from "../../src/domain/clients/client.ts";
import type { Send } from "../../src/domain/messages/send.ts";
import { type KnownClient, RateGate, type RateLimiterNamespace } from "../../src/platform/rate-limiter.ts";
import { CredentialStore } from "../../src/store/clients/credentials.ts";
import { ErasureKey } from "../../src/store/people/erasure-key.ts";
import { objectsOn } from "../objects.ts";
import { silent } from "../silence.ts";
import { strictEnv } from "../strict/bindings.ts";

/** What each binding says when it fails. */
const ERRORS = {
  D1: "D1_ERROR: Network connection lost.",
  KV: "KV request failed: 503 Service Unavailable",
  limiter: "Durable Object reset because its code was updated.",
  messages: "Queue sendBatch failed: Internal Server Error",
  callbacks: "Queue sendBatch failed: Internal Server Error",
  receipts: "Queue sendBatch failed: Internal Server Error",
};

export type Binding = keyof typeof ERRORS;

export interface Fault {
  /** Which of the calls fails, from 1. */
  nth: number;
  /** A call that fails after has taken effect, and its caller does not hear of it; of a silent one, its caller hears nothing. */
  when: "before" | "after" | "silent";
  /** The one call; every further call of its binding, the repetitions of the store included; every call of any. */
  lasts: "once" | "on its binding" | "on every binding";
  /** How the further calls fail, if not like the first. */
  afterwards?: "before";
}

/** Whether a call of a binding fails, and when: drawn for each, in place of a fault. */
export type Draw = (binding: Binding) => Fault["when"] | undefined;

/** Counts the calls that a flow makes to its bindings, and lets those fail that a fault says. */
export class Injector {
  readonly calls: Binding[] = [];
  readonly #fault: Fault | undefined;
  readonly #draw: Draw | undefined;
  #mended = false;

  constructor(fault?: Fault, draw?: Draw) {
    this.#fault = fault;
    this.#draw = draw;
  }

  /** From now on nothing fails, also what still runs. */
  mend(): void {
    this.#mended = true;
  }

  get isMended(): boolean {
    return this.#mended;
  }

  wrap(deps: Deps): Deps {
    const wrapped: Deps = {
      ...deps,
      db: this.#database(strictEnv.DB),
      kv: this.#keyValue(strictEnv.CREDENTIALS),
      credentials: new CredentialStore(this.#keyValue(strictEnv.CREDENTIALS)),
      erasureKey: new ErasureKey(this.#keyValue(strictEnv.CREDENTIALS)),
      limiter: new RateGate(this.#namespace(objectsOn(() => wrapped))),
      messages: this.#members(deps.messages, "messages", ["send", "sendBatch"]),
      bulk: this.#members(deps.bulk, "messages", ["send", "sendBatch"]),
      callbacks: this.#members(deps.callbacks, "callbacks", ["send", "sendBatch"]),
      receipts: this.#members(deps.receipts, "receipts", ["send", "sendBatch"]),
    };
    return wrapped;
  }

  /** @param limits see silent */
  async #call<T>(binding: Binding, run: () => Promise<T>, limits = 1): Promise<T> {
    const when = this.#failure(this.calls.push(binding), binding);
    if (when === "before") throw new Error(ERRORS[binding]);
    if (when === "silent") return silent(run(), limits);
    const result = await run();
    if (when === "after") throw new Error(ERRORS[binding]);
    return result;
  }

  #failure(call: number, binding: Binding): Fault["when"] | undefined {
    if (this.#mended) return undefined;
    if (this.#draw) return this.#draw(binding);
    const fault = this.#fault;
    if (!fault || call < fault.nth) return undefined;
    if (call === fault.nth) return fault.when;
    const isDown = fault.lasts === "on every binding" || this.calls[fault.nth - 1] === binding;
    return isDown && fault.lasts !== "once" ? (fault.afterwards ?? fault.when) : undefined;
  }

  /** The object with these of its functions counted. What the Worker has not used so far is refused, not passed by. */
  #members<T extends object>(object: T, binding: Binding, names: string[]): T {
    return new Proxy(object, {
      get: (target, name) => {
        const member = Reflect.get(target, name);
        if (!names.includes(String(name))) throw new Error(`the injector does not count ${binding} ${String(name)}`);
        return (...given: unknown[]) =>
          this.#call(binding, async () => (member as (...given: unknown[]) => Promise<unknown>).apply(target, given));
      },
    });
  }

  #keyValue(kv: KVNamespace): KVNamespace {
    return this.#members(kv, "KV", ["get", "put", "delete", "list"]);
  }

  #namespace(namespace: RateLimiterNamespace): RateLimiterNamespace {
    const getByName = (name: string) => {
      const stub = namespace.getByName(name);
      return {
        // Its late answer is waited for, too.
        admit: (client: KnownClient) => this.#call("limiter", async () => stub.admit(client), 2),
        send: (send: Send, client: KnownClient) => this.#call("limiter", async () => stub.send(send, client)),
        isStoring: (messageId: string) => this.#call("limiter", async () => stub.isStoring(messageId)),
        learn: (changed: Credentials[]) => this.#call("limiter", async () => stub.learn(changed)),
      };
    };
    return { getByName } as unknown as RateLimiterNamespace;
  }

  #database(db: D1Database): D1Database {
    const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();
    const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
      const run = (name: "all" | "run" | "first" | "raw") => () =>
        this.#call("D1", async () => (statement[name] as () => Promise<unknown>).call(statement));
      const wrapped = {
        bind: (...values: unknown[]) => wrap(statement.bind(...values)),
        all: run("all"),
        run: run("run"),
        first: run("first"),
        raw: run("raw"),
      } as unknown as D1PreparedStatement;
      originals.set(wrapped, statement);
      return wrapped;
    };
    const batch = (statements: D1PreparedStatement[]) =>
      this.#call("D1", () => db.batch(statements.map((statement) => originals.get(statement) ?? statement)));
    return { prepare: (sql: string) => wrap(db.prepare(sql)), batch } as unknown as D1Database;
  }
}
