// POST /text/subscription/status against the one D1 query, and against the way it is usually written.
import { post } from "./load.ts";
import { createClient, digitsAt, isSubscribed, type SeededClient, seedSubscriptions } from "./seed.ts";
import type { Workers } from "./service.ts";
import { medianRatio, percentile, type Spread, spreadOf } from "./statistics.ts";

const SMALLER_TABLE = 10_000;
const ROUNDS = 5;
/** How often a round asks for so many numbers; the usual way only once where it is slow. */
const SIZES = [
  { numbers: 1, calls: 40, usualCalls: 40 },
  { numbers: 100, calls: 20, usualCalls: 20 },
  { numbers: 5_000, calls: 5, usualCalls: 3 },
  { numbers: 50_000, calls: 3, usualCalls: 1 },
];
const MOST_IN_AN_ARRAY = 5_000;

/** Of the numbers asked for, one in so many is in the table. */
const ONE_IN = 5;
/** Numbers from here on are in no table. */
const UNKNOWN = 50_000_000;

/** A prime, so that the numbers chosen of a table of round size all differ. */
const STRIDE = 7919;

const WORKERS = ["service", "floor", "usual"] as const;
type Measured = (typeof WORKERS)[number];

export interface StatusRow {
  numbers: number;
  subscriptions: number;
  /** Milliseconds of a whole request. */
  service: Spread;
  floor: Spread;
  usual: Spread;
  /** The service's time over the floor's, and the usual way's over the service's, round by round. */
  timesFloor: number;
  fasterThanUsual: number;
}

export async function measureStatus(workers: Workers, largerTable: number): Promise<StatusRow[]> {
  const rows: StatusRow[] = [];
  for (const subscriptions of [SMALLER_TABLE, largerTable]) {
    const client = await createClient(workers, `status-${subscriptions}`);
    await seedSubscriptions(workers.db, client.websiteId, subscriptions);
    for (const size of SIZES) rows.push(await measureSize(workers, client, subscriptions, size));
  }
  return rows;
}

async function measureSize(
  workers: Workers,
  client: SeededClient,
  subscriptions: number,
  { numbers, calls, usualCalls }: (typeof SIZES)[number],
): Promise<StatusRow> {
  const rounds: Record<Measured, number[]> = { service: [], floor: [], usual: [] };
  for (let round = -1; round < ROUNDS; round++) {
    const indexes = chooseNumbers(numbers, subscriptions, round + 1);
    const ask = await prepare(workers, client, indexes);
    const times: Record<Measured, number[]> = { service: [], floor: [], usual: [] };
    for (let call = 0; call < calls; call++) {
      for (const name of WORKERS) if (name !== "usual" || call < usualCalls) times[name].push(await ask(name));
    }
    if (round >= 0) for (const name of WORKERS) rounds[name].push(percentile(times[name], 0.5));
  }
  return {
    numbers,
    subscriptions,
    service: spreadOf(rounds.service),
    floor: spreadOf(rounds.floor),
    usual: spreadOf(rounds.usual),
    timesFloor: medianRatio(rounds.service, rounds.floor),
    fasterThanUsual: medianRatio(rounds.usual, rounds.service),
  };
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
  const expected = indexes.filter((index) => index < UNKNOWN && isSubscribed(index)).length;
  return async (name: Measured): Promise<number> => {
    const answer =
      name === "floor"
        ? await post(`${url.floor}/status/${websiteId}`, {}, "")
        : await post(`${url[name]}/text/subscription/status`, headers, body);
    const found = name === "floor" ? JSON.parse(answer.body).length : answer.body.split(":true}").length - 1;
    if (found !== expected) throw new Error(`${name} found ${found} of ${expected} subscribed`);
    return answer.milliseconds;
  };
}
