import { type Config, readConfig } from "./config.ts";
import type { CircuitBreaker } from "./domain/circuit-breaker.ts";
import { IntakeLimit } from "./domain/intake-limit.ts";
import type { Job } from "./domain/job.ts";
import { type LogFields, type LogLevel, log } from "./log.ts";
import { type Carriers, makeCarriers } from "./platform/carriers/index.ts";
import { HealthMemory } from "./platform/health-memory.ts";
import { RateGate, type RateLimiterNamespace } from "./platform/rate-limiter.ts";
import { CredentialStore } from "./platform/store/credentials.ts";
import { ErasureKey } from "./platform/store/erasure-key.ts";
import type { DueEvent } from "./platform/store/events.ts";

/** The bindings, the clock and the state that flows use; made once per event. */
export interface Deps {
  db: D1Database;
  kv: KVNamespace;
  credentials: CredentialStore;
  erasureKey: ErasureKey;
  limiter: RateGate;
  messages: Queue<Job>;
  bulk: Queue<Job>;
  callbacks: Queue<DueEvent[]>;
  receipts: Queue<Job>;
  carriers: Carriers;
  health: HealthMemory;
  /** The files of public/. */
  assets: Fetcher;
  config: Config;
  intake: IntakeLimit;
  /** By carrier. */
  breakers: Map<string, CircuitBreaker>;
  /** Milliseconds since 1970. */
  now(): number;
  newId(): string;
  /** From 0 to 1. */
  random(): number;
  randomBytes(count: number): Uint8Array;
  /** Goes on with work after the response is sent. */
  waitUntil(work: Promise<unknown>): void;
  log(level: LogLevel, event: string, fields?: LogFields): void;
}

/** Made once per isolate, because it holds state. */
interface IsolateState {
  config: Config;
  carriers: Carriers;
  credentials: CredentialStore;
  erasureKey: ErasureKey;
  limiter: RateGate;
  intake: IntakeLimit;
  breakers: Map<string, CircuitBreaker>;
  health: HealthMemory;
}

const isolateStates = new WeakMap<Env, IsolateState>();

/** @throws Error when the configuration is wrong */
export function makeIsolateState(env: Env): IsolateState {
  const config = readConfig(env);
  return {
    config,
    carriers: makeCarriers(config),
    credentials: new CredentialStore(env.CREDENTIALS),
    erasureKey: new ErasureKey(env.CREDENTIALS),
    limiter: new RateGate(env.RATE_LIMITER as RateLimiterNamespace, config.limiterLocation),
    intake: new IntakeLimit(),
    breakers: new Map(),
    health: new HealthMemory(),
  };
}

/** @throws Error when the configuration is wrong */
export function makeDeps(env: Env, context: { waitUntil(work: Promise<unknown>): void }): Deps {
  const state = isolateStates.get(env) ?? makeIsolateState(env);
  isolateStates.set(env, state);
  return {
    ...state,
    db: env.DB,
    kv: env.CREDENTIALS,
    assets: env.ASSETS,
    messages: env.MESSAGES as Queue<Job>,
    bulk: env.BULK as Queue<Job>,
    callbacks: env.CALLBACKS as Queue<DueEvent[]>,
    receipts: env.RECEIPTS as Queue<Job>,
    now: () => Date.now(),
    newId: () => crypto.randomUUID(),
    random: Math.random,
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    waitUntil: (work) => context.waitUntil(work),
    log,
  };
}
