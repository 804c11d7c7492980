// Requests about one number, to send and to ask, against the floor: their binding calls and nothing else.
import { readCpu } from "./cpu.ts";
import { closedLoop, type LoadOptions, type LoadResult, type PreparedRequest } from "./load.ts";
import { createClient, digitsAt, isSubscribed, seedSubscriptions } from "./seed.ts";
import type { Workers } from "./service.ts";
import { medianRatio, type Spread, spreadOf } from "./statistics.ts";

/**
 * A website may make 300 requests in a second. One connection takes its requests from 16 websites, so it stays within that
 * up to 4,800 a second, and many connections up to 19,200.
 */
const WEBSITES = 64;
const SUBSCRIBERS_A_WEBSITE = 1000;
/** Many and short: a machine that others use is faster and slower by the second, and each round is a pair. */
const ROUNDS = 12;
const WARM_UP_SECONDS = 1;

export interface SingleRow {
  connections: number;
  service: SingleFigures;
  floor: SingleFigures;
  /** The service's requests per second over the floor's, round by round. */
  ratio: number;
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

/** Rounds of the service and the floor, of which each is first every other time. */
export async function compareSingles(
  workers: Workers,
  requests: PreparedRequest[],
  connections: number,
  seconds: number,
): Promise<SingleRow> {
  const results: Record<"service" | "floor", Measured[]> = { service: [], floor: [] };
  for (let round = -1; round < ROUNDS; round++) {
    const order = round % 2 === 0 ? (["service", "floor"] as const) : (["floor", "service"] as const);
    for (const name of order) {
      const load = { connections, seconds: round < 0 ? WARM_UP_SECONDS : seconds };
      const result = await measureLoad(workers, name, requests, load);
      if (round >= 0) results[name].push(result);
    }
  }
  const rates = (name: "service" | "floor") => results[name].map(({ requestsPerSecond }) => requestsPerSecond);
  return {
    connections,
    service: toFigures(results.service),
    floor: toFigures(results.floor),
    ratio: medianRatio(rates("service"), rates("floor")),
  };
}

export async function measureLoad(
  { url, pid }: Workers,
  name: "service" | "floor",
  requests: PreparedRequest[],
  load: LoadOptions,
): Promise<Measured> {
  const before = await readCpu(pid);
  const result = await closedLoop(url[name], requests, load);
  const after = await readCpu(pid);
  return {
    ...result,
    cpu: before === undefined || after === undefined ? undefined : (after - before) / result.answers,
  };
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

interface SingleRequests {
  send: PreparedRequest[];
  status: PreparedRequest[];
}

/** One request of each website, each about another number that is subscribed. @param name of the websites */
export async function prepareSingles(workers: Workers, name: string): Promise<SingleRequests> {
  const requests: SingleRequests = { send: [], status: [] };
  for (let index = 0; index < WEBSITES; index++) {
    const { websiteId, headers } = await createClient(workers, `${name}-${index}`);
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
