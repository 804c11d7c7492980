// What the limit of one website costs: calls a second to its object, and how many of them a flood of requests makes.
import { setTimeout as sleep } from "node:timers/promises";
import { type Spread, spreadOf } from "../test/node/harness/statistics.ts";
import { closedLoop, type PreparedRequest, post } from "./load.ts";
import { createClient } from "./seed.ts";
import type { Workers } from "./service.ts";

export const LIMIT = 300;

const CONNECTIONS = [1, 32, 128];
const ROUNDS = 5;
/** In which the flood fills the window, so that each second after has its 300 and no more. */
const FILL_SECONDS = 1;
const FLOOD_SECONDS = 3;
const FLOOD_CONNECTIONS = 32;

export interface LimiterFigures {
  /** One object asked by a Worker that does nothing else. */
  calls: { connections: number; callsPerSecond: Spread; p50: Spread; p99: Spread }[];
  /** Of the service, a second: requests that came, those that were admitted, and calls that reached the object. */
  flood: { requests: Spread; admitted: Spread; calls: Spread };
}

interface Counts {
  calls: number;
  admitted: number;
  /** The object's clock, milliseconds. */
  at: number;
}

export async function measureLimiter(workers: Workers, seconds: number): Promise<LimiterFigures> {
  const calls = await measureCalls(workers, seconds);
  return { calls, flood: await measureFloods(workers) };
}

async function measureCalls({ url }: Workers, seconds: number): Promise<LimiterFigures["calls"]> {
  const request: PreparedRequest = { method: "GET", path: "/bench/admit/calls", headers: {} };
  const rows = CONNECTIONS.map((connections) => ({
    connections,
    rates: [] as number[],
    p50: [] as number[],
    p99: [] as number[],
  }));
  for (let round = -1; round < ROUNDS; round++) {
    for (const { connections, rates, p50, p99 } of rows) {
      const result = await closedLoop(url.counted, [request], { connections, seconds });
      if (round < 0) continue;
      rates.push(result.requestsPerSecond);
      p50.push(result.p50);
      p99.push(result.p99);
    }
  }
  return rows.map(({ connections, rates, p50, p99 }) => ({
    connections,
    callsPerSecond: spreadOf(rates),
    p50: spreadOf(p50),
    p99: spreadOf(p99),
  }));
}

async function measureFloods(workers: Workers): Promise<LimiterFigures["flood"]> {
  const { websiteId, headers } = await createClient(workers, "flood");
  // Refused for what it lacks once it is counted: the limit is what works. It has no body, because workerd resets the
  // connection of a request whose body was refused unread.
  const request: PreparedRequest = { method: "GET", path: "/text/message/status", headers };
  const rounds = { requests: [] as number[], admitted: [] as number[], calls: [] as number[] };
  for (let round = -1; round < ROUNDS; round++) {
    const figures = await measureFlood(workers, websiteId, request);
    if (round < 0) continue;
    for (const name of ["requests", "admitted", "calls"] as const) rounds[name].push(figures[name]);
  }
  return { requests: spreadOf(rounds.requests), admitted: spreadOf(rounds.admitted), calls: spreadOf(rounds.calls) };
}

async function measureFlood({ url }: Workers, websiteId: string, request: PreparedRequest) {
  const readCounts = async () => {
    const { body } = await post(`${url.counted}/bench/counts/${websiteId}`, {}, "");
    return JSON.parse(body) as Counts;
  };
  const flood = closedLoop(url.counted, [request], {
    connections: FLOOD_CONNECTIONS,
    seconds: FILL_SECONDS + FLOOD_SECONDS,
    statuses: [400, 429],
  });
  await sleep(FILL_SECONDS * 1000);
  const before = await readCounts();
  await sleep(FLOOD_SECONDS * 1000);
  const after = await readCounts();
  const { requestsPerSecond } = await flood;
  const perSecond = (count: "calls" | "admitted") => ((after[count] - before[count]) * 1000) / (after.at - before.at);
  return { requests: requestsPerSecond, admitted: perSecond("admitted"), calls: perSecond("calls") };
}
