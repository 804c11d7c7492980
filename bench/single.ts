// Requests about one number, to send and to ask, against the floor: their binding calls and nothing else. To send, against the usual way, too.
import { setTimeout as sleep } from "node:timers/promises";
import { medianRatio, type Spread, spreadOf } from "../test/node/harness/statistics.ts";
import { closedLoop, type LoadOptions, type LoadResult, type PreparedRequest } from "./load.ts";
import { createClient, digitsAt, isSubscribed, type SeededClient, seedSubscriptions } from "./seed.ts";
import type { Workers } from "./service.ts";

/**
 * A website may make 300 requests in a second. One connection takes its requests from 16 websites, so it stays within that
 * up to 4,800 a second, and many connections up to 19,200.
 */
const WEBSITES = 64;
const SUBSCRIBERS_A_WEBSITE = 1000;
/** Many and short: a machine that others use is faster and slower by the second, and each round is a pair. */
const ROUNDS = 12;
/** A machine that others use may leave a load without an answer that counts: then its round is no pair. */
const LEAST_ROUNDS = 6;
const WARM_UP_SECONDS = 1;
/** Loads of more connections last longer, because each connection waits longer for its answers. */
const CONNECTIONS_A_LOAD = 32;
/** What a load leaves to do after its last answer is no burden of the next. */
const SETTLE_MILLISECONDS = 100;

export const WITH_FLOOR = ["service", "floor"] as const;
export const WITH_USUAL = [...WITH_FLOOR, "usualMessages"] as const;
type Compared = (typeof WITH_USUAL)[number];

export interface SingleRow {
  connections: number;
  /** By the Worker that was measured. */
  figures: Partial<Record<Compared, SingleFigures>>;
  /** The service's requests per second over another Worker's, round by round. */
  times: Partial<Record<Compared, number>>;
  /** How many rounds count. */
  rounds: number;
}

export interface SingleFigures {
  requestsPerSecond: Spread;
  /** Milliseconds. */
  p50: Spread;
  p99: Spread;
}

/** Rounds of all, every other time in the other order. @returns undefined where the machine is too busy, and says so */
export async function compareSingles(
  workers: Workers,
  compared: readonly Compared[],
  requests: PreparedRequest[],
  { connections, seconds }: Required<Pick<LoadOptions, "connections" | "seconds">>,
): Promise<SingleRow | undefined> {
  const rounds: Map<Compared, LoadResult>[] = [];
  const lasts = seconds * Math.max(1, connections / CONNECTIONS_A_LOAD);
  for (let round = -1; round < ROUNDS; round++) {
    const results = new Map<Compared, LoadResult>();
    for (const name of round % 2 === 0 ? compared : compared.toReversed()) {
      const load = { connections, seconds: round < 0 ? WARM_UP_SECONDS : lasts };
      results.set(name, await measureLoad(workers.url[name], requests, load));
    }
    const isWhole = [...results.values()].every(({ requestsPerSecond }) => requestsPerSecond > 0);
    if (round >= 0 && isWhole) rounds.push(results);
  }
  if (rounds.length < LEAST_ROUNDS) {
    const had = `${rounds.length} of ${ROUNDS} rounds had answers`;
    process.stderr.write(`${connections} connections are not measured: ${had}; --seconds makes them longer\n`);
    return undefined;
  }
  const resultsOf = (name: Compared) => rounds.map((round) => round.get(name) as LoadResult);
  const rates = (name: Compared) => resultsOf(name).map(({ requestsPerSecond }) => requestsPerSecond);
  const others = compared.filter((name) => name !== "service");
  return {
    connections,
    figures: Object.fromEntries(compared.map((name) => [name, toFigures(resultsOf(name))])),
    times: Object.fromEntries(others.map((name) => [name, medianRatio(rates("service"), rates(name))])),
    rounds: rounds.length,
  };
}

export async function measureLoad(url: string, requests: PreparedRequest[], load: LoadOptions): Promise<LoadResult> {
  const result = await closedLoop(url, requests, load);
  await sleep(SETTLE_MILLISECONDS);
  return result;
}

function toFigures(results: LoadResult[]): SingleFigures {
  const figure = (name: keyof SingleFigures) => spreadOf(results.map((result) => result[name]));
  return { requestsPerSecond: figure("requestsPerSecond"), p50: figure("p50"), p99: figure("p99") };
}

export interface SingleRequests {
  send: PreparedRequest[];
  status: PreparedRequest[];
  /** Who makes them. */
  clients: SeededClient[];
}

/** One request of each website, each about another number that is subscribed. @param name of the websites */
export async function prepareSingles(
  workers: Pick<Workers<"service">, "url" | "operatorToken" | "db">,
  name: string,
): Promise<SingleRequests> {
  const requests: SingleRequests = { send: [], status: [], clients: [] };
  for (let index = 0; index < WEBSITES; index++) {
    const client = await createClient(workers, `${name}-${index}`);
    const { websiteId, headers } = client;
    await seedSubscriptions(workers.db, websiteId, SUBSCRIBERS_A_WEBSITE);
    const subscriber = index * 10;
    if (!isSubscribed(subscriber)) throw new Error("the number is not subscribed");
    const phone = `+${digitsAt(subscriber)}`;
    const post = (path: string, body: object) => ({
      method: "POST" as const,
      path,
      headers,
      body: JSON.stringify(body),
    });
    requests.clients.push(client);
    requests.send.push(post("/text/message/send", message(phone)));
    requests.status.push(post("/text/subscription/status", { phone_numbers: [phone] }));
  }
  return requests;
}

function message(phone: string) {
  return {
    phone,
    text: "Your order 4711 has left our warehouse and arrives on Tuesday. Reply STOP to end these messages.",
    clickUrl: "https://shop.example.com/orders/4711",
    callbackData: JSON.stringify({ profileId: "42", order: 4711 }),
    sendPurpose: "order-status",
  };
}
