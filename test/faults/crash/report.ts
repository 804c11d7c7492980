import { percentile } from "../../../bench/statistics.ts";
import type { EndpointRow } from "./callback-faults.ts";
import type { FaultRow } from "./carrier-faults.ts";
import type { CrashResult } from "./crash.ts";

const MOST_FAULTS_PRINTED = 20;

/** A figure a line, a seed a column. */
export function printCrash(seeds: number[], results: CrashResult[]): void {
  const names = Object.keys(results[0]?.figures ?? {});
  const of = (restarts: number[], share: number) =>
    restarts.length > 0 ? Math.round(percentile(restarts, share)) : "";
  printTable([
    ["", ...seeds.map((seed) => `seed ${seed}`)],
    ...names.map((name) => [name, ...results.map(({ figures }) => figures[name] ?? "")]),
    ["kills", ...results.map(({ restarts }) => restarts.length)],
    ["restart, median ms", ...results.map(({ restarts }) => of(restarts, 0.5))],
    ["restart, longest ms", ...results.map(({ restarts }) => of(restarts, 1))],
  ]);
}

/** Of all seeds together; the healthy neighbour's times are those of the slowest seed. */
export function printCarrier(rows: FaultRow[]): void {
  const sum = (same: FaultRow[], value: (row: FaultRow) => number) =>
    same.reduce((total, row) => total + value(row), 0);
  printTable([
    ["carrier", "messages", "asked", "texts", "twice", "delivered", "unknown", ...HEALTHY],
    ...[...Map.groupBy(rows, ({ fault }) => fault)].map(([fault, same]) => [
      fault,
      sum(same, (row) => row.messages),
      sum(same, (row) => row.asked),
      sum(same, (row) => row.texts),
      sum(same, (row) => row.twice),
      sum(same, (row) => row.delivered),
      sum(same, (row) => row.unknown),
      ...slowest(same),
    ]),
  ]);
}

/** As printCarrier. */
export function printCallbacks(rows: EndpointRow[]): void {
  const sum = (same: EndpointRow[], value: (row: EndpointRow) => number) =>
    same.reduce((total, row) => total + value(row), 0);
  printTable([
    ["endpoint", "due", "posted", "twice", "recorded", "waiting", ...HEALTHY],
    ...[...Map.groupBy(rows, ({ fault }) => fault)].map(([fault, same]) => [
      fault,
      sum(same, (row) => row.due),
      sum(same, (row) => row.posted),
      sum(same, (row) => row.twice),
      sum(same, (row) => row.recorded),
      sum(same, (row) => row.waiting),
      ...slowest(same),
    ]),
  ]);
}

const HEALTHY = ["neighbour p50 ms", "p99 ms"];

function slowest(rows: { healthy: { p50: number; p99: number } }[]): number[] {
  const most = (name: "p50" | "p99") => Math.round(Math.max(...rows.map(({ healthy }) => healthy[name])));
  return [most("p50"), most("p99")];
}

export function printFaults(faults: string[]): void {
  for (const fault of faults.slice(0, MOST_FAULTS_PRINTED)) console.log(`  ! ${fault}`);
  if (faults.length > MOST_FAULTS_PRINTED) console.log(`  ! and ${faults.length - MOST_FAULTS_PRINTED} more`);
}

/** The first column to the left, the others to the right. */
export function printTable(rows: (string | number)[][]): void {
  const texts = rows.map((row) => row.map(String));
  const widths = texts[0]?.map((_, column) => Math.max(...texts.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of texts) {
    const cells = row.map((text, column) => {
      const width = widths[column] ?? 0;
      return column === 0 ? text.padEnd(width) : text.padStart(width);
    });
    console.log(cells.join("  "));
  }
}
