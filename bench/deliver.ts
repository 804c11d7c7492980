// From accepted in bulk, through both queues and the sandbox, until every callback has come.
import { CountingReceiver } from "../test/node/harness/counting-receiver.ts";
import { type Spread, spreadOf } from "../test/node/harness/statistics.ts";
import { messagesToSubscribers } from "./bulk.ts";
import { postJson } from "./load.ts";
import { createClient, seedSubscriptions } from "./seed.ts";
import type { Workers } from "./service.ts";

/** Two callbacks each: Miniflare's queues fail once 10,000 messages wait. */
const MESSAGES = 5_000;
const ROUNDS = 5;
const CALLBACKS_A_MESSAGE = 2;
const TIMEOUT_MILLISECONDS = 60_000;

export interface DeliverFigures {
  messages: number;
  /** From the request in bulk until its last callback. */
  messagesPerSecond: Spread;
}

/** @throws Error when a callback is missing, or comes twice */
export async function measureDeliveries(workers: Workers<"service">): Promise<DeliverFigures> {
  const receiver = await new CountingReceiver((response) => response.writeHead(204).end()).open();
  try {
    const { headers, websiteId } = await createClient(workers, "deliver", { callbackUrl: receiver.url });
    await seedSubscriptions(workers.db, websiteId, MESSAGES * 2);
    const rates: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      receiver.received.clear();
      const body = { messages: messagesToSubscribers(MESSAGES, round) };
      const started = performance.now();
      await postJson(`${workers.url.service}/text/bulk/message/send`, headers, body);
      await receiver.until(MESSAGES * CALLBACKS_A_MESSAGE, TIMEOUT_MILLISECONDS);
      if (round > 0) rates.push((MESSAGES * 1000) / (performance.now() - started));
      const repeated = [...receiver.received].filter(([, count]) => count > 1);
      if (repeated.length > 0) throw new Error(`${repeated.length} callbacks came more than once`);
    }
    return { messages: MESSAGES, messagesPerSecond: spreadOf(rates) };
  } finally {
    await receiver.close();
  }
}
