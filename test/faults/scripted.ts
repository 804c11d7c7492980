// Bindings that follow a script: how each of their next calls ends. Once the script is over, all of them work.

import type { Deps } from "../../src/deps.ts";
import type { Send } from "../../src/domain/messages/send.ts";
import { type KnownClient, RateGate, type RateLimiterNamespace } from "../../src/platform/rate-limiter.ts";
import { objectsOn } from "../objects.ts";
import { strictEnv } from "../strict/bindings.ts";

/**
 * How a call ends. `unheard`: it took effect, and its answer is lost. `lost`: it had no effect, and its answer is lost. `late`: it takes
 * effect once its caller has long given up. `refused`: it had no effect, and says so.
 */
export type Fate = "heard" | "unheard" | "lost" | "late" | "too heavy" | "refused";

export const FATES: Fate[] = ["heard", "unheard", "lost", "late", "too heavy", "refused"];

const D1_ERRORS: Partial<Record<Fate, string>> = {
  "too heavy": "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
  refused: "D1_ERROR: D1 DB is overloaded. Too many requests queued.",
};

export interface Script {
  /** What becomes of the calls of D1, whoever makes them. */
  database: Fate[];
  /** What becomes of the calls of the website's object. */
  objects: Exclude<Fate, "late" | "too heavy">[];
  /** What becomes of the queue's sendBatch. */
  queue: ("heard" | "unheard" | "refused")[];
}

const ROUTES = ["database", "objects", "queue"] as const;

/** Whether two scripts have the same fates as far as one of them was used up. */
export const beginsAlike = (one: Script, other: Script, used: number[]) =>
  ROUTES.every((route, index) => one[route].slice(0, used[index]).every((fate, place) => fate === other[route][place]));

/** @param script is used up */
export class ScriptedBindings {
  readonly #script: Script;
  #late: (() => Promise<unknown>)[] = [];

  constructor(script: Script) {
    this.#script = structuredClone(script);
  }

  wrap(deps: Deps): Deps {
    const wrapped: Deps = {
      ...deps,
      db: this.database(strictEnv.DB),
      limiter: new RateGate(this.#objects(objectsOn(() => wrapped))),
      messages: this.#members(deps.messages, "sendBatch", this.#script.queue),
    };
    return wrapped;
  }

  /** Whether a call that nobody waits for has yet to take effect. */
  get isLate(): boolean {
    return this.#late.length > 0;
  }

  /** How many fates of each route were used up. Another script that begins with these ends as this one did. */
  used(of: Script): number[] {
    return ROUTES.map((route) => of[route].length - this.#script[route].length);
  }

  /** What is late takes effect. */
  async commit(): Promise<void> {
    for (const run of this.#late.splice(0)) await run().catch(() => {});
  }

  /** From now on all works. */
  end(): void {
    for (const fates of Object.values(this.#script)) fates.length = 0;
  }

  async #call<T>(fate: Fate, run: () => Promise<T>): Promise<T> {
    if (fate === "late") this.#late.push(run);
    const result = fate === "heard" || fate === "unheard" ? await run() : undefined;
    if (fate === "heard") return result as T;
    const overloaded = fate === "refused";
    throw Object.assign(new Error(D1_ERRORS[fate] ?? "Network connection lost."), { overloaded });
  }

  database(db: D1Database): D1Database {
    const originals = new WeakMap<object, D1PreparedStatement>();
    const next = <T>(run: () => Promise<T>) => this.#call(this.#script.database.shift() ?? "heard", run);
    const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
      const wrapped = {
        bind: (...values: unknown[]) => wrap(statement.bind(...values)),
        all: () => next(() => statement.all()),
      };
      originals.set(wrapped, statement);
      return wrapped as unknown as D1PreparedStatement;
    };
    const batch = (statements: D1PreparedStatement[]) =>
      next(() => db.batch(statements.map((statement) => originals.get(statement) ?? statement)));
    return { prepare: (sql: string) => wrap(db.prepare(sql)), batch } as unknown as D1Database;
  }

  #members<T extends object>(object: T, counted: string, fates: Fate[]): T {
    return new Proxy(object, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        if (name !== counted) return member.bind(target);
        return (...given: unknown[]) => this.#call(fates.shift() ?? "heard", async () => member.apply(target, given));
      },
    });
  }

  #objects(namespace: RateLimiterNamespace): RateLimiterNamespace {
    const next = <T>(run: () => Promise<T>) => this.#call(this.#script.objects.shift() ?? "heard", run);
    const getByName = (name: string) => {
      const stub = namespace.getByName(name);
      return {
        admit: stub.admit,
        learn: stub.learn,
        isStoring: async () => false,
        send: (send: Send, client: KnownClient) => next(async () => stub.send(send, client)),
      };
    };
    return { getByName } as unknown as RateLimiterNamespace;
  }
}
