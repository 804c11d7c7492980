// Bulk sends beside single ones: messages a second from the request to its answer, the CPU time and the isolate's heap meanwhile.

import { medianRatio, type Spread, spreadOf } from "../test/node/harness/statistics.ts";
import { timeCpu } from "./cpu.ts";
import { HeapMeter } from "./heap.ts";
import { type PreparedRequest, post } from "./load.ts";
import { createClient, digitsAt, isSubscribed, type SeededClient, seedSubscriptions } from "./seed.ts";
import type { Workers } from "./service.ts";
import { type Compared, measureLoad } from "./single.ts";

/** What the text to number `index` is; no two of a request are the same. `plain`: the kind of the same length, all of GSM-7. */
const TEXTS = {
  "90 letters": {
    write: (index: number, round: number) =>
      `Brand: hello number ${index} of round ${round}, this is a text of a usual length, with a name in it`,
    plain: "90 letters",
  },
  "90 and an emoji": {
    write: (index: number, round: number) => `${TEXTS["90 letters"].write(index, round)} 🎉`,
    plain: "90 letters",
  },
  "300 letters": {
    write: (index: number, round: number) => TEXTS["90 letters"].write(index, round).padEnd(300, ", and so on"),
    plain: "300 letters",
  },
  "300, with an emoji": {
    write: (index: number, round: number) => `${TEXTS["90 letters"].write(index, round).padEnd(298, ", and so on")}🎉`,
    plain: "300 letters",
  },
  "300 in Arabic": {
    write: (index: number, round: number) => `${index} ${round} `.padEnd(300, "مرحبا بكم "),
    plain: "300 letters",
  },
} as const;
export type Texts = keyof typeof TEXTS;

const FEW_MESSAGES = 1_000;
const MOST_MESSAGES = 50_000;
const ROUNDS = 5;
const CONNECTIONS = 32;

export interface BulkRow {
  messages: number;
  texts: Texts;
  bodyBytes: number;
  messagesPerSecond: Spread;
  /** Messages a second over the single sends a second of the same round: of the service, and of the floors. */
  timesSingle: number;
  timesFloor: number;
  timesInTurn: number;
  /** The time over that of as many plain texts of the same length, round by round; 1 of those. */
  timesPlain: number;
  /** Seconds of workerd, stores included; undefined where the system does not tell. */
  cpu: Spread | undefined;
  /** The most that the isolate's heap was seen to hold in any round, buffers included, without garbage at first. */
  peakHeapBytes: number;
}

interface Kind {
  messages: number;
  texts: Texts;
  results: { bodyBytes: number; seconds: number; cpuSeconds: number | undefined; peakHeapBytes: number }[];
}

type Rates = Record<Compared, number[]>;

/** @param singles requests to send one message @param seconds how long they are sent in each round */
export async function measureBulk(workers: Workers, singles: PreparedRequest[], seconds: number): Promise<BulkRow[]> {
  const client = await createClient(workers, "bulk");
  await seedSubscriptions(workers.db, client.websiteId, MOST_MESSAGES);
  const heap = await HeapMeter.open(workers.inspectorUrl, "service");
  const rates: Rates = { service: [], floor: [], inTurn: [] };
  const kinds: Kind[] = [
    { messages: FEW_MESSAGES, texts: "90 letters", results: [] },
    ...(Object.keys(TEXTS) as Texts[]).map((texts) => ({ messages: MOST_MESSAGES, texts, results: [] })),
  ];
  for (let round = -1; round < ROUNDS; round++) {
    for (const name of ["service", "floor", "inTurn"] as const) {
      const { requestsPerSecond } = await measureLoad(workers, name, singles, { connections: CONNECTIONS, seconds });
      if (round >= 0) rates[name].push(requestsPerSecond);
    }
    for (const { messages, texts, results } of kinds) {
      const result = await sendBulk(workers, client, heap, bulkMessages(messages, texts, round + 1));
      if (round >= 0) results.push(result);
    }
  }
  heap.close();
  return kinds.map((kind) => toRow(kind, kinds, rates));
}

function toRow({ messages, texts, results }: Kind, kinds: Kind[], rates: Rates): BulkRow {
  const plain = kinds.find((kind) => kind.messages === messages && kind.texts === TEXTS[texts].plain);
  const secondsOf = (kind: Kind["results"] = []) => kind.map(({ seconds }) => seconds);
  const own = results.map(({ seconds }) => messages / seconds);
  const cpu = results.flatMap(({ cpuSeconds }) => cpuSeconds ?? []);
  return {
    messages,
    texts,
    bodyBytes: Math.max(...results.map(({ bodyBytes }) => bodyBytes)),
    messagesPerSecond: spreadOf(own),
    timesSingle: medianRatio(own, rates.service),
    timesFloor: medianRatio(own, rates.floor),
    timesInTurn: medianRatio(own, rates.inTurn),
    timesPlain: medianRatio(secondsOf(results), secondsOf(plain?.results)),
    cpu: cpu.length > 0 ? spreadOf(cpu) : undefined,
    peakHeapBytes: Math.max(...results.map(({ peakHeapBytes }) => peakHeapBytes)),
  };
}

async function sendBulk(
  { url, pid }: Pick<Workers<"service">, "url" | "pid">,
  { headers }: SeededClient,
  heap: HeapMeter,
  messages: object[],
): Promise<Kind["results"][number]> {
  const body = JSON.stringify({ messages });
  const peak = await heap.watch(() => fetch(`${url.service}/health`));
  const [answer, cpu] = await timeCpu(pid, () => post(`${url.service}/text/bulk/message/send`, headers, body));
  const peakHeapBytes = await peak.stop();
  const { successSent } = JSON.parse(answer.body) as { successSent: unknown[] };
  if (successSent.length !== messages.length) {
    throw new Error(`${successSent.length} of ${messages.length} messages were accepted`);
  }
  const seconds = answer.milliseconds / 1000;
  return { bodyBytes: Buffer.byteLength(body), peakHeapBytes, cpuSeconds: cpu && cpu / 1000, seconds };
}

/** To subscribed and opted out numbers alike, from the first on. */
function bulkMessages(count: number, texts: Texts, round: number) {
  return Array.from({ length: count }, (_, index) => bulkMessage(index, TEXTS[texts].write(index, round)));
}

/** The sandbox rehearses other outcomes with numbers that end in 0001 and on. */
const isRehearsed = (index: number) => digitsAt(index) % 10_000 < 100;

/** To the first so many numbers that are subscribed. */
export function messagesToSubscribers(count: number, round: number) {
  const messages = [];
  for (let index = 0; messages.length < count; index++) {
    if (isSubscribed(index) && !isRehearsed(index))
      messages.push(bulkMessage(index, TEXTS["90 letters"].write(index, round)));
  }
  return messages;
}

function bulkMessage(index: number, text: string) {
  return {
    phone: `+${digitsAt(index)}`,
    email: "",
    text,
    mediaUrl: "",
    clickUrl: "",
    callbackData: JSON.stringify({ profileId: `01H${index}`, flow: "Flow Name" }),
    sendPurpose: "spring-sale_01",
  };
}
