// Sends at the platform's price, of the service and of the floor: its binding calls, and nothing else. Nothing is delivered.
import { medianRatio, type Spread, spreadOf } from "../../test/node/harness/statistics.ts";
import { measureLoad, prepareSingles } from "../single.ts";
import { FLOOR_PATH } from "../workers/edge/settings.ts";
import type { EdgeBuild } from "./build.ts";
import { type EdgePrice, startEdge, tell } from "./start.ts";

const CONNECTIONS = [1, 32, 128];
const ROUNDS = 3;
/** Seconds by the clock of the model. */
const SECONDS = 1;

export interface FloorRow {
  connections: number;
  /** Requests per second of the model. */
  service: Spread;
  floor: Spread;
  /** The service's over the floor's, round by round. */
  timesFloor: number;
}

export async function compareWithFloor(build: EdgeBuild, price: EdgePrice): Promise<FloorRow[]> {
  const edge = await startEdge(build, price, () => ({}));
  try {
    await edge.hold(true);
    const workers = { url: { service: edge.url }, operatorToken: edge.operatorToken, db: edge.db };
    const { send } = await prepareSingles(workers, "floor");
    const requests = { service: send, floor: send.map((it) => ({ ...it, path: FLOOR_PATH + it.path })) };
    const measure = async (name: "service" | "floor", connections: number) => {
      const load = { connections, seconds: SECONDS * price.slow };
      const { requestsPerSecond } = await measureLoad(edge.url, requests[name], load);
      await edge.drop();
      return requestsPerSecond * price.slow;
    };
    const rows: FloorRow[] = [];
    for (const connections of CONNECTIONS) {
      tell(price, `${connections} connections, and the floor`);
      const rates = { service: [] as number[], floor: [] as number[] };
      for (let round = 0; round < ROUNDS; round++) {
        for (const name of round % 2 === 0 ? (["service", "floor"] as const) : (["floor", "service"] as const))
          rates[name].push(await measure(name, connections));
      }
      const { service, floor } = rates;
      rows.push({
        connections,
        service: spreadOf(service),
        floor: spreadOf(floor),
        timesFloor: medianRatio(service, floor),
      });
    }
    return rows;
  } finally {
    await edge.close();
  }
}
