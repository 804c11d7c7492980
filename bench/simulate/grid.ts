// Pure. The whole simulation.
import { type EdgeFigures, simulateEdge } from "./edge.ts";
import { CONSUMERS, FEWER_CONSUMERS } from "./model.ts";
import type { Demand, Kind } from "./observe.ts";
import { type Outcome, type Placement, Runs } from "./runs.ts";

/** What is tried. */
export interface Grid {
  websites: number;
  /** Milliseconds. */
  writingCalls: number[];
  databases: number[];
  /** Websites that share a database, to find what it holds. */
  together: number[];
}

export const GRID: Grid = {
  websites: 100,
  writingCalls: [2, 5, 10, 20],
  databases: [1, 2, 5, 10, 20, 50, 100, 150],
  together: [1, 10, 100],
};

export interface SimulateFigures {
  seed: number;
  grid: Grid;
  outcomes: Outcome[];
  fewest: (Kind & { placement: Placement } & Record<Demand, Outcome | undefined>)[];
  /** Requests a second of one database. */
  most: (Kind & { websites: number } & Record<Demand, number>)[];
  edge: EdgeFigures;
}

export function simulate(seed: number, grid: Grid = GRID): SimulateFigures {
  const edge = simulateEdge(seed);
  const figures: SimulateFigures = { seed, grid, outcomes: [], fewest: [], most: [], edge };
  const runs = new Runs(seed, grid.websites);
  for (const isGrouped of [true, false]) {
    for (const writingCall of grid.writingCalls) {
      simulateKind(figures, runs, { isGrouped, consumers: CONSUMERS, writingCall });
    }
  }
  return figures;
}

const PLACEMENTS: [placement: Placement, consumers: number][] = [
  ["size", CONSUMERS],
  ["rate", CONSUMERS],
  ["size", FEWER_CONSUMERS],
];

function simulateKind(figures: SimulateFigures, runs: Runs, kind: Kind): void {
  const { grid, outcomes, fewest, most } = figures;
  outcomes.push(...grid.databases.map((databases) => runs.cell({ ...kind, placement: "size", databases })));
  for (const [placement, consumers] of PLACEMENTS) {
    const placed = { ...kind, placement, consumers };
    fewest.push({ ...placed, keepsUp: runs.fewest(placed, "keepsUp"), holds: runs.fewest(placed, "holds") });
  }
  for (const websites of grid.together) {
    const together = { ...kind, websites };
    most.push({ ...together, keepsUp: runs.most(together, "keepsUp"), holds: runs.most(together, "holds") });
  }
}
