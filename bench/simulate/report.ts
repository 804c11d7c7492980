// The figures of the simulation as tables.
import { printTable, whole } from "../../test/node/harness/table.ts";
import { EDGE_FIGURES, type EdgeFigures } from "./edge.ts";
import type { SimulateFigures } from "./grid.ts";
import { LIMIT } from "./model.ts";
import { MOST_P99 } from "./observe.ts";
import type { Outcome } from "./runs.ts";
import type { Quantiles } from "./samples.ts";

interface Table {
  title: string;
  rows: string[][];
}

export function printSimulation(figures: SimulateFigures): void {
  for (const { title, rows } of tablesOf(figures)) printTable(title, rows, 1);
}

/** docs/measurements.md says what they assume. */
export function tablesOf(figures: SimulateFigures): Table[] {
  const { edge } = figures;
  return [
    ...[true, false].map((isGrouped) => cellTable(figures, isGrouped)),
    fewestTable(figures),
    mostTable(figures),
    {
      title: "One database, ten websites, 4 ms a write, beside `npm run bench -- --edge` (docs/measurements.md)",
      rows: [["", "here", "there"], ...edgeRows(edge)],
    },
  ];
}

const pricesOf = ({ grid }: SimulateFigures): string[] => grid.writingCalls.map((milliseconds) => `${milliseconds} ms`);

function cellTable(figures: SimulateFigures, isGrouped: boolean): Table {
  const { seed, grid, outcomes } = figures;
  return {
    title: `Simulation, seed ${seed}: ${grid.websites} websites at ${LIMIT} requests/s each, ${groupedOf(isGrouped)}. By the price of a write, p50 and p99 of a send in ms; or what is refused (-) and what the backlog grows by (+), a second`,
    rows: [
      ["databases", "most websites", ...pricesOf(figures)],
      ...grid.databases.map((databases) => {
        const row = outcomes.filter((it) => it.isGrouped === isGrouped && it.databases === databases);
        return [String(databases), String(row[0]?.mostWebsites ?? ""), ...row.map(cellOf)];
      }),
    ],
  };
}

function fewestTable({ fewest }: SimulateFigures): Table {
  const head = ["sends", "even by", "consumers", "a write"];
  return {
    title: `The fewest databases that keep up: none refuses a send or has a backlog that grows; and that besides answer sends within ${MOST_P99} ms (p99)`,
    rows: [
      [...head, "keep up", "websites", "p50, p99", "in time", "websites", "p50, p99"],
      ...fewest.map(({ placement, consumers, isGrouped, writingCall, keepsUp, holds }) => [
        ...[groupedOf(isGrouped), placement, String(consumers), `${writingCall} ms`],
        ...[keepsUp, holds].flatMap((found) =>
          found ? [String(found.databases), String(found.mostWebsites), pair(found.slowest)] : ["none", "", ""],
        ),
      ]),
    ],
  };
}

function mostTable(figures: SimulateFigures): Table {
  const { grid, most } = figures;
  const rowOf = (isGrouped: boolean, websites: number) => {
    const row = most.filter((it) => it.isGrouped === isGrouped && it.websites === websites);
    const cells = row.map(({ keepsUp, holds }) => `${whole(keepsUp)}, ${whole(holds)}`);
    return [groupedOf(isGrouped), String(websites), ...cells];
  };
  return {
    title:
      "The most requests a second with which one database keeps up, and is in time, by how many websites share them",
    rows: [
      ["sends", "websites", ...pricesOf(figures)],
      ...[true, false].flatMap((isGrouped) => grid.together.map((websites) => rowOf(isGrouped, websites))),
    ],
  };
}

const groupedOf = (isGrouped: boolean): string => (isGrouped ? "grouped" : "each alone");

/** Of a deployment that does not keep up, what is refused and by how much the backlog grows, a second. */
function cellOf({ keepsUp, slowest, refused, growth }: Outcome): string {
  if (keepsUp) return pair(slowest);
  const notes = [
    ...(refused > 0 ? [`-${whole(Math.round(refused))}`] : []),
    ...(growth > 0 ? [`+${whole(Math.round(growth))}`] : []),
  ];
  return notes.join(" ");
}

function pair({ p50, p99 }: Quantiles): string {
  return Number.isNaN(p50) ? "" : `${Math.round(p50)}, ${Math.round(p99)}`;
}

function edgeRows(edge: EdgeFigures): string[][] {
  const row = (what: string, of: (figures: EdgeFigures) => number) => [
    what,
    ...[edge, EDGE_FIGURES].map((figures) => whole(Math.round(of(figures)))),
  ];
  return [
    row("sends/s accepted, nothing delivered", ({ held }) => held),
    row("sends/s accepted", ({ beside }) => beside),
    row("p50 of 300 sends/s, ms", ({ open }) => open.p50),
    row("p99 of 300 sends/s, ms", ({ open }) => open.p99),
  ];
}
