// POST /text/subscription/status against the one D1 query, and against the way it is usually written, over growing tables.
import { setTimeout as sleep } from "node:timers/promises";
import { medianRatio, percentile, type Spread, spreadOf } from "../test/node/harness/statistics.ts";
import { HeapMeter } from "./heap.ts";
import { post } from "./load.ts";
import { createClient, digitsAt, isSubscribed, type SeededClient, seedSubscriptions } from "./seed.ts";
import type { Workers } from "./service.ts";

const ROUNDS = 5;
/** Before them: a Worker's engine makes its fastest code of a loop after some dozen requests. */
const WARM_UP_ROUNDS = 6;
/** How often a round asks for so many numbers; the usual way only once where it is slow. */
const SIZES = [
  { numbers: 1, calls: 100, usualCalls: 100 },
  { numbers: 100, calls: 20, usualCalls: 20 },
  { numbers: 5_000, calls: 5, usualCalls: 3 },
  { numbers: 50_000, calls: 5, usualCalls: 1 },
];
export const MOST_NUMBERS = 50_000;
const MOST_IN_AN_ARRAY = 5_000;

/** So that a Worker which takes no time at all stays within 300 requests a second. */
const LEAST_MILLISECONDS_A_TURN = 4;

/** Of the numbers asked for, one in so many is in the table. */
const ONE_IN = 5;
/** Numbers from here on are in no table. */
export const UNKNOWN = 50_000_000;

/** A prime, so that the numbers chosen of a table of round size all differ. */
const STRIDE = 7919;

/**
 * The service, its D1 query alone, the floor's binding calls for one number, and the usual way: its queries one after another, and
 * in one call.
 */
const MEASURED = ["service", "query", "calls", "usual", "usualBatch"] as const;
type Measured = (typeof MEASURED)[number];
type Times = Record<Measured, number[]>;
const noTimes = (): Times => ({ service: [], query: [], calls: [], usual: [], usualBatch: [] });

export interface StatusRow {
  numbers: number;
  subscriptions: number;
  /** Milliseconds of a whole request. */
  service: Spread;
  query: Spread;
  usual: Spread;
  usualBatch: Spread;
  /** The service's time over the query's, and the usual ways' over the service's, round by round. */
  timesQuery: number;
  fasterThanUsual: number;
  fasterThanUsualBatch: number;
  /** Of one number: object call and D1 read, and their time over the service's. */
  calls?: Spread;
  callsOverService?: number;
}

export interface StatusFigures {
  rows: StatusRow[];
  /** How long it took to store each table. */
  seedSeconds: number[];
  /** The most that the isolate's heap was seen to hold while it looked up 50,000 numbers in the largest table, without garbage at first. */
  peakHeapBytes: number;
}

/** @param tables how many subscriptions each has; every table is measured before the next is stored */
export async function measureStatus(workers: Workers, tables: number[]): Promise<StatusFigures> {
  const rows: StatusRow[] = [];
  const seedSeconds: number[] = [];
  let peakHeapBytes = 0;
  for (const subscriptions of tables) {
    const client = await createClient(workers, `status-${subscriptions}`);
    const started = performance.now();
    await seedSubscriptions(workers.db, client.websiteId, subscriptions);
    seedSeconds.push((performance.now() - started) / 1000);
    for (const size of SIZES) rows.push(await measureSize(workers, client, subscriptions, size));
    peakHeapBytes = await measureHeap(workers, client, subscriptions);
  }
  return { rows, seedSeconds, peakHeapBytes };
}

async function measureSize(
  workers: Workers,
  client: SeededClient,
  subscriptions: number,
  { numbers, calls, usualCalls }: (typeof SIZES)[number],
): Promise<StatusRow> {
  const callsOf: Record<Measured, number> = {
    service: calls,
    query: calls,
    calls: numbers === 1 ? calls : 0,
    usual: usualCalls,
    usualBatch: usualCalls,
  };
  const rounds = noTimes();
  for (let round = -1; round < ROUNDS; round++) {
    const ask = await prepare(workers, client, chooseNumbers(numbers, subscriptions, round + 1));
    const times = noTimes();
    const turns = round < 0 ? WARM_UP_ROUNDS : 1;
    for (let call = 0; call < calls * turns; call++) {
      const turn = sleep(LEAST_MILLISECONDS_A_TURN);
      for (const name of MEASURED) if (call < callsOf[name] * turns) times[name].push(await ask(name));
      await turn;
    }
    if (round >= 0) for (const name of MEASURED) rounds[name].push(percentile(times[name], 0.5));
  }
  return {
    numbers,
    subscriptions,
    service: spreadOf(rounds.service),
    query: spreadOf(rounds.query),
    usual: spreadOf(rounds.usual),
    usualBatch: spreadOf(rounds.usualBatch),
    timesQuery: medianRatio(rounds.service, rounds.query),
    fasterThanUsual: medianRatio(rounds.usual, rounds.service),
    fasterThanUsualBatch: medianRatio(rounds.usualBatch, rounds.service),
    ...(callsOf.calls > 0
      ? { calls: spreadOf(rounds.calls), callsOverService: medianRatio(rounds.calls, rounds.service) }
      : {}),
  };
}

async function measureHeap(workers: Workers, client: SeededClient, subscriptions: number): Promise<number> {
  const heap = await HeapMeter.open(workers.inspectorUrl, "service");
  const ask = await prepare(workers, client, chooseNumbers(MOST_NUMBERS, subscriptions, 0));
  let bytes = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const peak = await heap.watch(() => fetch(`${workers.url.service}/health`));
    await ask("service");
    bytes = Math.max(bytes, await peak.stop());
  }
  heap.close();
  return bytes;
}

/** Indexes of numbers, other ones each round, scattered. */
function chooseNumbers(count: number, subscriptions: number, round: number): number[] {
  const first = round * count;
  return Array.from({ length: count }, (_, index) =>
    index % ONE_IN === 0 ? ((first + index / ONE_IN) * STRIDE) % subscriptions : UNKNOWN + first + index,
  );
}

/** @returns asks one of the Workers, checks how many it finds to be subscribed, and gives the milliseconds */
async function prepare({ url }: Workers, { websiteId, headers }: SeededClient, indexes: number[]) {
  const phones = indexes.map((index) => `+${digitsAt(index)}`);
  const body = JSON.stringify(
    phones.length > MOST_IN_AN_ARRAY
      ? { csv_file: Buffer.from(`phone_numbers\n${phones.join("\n")}\n`).toString("base64") }
      : { phone_numbers: phones },
  );
  const sorted = Float64Array.from(indexes, digitsAt).sort();
  await post(`${url.floor}/numbers`, {}, `[${sorted.join(",")}]`, "PUT");
  const path = "/text/subscription/status";
  const urls = {
    service: url.service + path,
    query: `${url.floor}/status/${websiteId}`,
    calls: url.floor + path,
    usual: url.usual + path,
    usualBatch: `${url.usual}${path}?batch`,
  };
  const expected = indexes.filter((index) => index < UNKNOWN && isSubscribed(index)).length;
  return async (name: Measured): Promise<number> => {
    const answer = await (name === "query" ? post(urls.query, {}, "") : post(urls[name], headers, body));
    const found = name === "query" ? JSON.parse(answer.body).length : answer.body.split(":true}").length - 1;
    if (found !== expected) throw new Error(`${name} found ${found} of ${expected} subscribed`);
    return answer.milliseconds;
  };
}
