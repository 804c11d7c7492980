import { percentile } from "../../harness/statistics.ts";
import { printRows } from "../../harness/table.ts";
import type { EndpointRow } from "./callback-faults.ts";
import type { FaultRow } from "./carrier-faults.ts";
import type { CrashResult } from "./crash.ts";
import type { Figures } from "./tally.ts";

const MOST_FAULTS_PRINTED = 20;

/** A figure a line, a seed a column. @param more lines below them */
export function printFigures(seeds: number[], results: { figures: Figures }[], more: (string | number)[][] = []): void {
  const names = Object.keys(results[0]?.figures ?? {});
  printRows(
    [
      ["", ...seeds.map((seed) => `seed ${seed}`)],
      ...names.map((name) => [name, ...results.map(({ figures }) => figures[name] ?? "")]),
      ...more,
    ],
    1,
  );
}

export function printCrash(seeds: number[], results: CrashResult[]): void {
  const of = (restarts: number[], share: number) =>
    restarts.length > 0 ? Math.round(percentile(restarts, share)) : "";
  printFigures(seeds, results, [
    ["kills", ...results.map(({ restarts }) => restarts.length)],
    ["restart, median ms", ...results.map(({ restarts }) => of(restarts, 0.5))],
    ["restart, longest ms", ...results.map(({ restarts }) => of(restarts, 1))],
  ]);
}

export function printCarrier(rows: FaultRow[]): void {
  printSums("carrier", ["messages", "asked", "texts", "twice", "delivered", "unknown"], rows);
}

export function printCallbacks(rows: EndpointRow[]): void {
  printSums("endpoint", ["due", "posted", "twice", "recorded", "waiting"], rows);
}

type Healthy = { p50: number; p99: number };

/** Prints the sums over all seeds. The healthy neighbor's times are those of the slowest seed. */
function printSums<Figure extends string>(
  heading: string,
  figures: Figure[],
  rows: (Record<Figure, number> & { fault: string; healthy: Healthy })[],
): void {
  printRows(
    [
      [heading, ...figures, "neighbor p50 ms", "p99 ms"],
      ...[...Map.groupBy(rows, ({ fault }) => fault)].map(([fault, same]) => [
        fault,
        ...figures.map((figure) => same.reduce((sum, row) => sum + row[figure], 0)),
        ...slowest(same),
      ]),
    ],
    1,
  );
}

function slowest(rows: { healthy: Healthy }[]): number[] {
  const most = (name: "p50" | "p99") => Math.round(Math.max(...rows.map(({ healthy }) => healthy[name])));
  return [most("p50"), most("p99")];
}

export function printFaults(faults: string[]): void {
  for (const fault of faults.slice(0, MOST_FAULTS_PRINTED)) console.log(`  ! ${fault}`);
  if (faults.length > MOST_FAULTS_PRINTED) console.log(`  ! and ${faults.length - MOST_FAULTS_PRINTED} more`);
}
