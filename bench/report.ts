// The figures as tables, or as JSON.
import { arch, cpus, platform } from "node:os";
import { cell, mebibytes, printRows, printTable, short, whole } from "../test/node/harness/table.ts";
import type { BulkFigures } from "./bulk.ts";
import type { DeliverFigures } from "./deliver.ts";
import type { FullSenderFigures } from "./edge/full-sender.ts";
import type { EdgeFigures } from "./edge/measure.ts";
import { printEdge, printFullSender } from "./edge/report.ts";
import type { ImportFigures } from "./import.ts";
import type { LookUpRow } from "./look-up.ts";
import type { SingleFigures, SingleRow } from "./single.ts";

/** All that a run has measured; what it was not asked for is undefined. */
export interface Figures {
  send?: SingleRow[];
  /** Requests for one number each. */
  status?: SingleRow[];
  lookUps?: LookUpRow[];
  bulk?: BulkFigures;
  imported?: ImportFigures;
  deliver?: DeliverFigures;
  edge?: EdgeFigures;
  fullSender?: FullSenderFigures;
}

export function printReport(figures: Figures, asJson: boolean): void {
  const machine = {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    platform: `${platform()} ${arch()}`,
    node: process.version,
  };
  if (asJson) {
    console.log(JSON.stringify({ machine, ...figures }, null, 2));
    return;
  }
  console.log(`${machine.cpu}, ${machine.cores} cores, Node ${machine.node}: medians of rounds (lowest–highest)`);
  const { send, status, lookUps, bulk, imported, deliver, edge, fullSender } = figures;
  if (send) {
    console.log("\nSend. Its floor: object call, D1 insert; KV read once in 30 s, queue send after the answer.");
    console.log("The usual way: libraries, object call, D1 read, D1 insert, KV read, queue send before the answer.");
    printRows(singleTable(send), 0);
  }
  if (status) {
    console.log("\nStatus of one number. Its floor: object call, D1 read; KV read once in 30 s.");
    printRows(singleTable(status), 0);
  }
  if (lookUps) printTable("Look-ups, milliseconds; its D1 query alone, and the usual way", lookUpTable(lookUps));
  if (bulk) printBulk(bulk);
  if (imported) {
    const { rows, rowsPerSecond, timesFloor } = imported;
    console.log(`\nImport of ${whole(rows)} numbers: ${short(rowsPerSecond)}/s`);
    console.log(`The same rows alone, in twelve statements; the import takes ${timesFloor.toFixed(1)} × their time`);
  }
  if (deliver) {
    const { messages, messagesPerSecond, floor, timesFloor, usual, timesUsual } = deliver;
    const what = `${whole(messages)} messages accepted in bulk, submitted to the sandbox, and called back twice each`;
    console.log(`\nDelivery: ${cell(messagesPerSecond)} messages/s (${what})`);
    console.log(`The floor, without stores: ${cell(floor)} messages/s; the service over it: ${timesFloor.toFixed(2)}`);
    console.log(`The usual way: ${cell(usual)} messages/s; the service over it: ${timesUsual.toFixed(2)}`);
  }
  if (edge) printEdge(edge);
  if (fullSender) printFullSender(fullSender);
}

function singleTable(rows: SingleRow[]): string[][] {
  return [
    ["connections", "rounds", "", "requests/s", "p50 ms", "p99 ms", "service over it"],
    ...rows.flatMap(({ connections, rounds, figures, times }) =>
      Object.entries(figures).map(([name, own], index) => [
        ...(index === 0 ? [String(connections), String(rounds)] : ["", ""]),
        NAMES[name as keyof typeof NAMES],
        ...cells(own),
        times[name as keyof typeof NAMES]?.toFixed(2) ?? "",
      ]),
    ),
  ];
}

const NAMES = { service: "service", floor: "floor", usualMessages: "usual way" };

function cells({ requestsPerSecond, p50, p99 }: SingleFigures): string[] {
  return [cell(requestsPerSecond), cell(p50), cell(p99)];
}

function lookUpTable(rows: LookUpRow[]): string[][] {
  return [
    ["numbers", "subscriptions", "service", "query", "× query", "faster than usual", "than usual in one batch"],
    ...rows.map((row) => [
      whole(row.numbers),
      whole(row.subscriptions),
      cell(row.service),
      cell(row.query),
      row.timesQuery.toFixed(2),
      `${row.fasterThanUsual.toFixed(1)} ×`,
      `${row.fasterThanUsualBatch.toFixed(1)} ×`,
    ]),
  ];
}

function printBulk({ messages, bodyBytes, messagesPerSecond, timesSingle, timesFloor }: BulkFigures): void {
  console.log(
    `\nA bulk send of ${whole(messages)}, ${mebibytes(bodyBytes)}: ${cell(messagesPerSecond)} messages/s, ` +
      `${timesSingle.toFixed(1)} × single sends on 32 connections, ${timesFloor.toFixed(1)} × the floor's`,
  );
}
