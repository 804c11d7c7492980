// From accepted in bulk, through both queues and the sandbox, until every callback has come: the service, and the floor without stores.
import { CountingReceiver } from "../test/node/harness/counting-receiver.ts";
import { medianRatio, type Spread, spreadOf } from "../test/node/harness/statistics.ts";
import { messagesToSubscribers } from "./bulk.ts";
import { postJson } from "./load.ts";
import { createClient, seedSubscriptions } from "./seed.ts";
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
}

/** @throws Error when a callback is missing, or comes twice */
export async function measureDeliveries(
  workers: Workers<"service">,
  floor: Workers<"deliveryFloor">,
): Promise<DeliverFigures> {
  const receiver = await new CountingReceiver((response) => response.writeHead(204).end()).open();
  try {
    const { headers, websiteId } = await createClient(workers, "deliver", { callbackUrl: receiver.url });
    await seedSubscriptions(workers.db, websiteId, MESSAGES * 2);
    const floorHeaders = { "callback-url": receiver.url, "callback-secret": FLOOR_SECRET };
    const [rates, floorRates]: [number[], number[]] = [[], []];
    for (let round = 0; round <= ROUNDS; round++) {
      const rate = await deliver(receiver, `${workers.url.service}/text/bulk/message/send`, headers, round);
      const floorRate = await deliver(receiver, floor.url.deliveryFloor, floorHeaders, round);
      if (round === 0) continue;
      rates.push(rate);
      floorRates.push(floorRate);
    }
    return {
      messages: MESSAGES,
      messagesPerSecond: spreadOf(rates),
      floor: spreadOf(floorRates),
      timesFloor: medianRatio(rates, floorRates),
    };
  } finally {
    await receiver.close();
  }
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
