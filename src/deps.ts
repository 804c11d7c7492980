import type { Carrier } from "./carriers/carrier.ts";
import { type Carriers, makeCarriers } from "./carriers/index.ts";
import { type Config, readConfig } from "./config.ts";
import type { DueEvent } from "./domain/callbacks/callback.ts";
import { StoredUses } from "./domain/clients/client-uses.ts";
import { RefusalTally } from "./domain/clients/refusal-tally.ts";
import { newId } from "./domain/databases/home.ts";
import type { Job } from "./domain/messages/job.ts";
import type { Sign } from "./domain/messages/link.ts";
import { type LogFields, type LogLevel, log } from "./log.ts";
import { AccessKeys } from "./platform/access-keys.ts";
import { Guesses } from "./platform/guesses.ts";
import { HealthMemory } from "./platform/health-memory.ts";
import { Hmac } from "./platform/hmac.ts";
import { RateGate, type RateLimiterNamespace } from "./platform/rate-limiter.ts";
import { type SenderNamespace, SenderTurns } from "./platform/sender-turns.ts";
import { CredentialStore } from "./store/clients/credentials.ts";
import { FIRST } from "./store/databases/directory.ts";
import { ErasureKey } from "./store/people/erasure-key.ts";

/** A database, and what an isolate keeps for it. */
export interface Database {
  db: D1Database;
  /** Its binding. */
  database: string;
  /** Until when an isolate with several databases requeues the jobs of this one after a failure: milliseconds since 1970. */
  pause: { until: number };
}

/** Made once per isolate, because it holds state. */
interface IsolateState extends Database {
  /** All but the first, by binding. */
  others: ReadonlyMap<string, Database>;
  /** Homes and their databases, as far as this isolate has looked them up: see src/flows/databases/places.ts. */
  places: Map<number, string>;
  config: Config;
  carriers: Carriers;
  /** The named accounts that this isolate has read, and when: see src/flows/clients/carrier-accounts.ts. */
  accounts: {
    byName: ReadonlyMap<string, { name: string; at: string; carrier: Carrier }>;
    readAt: number;
    triedAt: number;
  };
  credentials: CredentialStore;
  erasureKey: ErasureKey;
  limiter: RateGate;
  turns: SenderTurns;
  /** When the latest counted outcome came: milliseconds since 1970. */
  lastOutcome: { at: number };
  health: HealthMemory;
  accessKeys: AccessKeys;
  guesses: { links: Guesses; uncheckedLinks: Guesses; clients: Guesses; operators: Guesses };
  signLink: Sign;
  storedUses: StoredUses;
  refusals: RefusalTally;
}

/**
 * The bindings, the clock and the state that flows use; made once per event. `db` is the first
 * database, which also has the directory; src/flows/databases/places.ts makes deps with the database of a website.
 */
export interface Deps extends IsolateState {
  /** The deps with the first database. undefined: these are they. */
  first?: Deps;
  /** In a batch over several databases, how many outbound connections each of them has. All, if not given. */
  outbound?: number;
  kv: KVNamespace;
  messages: Queue<Job>;
  bulk: Queue<Job>;
  callbacks: Queue<DueEvent[]>;
  receipts: Queue<Job>;
  /** The files of public/. */
  assets: Fetcher;
  /** Milliseconds since 1970. */
  now(): number;
  /** @param home the home of the website that the id belongs to, so that the id alone leads to its database */
  newId(home?: number): string;
  /** From 0 to 1. */
  random(): number;
  randomBytes(count: number): Uint8Array;
  /** Goes on with work after the response is sent. */
  waitUntil(work: Promise<unknown>): void;
  log(level: LogLevel, event: string, fields?: LogFields): void;
}

export function makeDatabase(database: string, db: D1Database): Database {
  return { database, db, pause: { until: 0 } };
}

/** What is bound as DB_2, DB_3, … in this order. */
function otherDatabases(env: Env): Map<string, Database> {
  const names = Object.keys(env).filter((name) => /^DB_\d+$/.test(name));
  const numberOf = (name: string) => Number(name.slice("DB_".length));
  const databases = names.sort((a, b) => numberOf(a) - numberOf(b));
  return new Map(databases.map((name) => [name, makeDatabase(name, env[name as "DB"])]));
}

const isolateStates = new WeakMap<Env, IsolateState>();

/** @throws Error when the configuration is wrong */
export function makeIsolateState(env: Env): IsolateState {
  const config = readConfig(env);
  const linkKey = new Hmac(config.linkKey);
  return {
    ...makeDatabase(FIRST, env.DB),
    others: otherDatabases(env),
    places: new Map(),
    config,
    carriers: makeCarriers(config),
    accounts: { byName: new Map(), readAt: Number.NEGATIVE_INFINITY, triedAt: Number.NEGATIVE_INFINITY },
    credentials: new CredentialStore(env.CREDENTIALS),
    erasureKey: new ErasureKey(env.CREDENTIALS),
    limiter: new RateGate(env.RATE_LIMITER as RateLimiterNamespace, config.limiterLocation),
    turns: new SenderTurns(env.SENDERS as SenderNamespace, config.limiterLocation),
    lastOutcome: { at: 0 },
    health: new HealthMemory(),
    accessKeys: new AccessKeys(),
    guesses: {
      links: new Guesses("link", env.GUESSES),
      uncheckedLinks: new Guesses("unchecked link", env.GUESSES),
      clients: new Guesses("client", env.GUESSES),
      operators: new Guesses("operator", env.GUESSES),
    },
    signLink: (text) => {
      const [high = 0, low = 0] = linkKey.sign(`link ${text}`);
      return high * 256 + low;
    },
    storedUses: new StoredUses(),
    refusals: new RefusalTally(),
  };
}

/** @throws Error when the configuration is wrong */
export function makeDeps(env: Env, context: { waitUntil(work: Promise<unknown>): void }): Deps {
  const state = isolateStates.get(env) ?? makeIsolateState(env);
  isolateStates.set(env, state);
  return {
    ...state,
    kv: env.CREDENTIALS,
    assets: env.ASSETS,
    messages: env.MESSAGES as Queue<Job>,
    bulk: env.BULK as Queue<Job>,
    callbacks: env.CALLBACKS as Queue<DueEvent[]>,
    receipts: env.RECEIPTS as Queue<Job>,
    now: () => Date.now(),
    newId: (home = 0) => newId(home, Date.now(), crypto.randomUUID()),
    random: Math.random,
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    waitUntil: (work) => context.waitUntil(work),
    log,
  };
}
