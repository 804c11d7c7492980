// A service with eight databases over one with a single database: sends, look-ups and statuses, in interleaved rounds.
import { medianRatio, type Spread, spreadOf } from "../../test/node/harness/statistics.ts";
import { type PreparedRequest, post } from "../load.ts";
import { start, type Workers } from "../service.ts";
import { measureLoad, prepareSingles } from "../single.ts";

export const DATABASES = 8;
const CONNECTIONS = 32;
/** Many and short: a machine that others use is faster and slower by the second, and each round is a pair. */
const ROUNDS = 16;
const WARM_UP_SECONDS = 1;

/** Of one kind of request. */
export interface EightRow {
  what: string;
  /** Requests per second. */
  one: Spread;
  eight: Spread;
  /** Those with eight databases over those with one, round by round. */
  times: number;
  rounds: number;
}

export async function measureEight(directory: string, seconds: number): Promise<EightRow[]> {
  const services: Workers<"service">[] = [];
  try {
    for (const databases of [1, DATABASES])
      services.push(await start({ directory, names: ["service"], withConsumers: false, databases }));
    const requests = await Promise.all(services.map(prepare));
    const rows: EightRow[] = [];
    for (const what of ["send", "look-up of a number", "status of a message"] as const) {
      const loads = services.map((workers, index) => async (duration: number) => {
        const load = { connections: CONNECTIONS, seconds: duration };
        const own = requests[index]?.[what] ?? [];
        return (await measureLoad(workers, "service", own, load)).requestsPerSecond;
      });
      rows.push({ what, ...(await compare(loads, seconds)) });
    }
    return rows;
  } finally {
    for (const workers of services) await workers.close();
  }
}

/** @param loads with one database, and with eight */
async function compare(loads: ((seconds: number) => Promise<number>)[], seconds: number) {
  const rounds: number[][] = [];
  for (let round = -1; round < ROUNDS; round++) {
    const rates: number[] = [];
    const inOrder = [...loads.entries()];
    for (const [index, load] of round % 2 === 0 ? inOrder : inOrder.reverse())
      rates[index] = await load(round < 0 ? WARM_UP_SECONDS : seconds);
    // A load without an answer that counts is no pair.
    if (round >= 0 && rates.every((rate) => rate > 0)) rounds.push(rates);
  }
  const of = (index: number) => rounds.map((rates) => rates[index] ?? Number.NaN);
  const [one, eight] = [of(0), of(1)];
  return { one: spreadOf(one), eight: spreadOf(eight), times: medianRatio(eight, one), rounds: rounds.length };
}

async function prepare(workers: Workers<"service">) {
  const { send, status } = await prepareSingles(workers, "databases");
  const messages: PreparedRequest[] = [];
  for (const { path, headers, body = "" } of send) {
    const { messageId } = JSON.parse((await post(`${workers.url.service}${path}`, headers, body)).body) as {
      messageId: string;
    };
    messages.push({ method: "GET", path: `/text/message/status?messageId=${messageId}`, headers });
  }
  return { send, "look-up of a number": status, "status of a message": messages };
}
