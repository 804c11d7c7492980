// A service with eight databases over one with a single database: sends, look-ups and statuses, in interleaved rounds. Beside them
// the floor with eight over the floor with one: what seven more databases cost in the same workerd process.
import { withDatabases } from "../../scripts/runtime.ts";
import { medianRatio, type Spread, spreadOf } from "../../test/node/harness/statistics.ts";
import { buildEdge } from "../edge/build.ts";
import { type EdgePrice, startEdge } from "../edge/start.ts";
import { type PreparedRequest, post } from "../load.ts";
import { start, type Workers } from "../service.ts";
import { measureLoad, prepareSingles } from "../single.ts";

export const DATABASES = 8;
/** A lone one shares no transaction; of many, those of one website share. */
const CONNECTIONS = [1, 32];
/** Many and short: a machine that others use is faster and slower by the second, and each round is a pair. */
const ROUNDS = 16;
const WARM_UP_SECONDS = 1;
/** At the platform's price: so slow that the CPU does not hold up eight, and so many that one always has some waiting. */
const PRICED_SLOW = 16;
const PRICED_CONNECTIONS = 256;
/** Of the model. */
const PRICED_SECONDS = 0.5;
const PRICED_ROUNDS = 4;

/** Of one kind of request. */
export interface EightRow {
  what: string;
  connections: number;
  worker: "service" | "floor";
  /** Requests per second. */
  one: Spread;
  eight: Spread;
  /** Those with eight databases over those with one, round by round. */
  times: number;
  rounds: number;
}

export async function measureEight(directory: string, seconds: number): Promise<EightRow[]> {
  const names = ["service", "floor"] as const;
  const open = (databases: number) => start({ directory, names, withConsumers: false, databases });
  return compareServices(open, names, { connections: CONNECTIONS, seconds, rounds: ROUNDS });
}

/** At the platform's price, where each database has a thread of its own. Nothing is delivered. Requests per second of the model. */
export async function measureEightAtPrice(directory: string, price: Omit<EdgePrice, "slow">): Promise<EightRow[]> {
  const build = await buildEdge(directory);
  const open = async (databases: number) => {
    const own = { ...build, config: withDatabases(build.config, databases) };
    const edge = await startEdge(own, { ...price, slow: PRICED_SLOW }, () => ({}));
    await edge.hold(true);
    return { ...edge, url: { service: edge.url, floor: "" }, slow: PRICED_SLOW, ended: () => edge.drop() };
  };
  const seconds = PRICED_SECONDS * PRICED_SLOW;
  return compareServices(open, ["service"], { connections: [PRICED_CONNECTIONS], seconds, rounds: PRICED_ROUNDS });
}

type Service = Pick<Workers<EightRow["worker"]>, "url" | "operatorToken" | "databases" | "pid" | "close"> & {
  /** How many times slower than its clock it runs. */
  slow?: number;
  /** After each load. */
  ended?(): Promise<void>;
};

async function compareServices(
  open: (databases: number) => Promise<Service>,
  names: readonly EightRow["worker"][],
  load: { connections: number[]; seconds: number; rounds: number },
): Promise<EightRow[]> {
  const services: Service[] = [];
  try {
    for (const databases of [1, DATABASES]) services.push(await open(databases));
    const requests = await Promise.all(services.map(prepare));
    const rows: EightRow[] = [];
    for (const connections of load.connections) {
      for (const what of ["send", "look-up of a number", "status of a message"] as const) {
        for (const worker of names) {
          if (worker === "floor" && what === "status of a message") continue;
          process.stderr.write(`${(performance.now() / 1000).toFixed(0)} s: eight databases over one: ${what}\n`);
          const loads = services.map((service, index) => async (duration: number) => {
            const own = requests[index]?.[what] ?? [];
            const options = { connections, seconds: duration };
            const { requestsPerSecond } = await measureLoad(service, worker, own, options);
            await service.ended?.();
            return requestsPerSecond * (service.slow ?? 1);
          });
          rows.push({ what, connections, worker, ...(await compare(loads, load.seconds, load.rounds)) });
        }
      }
    }
    return rows;
  } finally {
    for (const service of services) await service.close();
  }
}

/** @param loads with one database, and with eight */
async function compare(loads: ((seconds: number) => Promise<number>)[], seconds: number, most: number) {
  const rounds: number[][] = [];
  for (let round = -1; round < most; round++) {
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

async function prepare(workers: Service) {
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
