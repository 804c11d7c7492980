// The figures as tables, or as JSON.
import { arch, cpus, platform } from "node:os";
import type { BulkRow } from "./bulk.ts";
import type { BundleFigures } from "./bundle.ts";
import type { SendRow } from "./send.ts";
import type { Spread } from "./statistics.ts";
import type { StatusRow } from "./status.ts";

export interface Report {
  bundle?: BundleFigures;
  send?: SendRow[];
  status?: StatusRow[];
  bulk?: BulkRow[];
}

export function printReport(report: Report, asJson: boolean): void {
  const machine = {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    platform: `${platform()} ${arch()}`,
    node: process.version,
  };
  if (asJson) {
    console.log(JSON.stringify({ machine, ...report }, null, 2));
    return;
  }
  console.log(`${machine.cpu}, ${machine.cores} cores, Node ${machine.node}: medians of rounds (lowest–highest)`);
  const { bundle, send, status, bulk } = report;
  if (bundle) printBundle(bundle);
  if (send) printTable("Send, and its floor: KV read, object call, D1 insert, queue send, in turn", sendTable(send));
  if (status) printTable("Status, its floor (the one D1 query), and the usual way; milliseconds", statusTable(status));
  if (bulk) printTable("Bulk sends, and the heap of the isolate meanwhile", bulkTable(bulk));
}

function bulkTable(rows: BulkRow[]): string[][] {
  const megabytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
  return [
    ["messages", "body", "messages/s", "peak heap"],
    ...rows.map((row) => [
      row.messages.toLocaleString("en"),
      megabytes(row.bodyBytes),
      cell(row.messagesPerSecond),
      megabytes(row.peakHeapBytes),
    ]),
  ];
}

function printBundle({ bytes, gzipBytes, startUp }: BundleFigures): void {
  const kilobytes = (value: number) => `${(value / 1024).toFixed(1)} KiB`;
  console.log(`\nBundle ${kilobytes(bytes)}, gzip ${kilobytes(gzipBytes)}; start-up ${cell(startUp)} ms of CPU`);
}

function sendTable(rows: SendRow[]): string[][] {
  return [
    ["connections", "", "requests/s", "p50 ms", "p99 ms", "× floor"],
    ...rows.flatMap(({ connections, service, floor, ratio }) => [
      [String(connections), "service", ...figures(service), ratio.toFixed(2)],
      ["", "floor", ...figures(floor), ""],
    ]),
  ];
}

function figures({ requestsPerSecond, p50, p99 }: SendRow["service"]): string[] {
  return [cell(requestsPerSecond), cell(p50), cell(p99)];
}

function statusTable(rows: StatusRow[]): string[][] {
  return [
    ["numbers", "subscriptions", "service", "floor", "usual", "× floor", "faster than usual"],
    ...rows.map((row) => [
      row.numbers.toLocaleString("en"),
      row.subscriptions.toLocaleString("en"),
      cell(row.service),
      cell(row.floor),
      cell(row.usual),
      row.timesFloor.toFixed(2),
      `${row.fasterThanUsual.toFixed(1)} ×`,
    ]),
  ];
}

function cell({ median, lowest, highest }: Spread): string {
  return `${short(median)} (${short(lowest)}–${short(highest)})`;
}

/** Three digits that count. */
function short(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3);
}

function printTable(title: string, rows: string[][]): void {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  console.log(`\n${title}`);
  for (const row of rows) console.log(row.map((text, column) => text.padStart(widths[column] ?? 0)).join("  "));
}
