// From accepted in bulk, through both queues and the sandbox, until every callback has come: the service, the floor without stores, and the
// usual way.
import { CountingReceiver } from "../test/node/harness/counting-receiver.ts";
import { medianRatio, type Spread, spreadOf } from "../test/node/harness/statistics.ts";
import { messagesToSubscribers } from "./bulk.ts";
import { postJson } from "./load.ts";
import { createClient, type SeededClient, seedSubscriptions, shareClient } from "./seed.ts";
import type { Workers } from "./service.ts";

/** Two callbacks each: Miniflare's queues fail once 10,000 messages wait. */
const MESSAGES = 2_000;
const ROUNDS = 3;
const CALLBACKS_A_MESSAGE = 2;
const TIMEOUT_MILLISECONDS = 120_000;

/** Signs the floor's callbacks; in the form of Standard Webhooks. */
const FLOOR_SECRET = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;

export interface DeliverFigures {
  messages: number;
  /** From the request in bulk until its last callback. */
  messagesPerSecond: Spread;
  floor: Spread;
  timesFloor: number;
  usual: Spread;
  timesUsual: number;
}

/** @throws Error when a callback is missing, or comes twice */
export async function measureDeliveries(
  workers: Workers<"service">,
  floor: Workers<"deliveryFloor">,
  usual: Workers<"usualMessages" | "service">,
): Promise<DeliverFigures> {
  const receiver = await new CountingReceiver((response) => response.writeHead(204).end()).open();
  try {
    const path = "/text/bulk/message/send";
    const { url } = receiver;
    const client = await makeClient(workers, url);
    const usualClient = await makeClient(usual, url);
    await shareClient(usual, usualClient, url);
    const floorHeaders = { "callback-url": url, "callback-secret": FLOOR_SECRET };
    const measured = [
      { rates: [] as number[], url: workers.url.service + path, headers: client.headers },
      { rates: [] as number[], url: floor.url.deliveryFloor, headers: floorHeaders },
      { rates: [] as number[], url: usual.url.usualMessages + path, headers: usualClient.headers },
    ] as const;
    for (let round = 0; round <= ROUNDS; round++) {
      for (const one of measured) {
        const rate = await deliver(receiver, one.url, one.headers, round);
        if (round > 0) one.rates.push(rate);
      }
    }
    const [{ rates }, { rates: floorRates }, { rates: usualRates }] = measured;
    return {
      messages: MESSAGES,
      messagesPerSecond: spreadOf(rates),
      floor: spreadOf(floorRates),
      timesFloor: medianRatio(rates, floorRates),
      usual: spreadOf(usualRates),
      timesUsual: medianRatio(rates, usualRates),
    };
  } finally {
    await receiver.close();
  }
}

async function makeClient(workers: Workers<"service">, callbackUrl: string): Promise<SeededClient> {
  const client = await createClient(workers, "deliver", { callbackUrl });
  await seedSubscriptions(workers.db, client.websiteId, MESSAGES * 2);
  return client;
}

/** @returns messages per second */
async function deliver(receiver: CountingReceiver, url: string, headers: Record<string, string>, round: number) {
  receiver.received.clear();
  const body = { messages: messagesToSubscribers(MESSAGES, round) };
  const started = performance.now();
  await postJson(url, headers, body);
  await receiver.until(MESSAGES * CALLBACKS_A_MESSAGE, TIMEOUT_MILLISECONDS);
  const seconds = (performance.now() - started) / 1000;
  const repeated = [...receiver.received].filter(([, count]) => count > 1);
  if (repeated.length > 0) throw new Error(`${repeated.length} callbacks came more than once`);
  return MESSAGES / seconds;
}
