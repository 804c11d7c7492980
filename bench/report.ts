// The figures as tables, or as JSON.
import { arch, cpus, platform } from "node:os";
import type { BulkRow } from "./bulk.ts";
import type { BundleFigures } from "./bundle.ts";
import type { DeliverFigures } from "./deliver.ts";
import type { LimiterFigures } from "./limiter.ts";
import type { SingleFigures, SingleRow } from "./single.ts";
import { MOST_NUMBERS, type StatusFigures } from "./status.ts";
import { cell, mebibytes, printTable, short, whole } from "./table.ts";
import { growth, judge, type Target } from "./targets.ts";

export interface Report {
  bundle?: BundleFigures;
  send?: SingleRow[];
  /** Requests for one number each. */
  statusOfOne?: SingleRow[];
  status?: StatusFigures;
  bulk?: BulkRow[];
  limit?: LimiterFigures;
  deliver?: DeliverFigures;
}

export function printReport(report: Report, asJson: boolean): void {
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
  const { bundle, send, statusOfOne, status, bulk, limit, deliver } = report;
  if (bundle) printBundle(bundle);
  if (send) printTable("Send, and its floor: KV read, object call, D1 insert, queue send, in turn", singleTable(send));
  if (statusOfOne) {
    printTable("Status of one number, and its floor: KV read, object call, D1 read, in turn", singleTable(statusOfOne));
  }
  if (status) printStatus(status);
  if (bulk) printTable("Bulk sends, beside single sends on 32 connections; the isolate's heap", bulkTable(bulk));
  if (limit) printLimit(limit);
  if (deliver) {
    const { messages, messagesPerSecond } = deliver;
    const what = `${whole(messages)} messages accepted in bulk, submitted to the sandbox, and called back twice each`;
    console.log(`\nDelivery: ${cell(messagesPerSecond)} messages/s (${what})`);
  }
  if (targets.length > 0) printTable("Targets", targetTable(targets), 1);
}

function printBundle({ bytes, gzipBytes, startUp }: BundleFigures): void {
  const kibibytes = (value: number) => `${(value / 1024).toFixed(1)} KiB`;
  console.log(`\nBundle ${kibibytes(bytes)}, gzip ${kibibytes(gzipBytes)}; start-up ${cell(startUp)} ms of CPU`);
}

function singleTable(rows: SingleRow[]): string[][] {
  return [
    ["connections", "", "requests/s", "p50 ms", "p99 ms", "CPU ms of workerd", "× floor"],
    ...rows.flatMap(({ connections, service, floor, ratio }) => [
      [String(connections), "service", ...figures(service), ratio.toFixed(2)],
      ["", "floor", ...figures(floor), ""],
    ]),
  ];
}

function figures({ requestsPerSecond, p50, p99, cpu }: SingleFigures): string[] {
  return [cell(requestsPerSecond), cell(p50), cell(p99), cpu ? cell(cpu) : "no /proc here"];
}

function printStatus({ rows, seedSeconds, peakHeapBytes }: StatusFigures): void {
  const title =
    "Status, one request at a time, milliseconds; its D1 query alone, its binding calls in turn, the usual way";
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
      "faster than usual",
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
    ["messages", "body", "messages/s", "× single sends", "× floor's", "peak heap"],
    ...rows.map((row) => [
      whole(row.messages),
      mebibytes(row.bodyBytes),
      cell(row.messagesPerSecond),
      row.timesSingle.toFixed(1),
      row.timesFloor.toFixed(1),
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

function targetTable(targets: Target[]): string[][] {
  return [
    ["", "target", "measured", "", "reached"],
    ...targets.map(({ what, bound, target, measured, unit, reached }) => [
      what,
      `${bound} ${whole(target)}`,
      short(measured),
      unit,
      reached ? "yes" : "NO",
    ]),
  ];
}
