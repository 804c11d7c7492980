// The figures as tables, or as JSON.
import { arch, cpus, platform } from "node:os";
import { cell, mebibytes, printRows, printTable, short, whole } from "../test/node/harness/table.ts";
import type { BulkRow } from "./bulk.ts";
import type { BundleFigures } from "./bundle.ts";
import { printDatabases } from "./databases/report.ts";
import { printEdge } from "./edge/report.ts";
import type { Figures } from "./figures.ts";
import type { ImportRow } from "./import.ts";
import type { LimiterFigures } from "./limiter.ts";
import type { PieceRow } from "./pieces.ts";
import type { SingleFigures, SingleRow } from "./single.ts";
import { MOST_NUMBERS, type StatusFigures } from "./status.ts";
import { growth, judge, type Target } from "./targets.ts";

export function printReport(report: Figures, asJson: boolean): void {
  const machine = {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    platform: `${platform()} ${arch()}`,
    node: process.version,
  };
  const targets = judge(report);
  if (asJson) {
    console.log(JSON.stringify({ machine, ...report, targets }, null, 2));
    return;
  }
  console.log(`${machine.cpu}, ${machine.cores} cores, Node ${machine.node}: medians of rounds (lowest–highest)`);
  const { othersShare, bundle, send, statusOfOne, status, bulk, imports, limit, deliver, pieces, edge, databases } =
    report;
  if (othersShare !== undefined)
    console.log(`Other programs took ${(othersShare * 100).toFixed(0)} % of its CPU time.`);
  if (bundle) printBundle(bundle);
  if (send) {
    console.log("\nSend. Its floor: object call, D1 insert; KV read once in 30 s, queue send after the answer.");
    console.log("In turn: KV read, object call, D1 insert, queue send, each awaited in each request.");
    printRows(singleTable(send), 0);
  }
  if (statusOfOne) {
    console.log("\nStatus of one number. Its floor: object call, D1 read; KV read once in 30 s.");
    console.log("In turn: KV read, object call, D1 read in each request.");
    printRows(singleTable(statusOfOne), 0);
  }
  if (status) printStatus(status);
  if (bulk) {
    printTable("Bulk sends, beside single sends on 32 connections; the heap with its buffers", bulkTable(bulk), 1);
  }
  if (imports) printTable("Imports of numbers; CPU with the stores', the heap with its buffers", importTable(imports));
  if (limit) printLimit(limit);
  if (deliver) {
    const { messages, messagesPerSecond, floor, timesFloor } = deliver;
    const what = `${whole(messages)} messages accepted in bulk, submitted to the sandbox, and called back twice each`;
    console.log(`\nDelivery: ${cell(messagesPerSecond)} messages/s (${what})`);
    console.log(`The floor, without stores: ${cell(floor)} messages/s; the service over it: ${timesFloor.toFixed(2)}`);
  }
  if (pieces) printTable("Pieces of a look-up of 50,000, milliseconds of CPU without its query", pieceTable(pieces), 1);
  if (edge) printEdge(edge);
  if (databases) printDatabases(databases);
  if (targets.length > 0) printTable("Targets", targetTable(targets), 1);
}

/** Of CPU times, where there is no /proc. */
const NOT_TOLD = "not told";

function printBundle({ bytes, gzipBytes, startUp }: BundleFigures): void {
  const kibibytes = (value: number) => `${(value / 1024).toFixed(1)} KiB`;
  console.log(`\nBundle ${kibibytes(bytes)}, gzip ${kibibytes(gzipBytes)}; start-up ${cell(startUp)} ms of CPU`);
}

function singleTable(rows: SingleRow[]): string[][] {
  return [
    ["connections", "rounds", "", "requests/s", "p50 ms", "p99 ms", "CPU ms of workerd", "service over it"],
    ...rows.flatMap(({ connections, rounds, service, floor, inTurn, timesFloor, timesInTurn }) => [
      [String(connections), String(rounds), "service", ...figures(service), ""],
      ["", "", "floor", ...figures(floor), timesFloor.toFixed(2)],
      ["", "", "in turn", ...figures(inTurn), timesInTurn.toFixed(2)],
    ]),
  ];
}

