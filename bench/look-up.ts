// The subscription status of 50,000 numbers against the one D1 query, and against the way it is usually written, over growing tables.
import { medianRatio, type Spread, spreadOf } from "../test/node/harness/statistics.ts";
import { post } from "./load.ts";
import { createClient, digitsAt, isSubscribed, type SeededClient, seedSubscriptions } from "./seed.ts";
import type { Workers } from "./service.ts";

const NUMBERS = 50_000;
const ROUNDS = 5;
/** Before them: a Worker's engine makes its fastest code of a loop after some dozen requests. */
const WARM_UP_CALLS = 20;
/** How often a round asks the service, and the query. The usual way is slow, so a round asks it once. */
const CALLS = 5;

/** One in so many of the numbers asked for is in the table. */
const ONE_IN = 5;
/** Numbers from here on are in no table. */
export const UNKNOWN = 50_000_000;

/** A prime, so that the numbers chosen of a table of round size all differ. */
const STRIDE = 7919;

/** The service, its D1 query alone, and the usual way: its queries one after another, and in one call. */
const MEASURED = ["service", "query", "usual", "usualBatch"] as const;
type Measured = (typeof MEASURED)[number];

export interface LookUpRow {
  numbers: number;
  subscriptions: number;
  /** Milliseconds of a whole request. */
  service: Spread;
  query: Spread;
  /** The service's time over the query's, and the usual ways' over the service's, round by round. */
  timesQuery: number;
  fasterThanUsual: number;
  fasterThanUsualBatch: number;
}

/** @param tables how many subscriptions each has; every table is measured before the next is stored */
export async function measureLookUps(workers: Workers, tables: number[]): Promise<LookUpRow[]> {
  const rows: LookUpRow[] = [];
  for (const subscriptions of tables) {
    const client = await createClient(workers, `look-up-${subscriptions}`);
    await seedSubscriptions(workers.db, client.websiteId, subscriptions);
    rows.push(await measureTable(workers, client, subscriptions));
  }
  return rows;
}

async function measureTable(workers: Workers, client: SeededClient, subscriptions: number): Promise<LookUpRow> {
  const rounds: Record<Measured, number[]> = { service: [], query: [], usual: [], usualBatch: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    const ask = await prepare(workers, client, chooseNumbers(subscriptions, round));
    const calls = round === 0 ? WARM_UP_CALLS : CALLS;
    for (const name of MEASURED) {
      const times: number[] = [];
      const most = name === "service" || name === "query" ? calls : 1;
      for (let call = 0; call < most; call++) times.push(await ask(name));
      if (round > 0) rounds[name].push(spreadOf(times).median);
    }
  }
  return {
    numbers: NUMBERS,
    subscriptions,
    service: spreadOf(rounds.service),
    query: spreadOf(rounds.query),
    timesQuery: medianRatio(rounds.service, rounds.query),
    fasterThanUsual: medianRatio(rounds.usual, rounds.service),
    fasterThanUsualBatch: medianRatio(rounds.usualBatch, rounds.service),
  };
}

/** Indexes of numbers, other ones each round, scattered. */
function chooseNumbers(subscriptions: number, round: number): number[] {
  const first = round * NUMBERS;
  return Array.from({ length: NUMBERS }, (_, index) =>
    index % ONE_IN === 0 ? ((first + index / ONE_IN) * STRIDE) % subscriptions : UNKNOWN + first + index,
  );
}

/** @returns asks one of the Workers, checks how many it finds to be subscribed, and gives the milliseconds */
async function prepare({ url }: Workers, { websiteId, headers }: SeededClient, indexes: number[]) {
  const lines = ["phone_numbers", ...indexes.map((index) => `+${digitsAt(index)}`), ""];
  const body = JSON.stringify({ csv_file: Buffer.from(lines.join("\n")).toString("base64") });
  const sorted = Float64Array.from(indexes, digitsAt).sort();
  await post(`${url.floor}/numbers`, {}, `[${sorted.join(",")}]`, "PUT");
  const path = "/text/subscription/status";
  const urls = {
    service: url.service + path,
    query: `${url.floor}/status/${websiteId}`,
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
