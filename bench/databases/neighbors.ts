// What the neighbors of a website that moves feel: their sends in the database that it leaves, and in the one that it moves to. In
// turn without and with the move under way: the queue of its job is held for the former. At the platform's price.
import { setTimeout as sleep } from "node:timers/promises";
import { call, makeAgent } from "../../test/node/harness/call.ts";
import { medianRatio, percentile, type Spread, spreadOf } from "../../test/node/harness/statistics.ts";
import { messagesToSubscribers } from "../bulk.ts";
import { buildEdge } from "../edge/build.ts";
import { openLoop } from "../edge/load.ts";
import { type Edge, type EdgePrice, startEdge } from "../edge/start.ts";
import { carrierVars, makeCarrier, makeWebsite, postTo, type Website } from "../edge/world.ts";
import { postJson } from "../load.ts";

const NUMBERS = 200_000;
const NUMBERS_OF_A_NEIGHBOR = 1000;
/** Requests a second of each neighbor. Times of the model. */
const RATE = 40;
const WINDOW_MILLISECONDS = 3000;
/** A job of the move ends, or begins. */
const CHANGE_MILLISECONDS = 2000;
/** Many and short: a machine that others use is faster and slower by the second, and each round is a pair. */
const ROUNDS = 11;
/** A new database takes websites ten minutes after its first sweep. */
const NEW_MILLISECONDS = 11 * 60_000;
const QUEUE_OF_MOVES = "textgate-bulk";
const NEIGHBORS = ["DB", "DB_2"] as const;

/** Of one window. Milliseconds of the model. */
type Times = Record<"p50" | "p99" | "perSecond", number>;

export interface NeighborRow {
  database: string;
  without: Record<keyof Times, Spread>;
  with: Record<keyof Times, Spread>;
  /** With over without, round by round. */
  times: Times;
}

export interface NeighborFigures {
  slow: number;
  ratePerSecond: number;
  rows: NeighborRow[];
  /** Of the 200,000, in all rounds. */
  rowsCopied: number;
  rowsCompared: number;
}

export async function measureNeighbors(directory: string, price: EdgePrice): Promise<NeighborFigures> {
  const build = await buildEdge(directory, NEIGHBORS.length);
  const carrier = makeCarrier(price.slow);
  await carrier.open();
  const edge = await startEdge(build, price, (origin) => carrierVars(carrier, origin));
  try {
    await edge.sweep();
    await edge.goAhead(NEW_MILLISECONDS);
    await edge.sweep();
    const website = (websiteId: string, numbers: number, database: string) =>
      makeWebsite(edge, websiteId, { numbers, isCalledBack: false, database });
    await website("moving", NUMBERS, "DB");
    const neighbors: Website[] = [];
    for (const [index, database] of NEIGHBORS.entries())
      neighbors.push(await website(`near-${index}`, NUMBERS_OF_A_NEIGHBOR, database));
    const path = `${edge.url}/operator/websites/moving/move`;
    const headers = { authorization: `Bearer ${edge.operatorToken}`, "content-type": "application/json" };
    await runWindow(edge, neighbors);
    await edge.hold(true, QUEUE_OF_MOVES);
    await postJson(path, headers, { database: "DB_2" });
    const rounds: Record<"without" | "with", Times[]>[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const times = {} as Record<"without" | "with", Times[]>;
      for (const which of round % 2 === 0 ? (["without", "with"] as const) : (["with", "without"] as const)) {
        await edge.hold(which === "without", QUEUE_OF_MOVES);
        await sleep(CHANGE_MILLISECONDS * price.slow);
        times[which] = await runWindow(edge, neighbors);
      }
      rounds.push(times);
    }
    const agent = makeAgent(1);
    const move = JSON.parse((await call(agent, path, { headers })).body);
    agent.destroy();
    if (!["copy", "check"].includes(move.step)) throw new Error(`the move was over before the rounds: ${move.step}`);
    const rows = NEIGHBORS.map((database, index) => toRow(database, rounds, index));
    return {
      slow: price.slow,
      ratePerSecond: RATE,
      rows,
      rowsCopied: move.rowsCopied,
      rowsCompared: move.rowsCompared,
    };
  } finally {
    await edge.close();
    await carrier.close();
  }
}

/** @returns of each neighbor */
async function runWindow(edge: Edge, neighbors: Website[]): Promise<Times[]> {
  const { slow } = edge.price;
  const bodies = messagesToSubscribers(NUMBERS_OF_A_NEIGHBOR / 2, 0).map((message) => JSON.stringify(message));
  const agent = makeAgent(Number.POSITIVE_INFINITY);
  const loads = neighbors.map((neighbor) =>
    openLoop(
      async (index) => {
        const body = bodies[index % bodies.length] as string;
        return (await postTo(edge, agent, neighbor, "/text/message/send", body)).status;
      },
      RATE / slow,
      WINDOW_MILLISECONDS * slow,
    ),
  );
  const sent = await Promise.all(loads);
  agent.destroy();
  return sent.map(({ milliseconds, elapsed, statuses }) => {
    if ([...statuses.keys()].some((status) => status !== 200))
      throw new Error(`sends: ${JSON.stringify([...statuses])}`);
    const share = (rank: number) => percentile(milliseconds, rank) / slow;
    return { p50: share(0.5), p99: share(0.99), perSecond: (milliseconds.length * 1000 * slow) / elapsed };
  });
}

function toRow(database: string, rounds: Record<"without" | "with", Times[]>[], index: number): NeighborRow {
  const values = (which: "without" | "with", name: keyof Times) =>
    rounds.map((round) => round[which][index]?.[name] ?? Number.NaN);
  const spreads = (which: "without" | "with") => ({
    p50: spreadOf(values(which, "p50")),
    p99: spreadOf(values(which, "p99")),
    perSecond: spreadOf(values(which, "perSecond")),
  });
  const ratio = (name: keyof Times) => medianRatio(values("with", name), values("without", name));
  return {
    database,
    without: spreads("without"),
    with: spreads("with"),
    times: { p50: ratio("p50"), p99: ratio("p99"), perSecond: ratio("perSecond") },
  };
}