function figures({ requestsPerSecond, p50, p99, cpu }: SingleFigures): string[] {
  return [cell(requestsPerSecond), cell(p50), cell(p99), cpu ? cell(cpu) : NOT_TOLD];
}

function printStatus({ rows, seedSeconds, peakHeapBytes }: StatusFigures): void {
  const title =
    "Status, one request at a time, milliseconds; its D1 query alone, the floor's calls, the usual way (in turn, in one batch)";
  printTable(title, [
    [
      "numbers",
      "subscriptions",
      "service",
      "query",
      "× query",
      "calls",
      "calls ÷ service",
      "usual",
      "faster than it",
      "usual, batch",
      "faster than it",
    ],
    ...rows.map((row) => [
      whole(row.numbers),
      whole(row.subscriptions),
      cell(row.service),
      cell(row.query),
      row.timesQuery.toFixed(2),
      cell(row.calls),
      row.callsOverService?.toFixed(2) ?? "",
      cell(row.usual),
      `${row.fasterThanUsual.toFixed(1)} ×`,
      cell(row.usualBatch),
      `${row.fasterThanUsualBatch.toFixed(1)} ×`,
    ]),
  ]);
  const lookUps = rows.filter(({ numbers }) => numbers === MOST_NUMBERS);
  const ratio = growth(lookUps);
  const sizes = lookUps.map(({ subscriptions }) => whole(subscriptions));
  if (ratio) console.log(`50,000 numbers among ${sizes.at(-1)} against among ${sizes[0]}: ${ratio.toFixed(2)} ×`);
  console.log(`Heap at most ${mebibytes(peakHeapBytes)}; tables stored in ${seedSeconds.map(short).join(", ")} s`);
}

function bulkTable(rows: BulkRow[]): string[][] {
  return [
    ["texts", "messages", "body", "messages/s", "× single sends", "× floor's", "time × plain", "CPU s", "peak heap"],
    ...rows.map((row) => [
      row.texts,
      whole(row.messages),
      mebibytes(row.bodyBytes),
      cell(row.messagesPerSecond),
      row.timesSingle.toFixed(1),
      row.timesFloor.toFixed(1),
      row.timesPlain.toFixed(2),
      row.cpu ? cell(row.cpu) : NOT_TOLD,
      mebibytes(row.peakHeapBytes),
    ]),
  ];
}

function importTable(rows: ImportRow[]): string[][] {
  return [
    ["file", "numbers", "seconds", "CPU s", "peak heap"],
    ...rows.map((row) => [
      mebibytes(row.fileBytes),
      whole(row.rows),
      short(row.seconds),
      row.cpuSeconds === undefined ? NOT_TOLD : short(row.cpuSeconds),
      mebibytes(row.peakHeapBytes),
    ]),
  ];
}

function printLimit({ calls, flood }: LimiterFigures): void {
  printTable("Calls to one object, by a Worker that does nothing else", [
    ["connections", "calls/s", "p50 ms", "p99 ms"],
    ...calls.map(({ connections, callsPerSecond, p50, p99 }) => [
      String(connections),
      cell(callsPerSecond),
      cell(p50),
      cell(p99),
    ]),
  ]);
  const { requests, admitted, calls: reached } = flood;
  console.log(
    `A flood of one website: ${cell(requests)} requests/s, ${cell(admitted)} admitted, ${cell(reached)} calls to the object`,
  );
}

function pieceTable(rows: PieceRow[]): string[][] {
  return [
    ["piece", "own", "plain way", "saved of the whole"],
    ...rows.map(({ piece, own, plain, saved }) => [piece, cell(own), cell(plain), `${(saved * 100).toFixed(0)} %`]),
  ];
}

function targetTable(targets: Target[]): string[][] {
  return [
    ["", "target", "measured", "", ""],
    ...targets.map(({ what, bound, target, measured, unit, met }) => [
      what,
      `${bound} ${whole(target)}`,
      short(measured),
      unit,
      met ? "met" : "MISSED",
    ]),
  ];
}
