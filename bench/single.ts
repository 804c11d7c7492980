// Requests about one number, to send and to ask, against the floors: their binding calls and nothing else.
import { setTimeout as sleep } from "node:timers/promises";
import { medianRatio, type Spread, spreadOf } from "../test/node/harness/statistics.ts";
import { timeCpu } from "./cpu.ts";
import { closedLoop, type LoadOptions, type LoadResult, type PreparedRequest } from "./load.ts";
import { createClient, digitsAt, isSubscribed, seedSubscriptions } from "./seed.ts";
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

const COMPARED = ["service", "floor", "inTurn"] as const;
/** The service, the calls made as it makes them, and each request's calls awaited in turn. */
export type Compared = (typeof COMPARED)[number];

export interface SingleRow {
  connections: number;
  service: SingleFigures;
  floor: SingleFigures;
  inTurn: SingleFigures;
  /** The service's requests per second over the floor's, round by round. */
  timesFloor: number;
  timesInTurn: number;
  /** How many rounds count. */
  rounds: number;
}

export interface SingleFigures {
  requestsPerSecond: Spread;
  /** Milliseconds. */
  p50: Spread;
  p99: Spread;
  /** Milliseconds of the workerd process a request, stores included; undefined where the system does not tell. */
  cpu: Spread | undefined;
}

export type Measured = LoadResult & { cpu: number | undefined };

/** Rounds of all, every other time in the other order. @returns undefined where the machine is too busy, and says so */
export async function compareSingles(
  workers: Workers,
  requests: PreparedRequest[],
  connections: number,
  seconds: number,
): Promise<SingleRow | undefined> {
  const rounds: Record<Compared, Measured>[] = [];
  for (let round = -1; round < ROUNDS; round++) {
    const results: Partial<Record<Compared, Measured>> = {};
    for (const name of round % 2 === 0 ? COMPARED : COMPARED.toReversed()) {
      const load = { connections, seconds: round < 0 ? WARM_UP_SECONDS : seconds };
      results[name] = await measureLoad(workers, name, requests, load);
    }
    const isWhole = Object.values(results).every(({ requestsPerSecond }) => requestsPerSecond > 0);
    if (round >= 0 && isWhole) rounds.push(results as Record<Compared, Measured>);
  }
  if (rounds.length < LEAST_ROUNDS) {
    const had = `${rounds.length} of ${ROUNDS} rounds had answers`;
    process.stderr.write(`${connections} connections are not measured: ${had}; --seconds makes them longer\n`);
    return undefined;
  }
  const rates = (name: Compared) => rounds.map((round) => round[name].requestsPerSecond);
  const figures = (name: Compared) => toFigures(rounds.map((round) => round[name]));
  return {
    connections,
    service: figures("service"),
    floor: figures("floor"),
    inTurn: figures("inTurn"),
    timesFloor: medianRatio(rates("service"), rates("floor")),
    timesInTurn: medianRatio(rates("service"), rates("inTurn")),
    rounds: rounds.length,
  };
}

/** The load, and what is left to do after its last answer: that is its own, and no burden of the next. */
export async function measureLoad<Name extends Compared>(
  { url, pid }: Pick<Workers<Name>, "url" | "pid">,
  name: Name,
  requests: PreparedRequest[],
  load: LoadOptions,
): Promise<Measured> {
  const [result, cpu] = await timeCpu(pid, async () => {
    const loaded = await closedLoop(url[name], requests, load);
    await settle(pid);
    return loaded;
  });
  return { ...result, cpu: cpu && cpu / result.answers };
}

const IDLE_MILLISECONDS = 50;
/** Of CPU, within which workerd counts as idle. */
const IDLE_CPU_MILLISECONDS = 10;
const MOST_LOOKS = 40;

/** Waits until workerd has nothing to do. */
async function settle(pid: number | undefined): Promise<void> {
  for (let look = 0; look < MOST_LOOKS; look++) {
    const [, cpu = 0] = await timeCpu(pid, () => sleep(IDLE_MILLISECONDS));
    if (cpu <= IDLE_CPU_MILLISECONDS) return;
  }
}

function toFigures(results: Measured[]): SingleFigures {
  const figure = (name: "requestsPerSecond" | "p50" | "p99") => spreadOf(results.map((result) => result[name]));
  const cpus = results.flatMap(({ cpu }) => cpu ?? []);
  return {
    requestsPerSecond: figure("requestsPerSecond"),
    p50: figure("p50"),
    p99: figure("p99"),
    cpu: cpus.length > 0 ? spreadOf(cpus) : undefined,
  };
}

export interface SingleRequests {
  send: PreparedRequest[];
  status: PreparedRequest[];
}

/**
 * One request of each website, each about another number that is subscribed.
 * @param name of the websites, which are spread evenly over the databases
 */
export async function prepareSingles(
  workers: Pick<Workers<"service">, "url" | "operatorToken" | "databases">,
  name: string,
  websites = WEBSITES,
): Promise<SingleRequests> {
  const requests: SingleRequests = { send: [], status: [] };
  const databases = [...workers.databases];
  for (let index = 0; index < websites; index++) {
    const [database, db] = databases[index % databases.length] as (typeof databases)[number];
    const settings = { carrier: "sandbox", database };
    const { websiteId, headers } = await createClient(workers, `${name}-${index}`, {}, settings);
    await seedSubscriptions(db, websiteId, SUBSCRIBERS_A_WEBSITE);
    const subscriber = index * 10;
    if (!isSubscribed(subscriber)) throw new Error("the number is not subscribed");
    const phone = `+${digitsAt(subscriber)}`;
    const post = (path: string, body: object) => ({
      method: "POST" as const,
      path,
      headers,
      body: JSON.stringify(body),
    });
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
