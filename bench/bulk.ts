// A bulk send beside single ones: messages a second from the request to its answer.
import { medianRatio, type Spread, spreadOf } from "../test/node/harness/statistics.ts";
import { type PreparedRequest, post } from "./load.ts";
import { createClient, digitsAt, isSubscribed, seedSubscriptions } from "./seed.ts";
import type { Workers } from "./service.ts";
import { measureLoad } from "./single.ts";

const MESSAGES = 50_000;
const ROUNDS = 3;
const CONNECTIONS = 32;

export interface BulkFigures {
  messages: number;
  bodyBytes: number;
  messagesPerSecond: Spread;
  /** Messages a second over the single sends a second of the same round: of the service, and of the floor. */
  timesSingle: number;
  timesFloor: number;
}

/** @param singles single sends, over which the messages a second are given */
export async function measureBulk(workers: Workers, singles: PreparedRequest[], seconds: number): Promise<BulkFigures> {
  const { url, db } = workers;
  const { headers, websiteId } = await createClient(workers, "bulk");
  await seedSubscriptions(db, websiteId, MESSAGES * 2);
  const rates = { bulk: [] as number[], service: [] as number[], floor: [] as number[] };
  let bodyBytes = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    const body = JSON.stringify({ messages: messagesToSubscribers(MESSAGES, round) });
    bodyBytes = Buffer.byteLength(body);
    const answer = await post(`${url.service}/text/bulk/message/send`, headers, body);
    const { successSent } = JSON.parse(answer.body) as { successSent: unknown[] };
    if (successSent.length !== MESSAGES) throw new Error(`${successSent.length} of ${MESSAGES} were accepted`);
    const load = { connections: CONNECTIONS, seconds };
    const service = await measureLoad(url.service, singles, load);
    const floor = await measureLoad(url.floor, singles, load);
    // A Worker's engine makes its fastest code of a loop after some time.
    if (round === 0) continue;
    rates.bulk.push((MESSAGES * 1000) / answer.milliseconds);
    rates.service.push(service.requestsPerSecond);
    rates.floor.push(floor.requestsPerSecond);
  }
  return {
    messages: MESSAGES,
    bodyBytes,
    messagesPerSecond: spreadOf(rates.bulk),
    timesSingle: medianRatio(rates.bulk, rates.service),
    timesFloor: medianRatio(rates.bulk, rates.floor),
  };
}

/** The sandbox rehearses other outcomes with numbers that end in 0001 and on. */
const isRehearsed = (index: number) => digitsAt(index) % 10_000 < 100;

/** To the first so many numbers that are subscribed. */
export function messagesToSubscribers(count: number, round: number) {
  const messages = [];
  for (let index = 0; messages.length < count; index++) {
    if (isSubscribed(index) && !isRehearsed(index)) messages.push(bulkMessage(index, round));
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
