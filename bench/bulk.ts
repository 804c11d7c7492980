// Bulk sends beside single ones: messages a second from the request to its answer, and the heap of the isolate meanwhile.
import { HeapMeter } from "./heap.ts";
import { type PreparedRequest, postJson } from "./load.ts";
import { createClient, digitsAt, isSubscribed, type SeededClient, seedSubscriptions } from "./seed.ts";
import type { Workers } from "./service.ts";
import { measureLoad } from "./single.ts";
import { medianRatio, type Spread, spreadOf } from "./statistics.ts";

const SIZES = [1_000, 50_000];
const ROUNDS = 5;
const CONNECTIONS = 32;

export interface BulkRow {
  messages: number;
  bodyBytes: number;
  messagesPerSecond: Spread;
  /** Messages a second over the single sends a second of the same round: of the service, and of the floor. */
  timesSingle: number;
  timesFloor: number;
  /** The most that the isolate's JavaScript heap was seen to hold in any round, without garbage at first. */
  peakHeapBytes: number;
}

/** @param singles requests to send one message @param seconds how long they are sent in each round */
export async function measureBulk(workers: Workers, singles: PreparedRequest[], seconds: number): Promise<BulkRow[]> {
  const client = await createClient(workers, "bulk");
  await seedSubscriptions(workers.db, client.websiteId, Math.max(...SIZES));
  const heap = await HeapMeter.open(workers.inspectorUrl, "service");
  const load = { connections: CONNECTIONS, seconds };
  const rates = { service: [] as number[], floor: [] as number[] };
  const bulks = SIZES.map((messages) => ({ messages, bodyBytes: 0, rates: [] as number[], peakHeapBytes: 0 }));
  for (let round = -1; round < ROUNDS; round++) {
    for (const name of ["service", "floor"] as const) {
      const { requestsPerSecond } = await measureLoad(workers, name, singles, load);
      if (round >= 0) rates[name].push(requestsPerSecond);
    }
    for (const bulk of bulks) {
      const result = await sendBulk(workers, client, heap, bulk.messages, round + 1);
      bulk.bodyBytes = result.bodyBytes;
      bulk.peakHeapBytes = Math.max(bulk.peakHeapBytes, result.peakHeapBytes);
      if (round >= 0) bulk.rates.push(bulk.messages / result.seconds);
    }
  }
  heap.close();
  return bulks.map(({ messages, bodyBytes, rates: own, peakHeapBytes }) => ({
    messages,
    bodyBytes,
    messagesPerSecond: spreadOf(own),
    timesSingle: medianRatio(own, rates.service),
    timesFloor: medianRatio(own, rates.floor),
    peakHeapBytes,
  }));
}

async function sendBulk(
  { url }: Pick<Workers<"service">, "url">,
  { headers }: SeededClient,
  heap: HeapMeter,
  count: number,
  round: number,
) {
  const body = { messages: bulkMessages(count, round) };
  const bodyBytes = Buffer.byteLength(JSON.stringify(body));
  const peak = await heap.watch(() => fetch(`${url.service}/health`));
  const { body: answer, milliseconds } = await postJson(`${url.service}/text/bulk/message/send`, headers, body);
  const peakHeapBytes = await peak.stop();
  const { successSent } = JSON.parse(answer) as { successSent: unknown[] };
  if (successSent.length !== count) throw new Error(`${successSent.length} of ${count} messages were accepted`);
  return { bodyBytes, peakHeapBytes, seconds: milliseconds / 1000 };
}

/** To subscribed and opted out numbers alike, from the first on. */
function bulkMessages(count: number, round: number) {
  return Array.from({ length: count }, (_, index) => bulkMessage(index, round));
}

/** To the first so many numbers that are subscribed. */
export function messagesToSubscribers(count: number, round: number) {
  const messages = [];
  for (let index = 0; messages.length < count; index++) {
    if (isSubscribed(index)) messages.push(bulkMessage(index, round));
  }
  return messages;
}

function bulkMessage(index: number, round: number) {
  return {
    phone: `+${digitsAt(index)}`,
    email: "",
    text: `Brand: hello number ${index} of round ${round}, this is a text of a usual length, with a name in it`,
    mediaUrl: "",
    clickUrl: "",
    callbackData: JSON.stringify({ profileId: `01H${index}`, flow: "Flow Name" }),
    sendPurpose: "spring-sale_01",
  };
}
