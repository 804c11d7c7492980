// Bulk sends: messages a second from the request to its answer, and the heap of the isolate meanwhile.
import { HeapMeter } from "./heap.ts";
import { postJson } from "./load.ts";
import { createClient, digitsAt, seedSubscriptions } from "./seed.ts";
import type { Workers } from "./service.ts";
import { type Spread, spreadOf } from "./statistics.ts";

const SIZES = [1_000, 50_000];
const ROUNDS = 5;

export interface BulkRow {
  messages: number;
  bodyBytes: number;
  messagesPerSecond: Spread;
  /** The most that the isolate's JavaScript heap was seen to hold in any round. */
  peakHeapBytes: number;
}

export async function measureBulk(workers: Workers): Promise<BulkRow[]> {
  const { headers, websiteId } = await createClient(workers, "bulk");
  await seedSubscriptions(workers.db, websiteId, Math.max(...SIZES));
  const heap = await HeapMeter.open(workers.inspectorUrl, "service");
  const rows: BulkRow[] = [];
  for (const messages of SIZES) {
    const rates: number[] = [];
    let peakHeapBytes = 0;
    let bodyBytes = 0;
    for (let round = 0; round <= ROUNDS; round++) {
      const body = { messages: Array.from({ length: messages }, (_, index) => message(index, round)) };
      bodyBytes = Buffer.byteLength(JSON.stringify(body));
      const peak = heap.watch();
      const started = performance.now();
      const { body: answer } = await postJson(`${workers.url.service}/text/bulk/message/send`, headers, body);
      const seconds = (performance.now() - started) / 1000;
      peakHeapBytes = Math.max(peakHeapBytes, peak.stop());
      const { successSent } = JSON.parse(answer) as { successSent: unknown[] };
      if (successSent.length !== messages)
        throw new Error(`${successSent.length} of ${messages} messages were accepted`);
      if (round > 0) rates.push(messages / seconds);
    }
    rows.push({ messages, bodyBytes, messagesPerSecond: spreadOf(rates), peakHeapBytes });
  }
  heap.close();
  return rows;
}

function message(index: number, round: number) {
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
