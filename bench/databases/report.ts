// The figures of several databases as tables.
import { cell, printTable } from "../../test/node/harness/table.ts";
import type { BesideFigures } from "./beside.ts";
import type { CoresFigures } from "./cores.ts";
import type { EightRow } from "./eight.ts";

export interface DatabasesFigures {
  eight: EightRow[];
  eightAtPrice: EightRow[];
  beside: BesideFigures;
  /** undefined: processes cannot be pinned to cores here. */
  cores: CoresFigures | undefined;
}

export function printDatabases({ eight, eightAtPrice, beside, cores }: DatabasesFigures): void {
  printEight("Eight databases over one, requests/s", eight);
  printEight("Eight databases over one at the platform's price, requests/s", eightAtPrice);
  const { ratePerSecond, slow, rows } = beside;
  printTable(
    `Websites of seven databases beside an eighth, ${ratePerSecond} sends/s to all, at the platform's price, ${slow} times slower; milliseconds`,
    [
      ["", "", "p50", "p99", "longest"],
      ...rows.flatMap(({ database, ailment, sends, timesP50, timesP99, callbacks }) => [
        [`${database} is ${ailment}`, "send, before", ...figures(sends.before)],
        ["", "send, meanwhile", ...figures(sends.meanwhile)],
        ["", "meanwhile over before", timesP50.toFixed(2), timesP99.toFixed(2), ""],
        ["", "to the last callback, before", ...figures(callbacks.before)],
        ["", "to the last callback, meanwhile", ...figures(callbacks.meanwhile)],
      ]),
    ],
    2,
  );
  for (const { database, ailment, answers } of rows)
    console.log(`${database} ${ailment}: sends to its own websites were answered ${JSON.stringify(answers)}`);
  if (!cores) console.log("\nProcesses cannot be pinned to two cores here.");
  else printCores(cores);
}

function printEight(title: string, rows: EightRow[]): void {
  printTable(
    title,
    [
      ["", "", "connections", "rounds", "one", "eight", "eight over one"],
      ...rows.map(({ what, worker, connections, rounds, one, eight, times }) => [
        what,
        worker,
        String(connections),
        String(rounds),
        cell(one),
        cell(eight),
        times.toFixed(3),
      ]),
    ],
    2,
  );
}

function printCores(cores: CoresFigures): void {
  printTable(
    "Two workerd processes with half of the databases each, over one with all; each shares a core with its load generator",
    [
      ["", "sends/s", "CPU ms of workerd a send"],
      ["one, on one core", cell(cores.one), cell(cores.cpuOfOne)],
      ["two, on two cores", cell(cores.two), cell(cores.cpuOfTwo)],
      ["two over one", cores.times.toFixed(2), ""],
    ],
    1,
  );
}

function figures({ p50, p99, longest }: BesideFigures["rows"][number]["sends"]["before"]): string[] {
  return [cell(p50), cell(p99), cell(longest)];
}
