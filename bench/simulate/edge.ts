// Pure. The loads of `npm run bench -- --edge`: what they come to here is what the model is worth.
import { CONSUMERS, type Model, NETWORK_MILLISECONDS, READING_CALL_MILLISECONDS } from "./model.ts";
import { type Quantiles, quantilesOf } from "./samples.ts";
import { World } from "./world.ts";

export interface EdgeFigures {
  /** Sends a second that are accepted: while nothing is delivered, and while deliveries go on. */
  held: number;
  beside: number;
  /** Of 300 sends a second. */
  open: Quantiles;
}

/** The table of the platform's price in docs/measurements.md. */
export const EDGE_FIGURES: EdgeFigures = { held: 2765, beside: 1954, open: { p50: 120, p99: 190 } };

/** As bench/edge/measure.ts has them. */
const WEBSITES = 10;
const CONNECTIONS = 256;
const OPEN_RATE = 300;
const OPEN_MILLISECONDS = 2000;
const HELD_MILLISECONDS = 2000;
const BESIDE_MILLISECONDS = 3000;
const WRITING_CALL = 4;

export function simulateEdge(seed: number): EdgeFigures {
  const model: Model = {
    seed,
    price: { writingCall: WRITING_CALL, readingCall: READING_CALL_MILLISECONDS, network: NETWORK_MILLISECONDS },
    homes: new Array<number>(WEBSITES).fill(0),
    databases: 1,
    rate: OPEN_RATE / WEBSITES,
    lookUps: 0,
    isGrouped: true,
    delivers: true,
    consumers: CONSUMERS,
    sharesIsolate: true,
    arrivals: CONNECTIONS,
    arrivesUntil: Number.POSITIVE_INFINITY,
  };
  const held = millisecondsOf({ ...model, delivers: false }, HELD_MILLISECONDS);
  const beside = millisecondsOf(model, BESIDE_MILLISECONDS);
  const open = millisecondsOf({ ...model, arrivals: "even", arrivesUntil: OPEN_MILLISECONDS }, 2 * OPEN_MILLISECONDS);
  return {
    held: (held.length * 1000) / HELD_MILLISECONDS,
    beside: (beside.length * 1000) / BESIDE_MILLISECONDS,
    open: quantilesOf(open),
  };
}

/** Of each send that is answered until then. */
function millisecondsOf(model: Model, until: number): number[] {
  const world = new World(model);
  world.events.runUntil(until);
  return world.samples.between(0, until);
}
