// POST /text/message/send against the floor: its binding calls and nothing else.
import { closedLoop, type LoadResult, type PreparedRequest } from "./load.ts";
import { createClient, digitsAt, isSubscribed, seedSubscriptions } from "./seed.ts";
import type { Workers } from "./service.ts";
import { medianRatio, type Spread, spreadOf } from "./statistics.ts";

/**
 * A website may make 300 requests in a second. One connection takes its requests from 16 websites, so it stays within that
 * up to 4,800 a second, and many connections up to 19,200.
 */
const WEBSITES = 64;
const SUBSCRIBERS_A_WEBSITE = 1000;
const CONNECTIONS = [1, 32, 128];
const ROUNDS = 7;
const WARM_UP_SECONDS = 1;

export interface SendRow {
  connections: number;
  service: SendFigures;
  floor: SendFigures;
  /** The service's requests per second over the floor's, round by round. */
  ratio: number;
}

/** Milliseconds, and requests per second. */
type SendFigures = Record<keyof LoadResult, Spread>;

export async function measureSends(workers: Workers, seconds: number): Promise<SendRow[]> {
  const requests = await prepareRequests(workers);
  const rows: SendRow[] = [];
  for (const connections of CONNECTIONS) {
    const load = (name: "service" | "floor", duration: number) =>
      closedLoop(workers.url[name], requests, { connections, seconds: duration });
    const service: LoadResult[] = [];
    const floor: LoadResult[] = [];
    for (let round = -1; round < ROUNDS; round++) {
      const duration = round < 0 ? WARM_UP_SECONDS : seconds;
      const serviceFirst = round % 2 === 0;
      if (serviceFirst) service.push(await load("service", duration));
      floor.push(await load("floor", duration));
      if (!serviceFirst) service.push(await load("service", duration));
    }
    rows.push(toRow(connections, service.slice(1), floor.slice(1)));
  }
  return rows;
}

/** One request of each website, each to another number. */
async function prepareRequests(workers: Workers): Promise<PreparedRequest[]> {
  const requests: PreparedRequest[] = [];
  for (let index = 0; index < WEBSITES; index++) {
    const { websiteId, headers } = await createClient(workers, `send-${index}`);
    await seedSubscriptions(workers.db, websiteId, SUBSCRIBERS_A_WEBSITE);
    const subscriber = index * 10;
    if (!isSubscribed(subscriber)) throw new Error("the number is not subscribed");
    requests.push({
      method: "POST",
      path: "/text/message/send",
      headers,
      body: JSON.stringify({
        phone: `+${digitsAt(subscriber)}`,
        text: "Your order 4711 has left our warehouse and arrives on Tuesday. Reply STOP to end these messages.",
        clickUrl: "https://shop.example.com/orders/4711",
        callbackData: JSON.stringify({ profileId: "42", order: 4711 }),
        sendPurpose: "order-status",
      }),
    });
  }
  return requests;
}

function toRow(connections: number, service: LoadResult[], floor: LoadResult[]): SendRow {
  const rates = (results: LoadResult[]) => results.map((result) => result.requestsPerSecond);
  return {
    connections,
    service: toFigures(service),
    floor: toFigures(floor),
    ratio: medianRatio(rates(service), rates(floor)),
  };
}

function toFigures(results: LoadResult[]): SendFigures {
  const figure = (name: keyof LoadResult) => spreadOf(results.map((result) => result[name]));
  return { requestsPerSecond: figure("requestsPerSecond"), p50: figure("p50"), p99: figure("p99") };
}
