// Pure. Whether a database keeps up with what its websites ask.
import { type Model, NETWORK_MILLISECONDS, READING_CALL_MILLISECONDS } from "./model.ts";
import { type Quantiles, quantilesOf } from "./samples.ts";
import { World } from "./world.ts";

/** Of the requests of a website. */
const LOOK_UPS = 0.1;

/** Milliseconds. A message is through to its last callback in about four seconds. */
export const WARM_UP = 4000;
/** Whether it keeps up shows at once, mostly. What seems to is watched for longer: some backlogs grow only after half a minute. */
const WATCHED = [6000, 30_000];
export const LOOK = 100;

/** Milliseconds. */
export const MOST_P99 = 100;
/** Of the requests of a database: what waits for it may grow by so much a second before it counts as growing. */
const GROWTH = 0.03;
/** So many more may wait by chance: receipts wait for a hundred of them, or for a second. */
const FEW_WAITING = 60;

export interface Kind {
  isGrouped: boolean;
  consumers: number;
  /** Milliseconds. */
  writingCall: number;
}

/** Databases that share nothing, and have equally many websites, behave alike. */
export interface DatabaseKind extends Kind {
  websites: number;
  /** Of each of them, requests a second. */
  rate: number;
}

export interface DatabaseOutcome extends Quantiles {
  /** What waits for the database and for consumers of its queues: by how much it grows in a second. */
  growth: number;
  /** Sends refused, a second. */
  refused: number;
  /** It refuses nothing, and what waits does not grow. */
  keepsUp: boolean;
  /** It keeps up, and answers sends in time. */
  holds: boolean;
}

/** What is asked of each database. */
export type Demand = "keepsUp" | "holds";

/** So many sends at least are behind a p99. */
const FEWEST_SENDS = 3000;
const MOST_DATABASES = 10;

export function baseModel(
  { isGrouped, consumers, writingCall, rate }: Kind & { rate: number },
  seed: number,
): Omit<Model, "homes" | "databases"> {
  return {
    seed,
    price: { writingCall, readingCall: READING_CALL_MILLISECONDS, network: NETWORK_MILLISECONDS },
    rate,
    lookUps: LOOK_UPS,
    isGrouped,
    delivers: true,
    consumers,
    sharesIsolate: false,
    arrivals: "random",
    arrivesUntil: Number.POSITIVE_INFINITY,
  };
}

/** As many databases of the kind as a p99 needs. */
export function runDatabase(kind: DatabaseKind, seed: number): DatabaseOutcome {
  const { websites, rate } = kind;
  const sends = (websites * rate * (1 - LOOK_UPS) * (WATCHED[0] as number)) / 1000;
  const databases = Math.min(MOST_DATABASES, Math.ceil(FEWEST_SENDS / sends));
  const homes = Array.from({ length: databases * websites }, (_, website) => website % databases);
  const world = new World({ ...baseModel(kind, seed), homes, databases });
  world.events.runUntil(WARM_UP);
  let outcome: DatabaseOutcome | undefined;
  for (const milliseconds of WATCHED) {
    outcome = observe(world, milliseconds);
    if (!outcome.keepsUp) break;
  }
  return outcome as DatabaseOutcome;
}

/** Goes on for so long. */
function observe(world: World, milliseconds: number): DatabaseOutcome {
  const { databases, homes, rate } = world.model;
  const from = world.events.now;
  const refusedBefore = world.refused;
  const first = watch(world, milliseconds / 3);
  world.events.runUntil(world.events.now + milliseconds / 3);
  const last = watch(world, milliseconds / 3);
  const seconds = (milliseconds * 2) / 3 / 1000;
  const growth = (last - first) / seconds / databases;
  const refused = ((world.refused - refusedBefore) * 1000) / milliseconds / databases;
  const { p50, p99 } = quantilesOf(world.samples.between(from, from + milliseconds));
  const keepsUp = refused === 0 && growth <= (GROWTH * rate * homes.length) / databases + FEW_WAITING / seconds;
  return { p50, p99, growth, refused, keepsUp, holds: keepsUp && p99 <= MOST_P99 };
}

/** @returns what waits in all databases, on average */
function watch(world: World, milliseconds: number): number {
  const looks = milliseconds / LOOK;
  let sum = 0;
  for (let look = 0; look < looks; look++) {
    world.events.runUntil(world.events.now + LOOK);
    sum += world.waiting();
  }
  return sum / looks;
}
