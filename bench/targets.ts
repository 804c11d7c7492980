// What the service should reach, and whether this run of it did.

import type { DatabasesFigures } from "./databases/report.ts";
import { billOf } from "./edge/bill.ts";
import { type EdgeFigures, untilPurged } from "./edge/measure.ts";
import type { Figures } from "./figures.ts";
import { LIMIT } from "./limiter.ts";
import { MOST_NUMBERS, type StatusRow } from "./status.ts";

export interface Target {
  what: string;
  /** "at most" or "at least" `target`, in `unit`. */
  bound: "≤" | "≥";
  target: number;
  measured: number;
  unit: string;
  met: boolean;
}

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 ** 2;

/** Bulk sends are compared on a machine that takes so many single sends a second whose binding calls are awaited in turn. */
const REFERENCE_IN_TURN = 570;

type Add = (what: string, bound: Target["bound"], target: number, measured: number | undefined, unit?: string) => void;

/** Those for which the run has measured what they need. */
export function judge(figures: Figures): Target[] {
  const targets: Target[] = [];
  const add: Add = (what, bound, target, measured, unit = "×") => {
    if (measured === undefined) return;
    const met = bound === "≤" ? measured <= target : measured >= target;
    targets.push({ what, bound, target, measured, unit, met });
  };
  const { bundle, send, status, bulk, imports, limit } = figures;
  const most = bulk?.filter(({ messages }) => messages === MOST_NUMBERS) ?? [];
  const usual = most.find(({ texts }) => texts === "90 letters");
  const lookUps = status?.rows.filter(({ numbers }) => numbers === MOST_NUMBERS) ?? [];
  const worst = (choose: (...values: number[]) => number, values: (number | undefined)[]) => {
    const known = values.filter((value) => value !== undefined);
    return known.length > 0 ? choose(...known) : undefined;
  };
  for (const { connections, timesFloor } of send ?? []) {
    add(`send, connections: ${connections}, requests/s over the floor's`, "≥", 1, timesFloor);
  }
  const row32 = send?.find(({ connections }) => connections === 32);
  add("send, connections: 32, requests/s over those of the calls in turn", "≥", 1, row32?.timesInTurn);
  add(
    "status of 1, any table: requests/s over the floor's",
    "≥",
    0.95,
    worst(
      Math.min,
      (status?.rows ?? []).map(({ callsOverService }) => callsOverService),
    ),
  );
  const timesQuery = lookUps.map((row) => row.timesQuery);
  add("status of 50,000, any table: time over the one D1 query's", "≤", 2, worst(Math.max, timesQuery));
  const faster = lookUps.map((row) => row.fasterThanUsual);
  add("status of 50,000, any table: times faster than the usual way", "≥", 12, worst(Math.min, faster));
  const fasterThanBatch = lookUps.map((row) => row.fasterThanUsualBatch);
  add("the same, its queries in one batch", "≥", 12, worst(Math.min, fasterThanBatch));
  add("status of 50,000: time in the largest table over the smallest", "≤", 3, growth(lookUps));
  add("bulk of 50,000: messages/s over single sends/s", "≥", 16, usual?.timesSingle);
  const scaled = usual && usual.timesInTurn * REFERENCE_IN_TURN;
  add(`bulk of 50,000, where the calls in turn do ${REFERENCE_IN_TURN} sends/s`, "≥", 9300, scaled, "messages/s");
  const timesPlain = most.map((row) => row.timesPlain);
  add("bulk of 50,000, any texts: time over that of plain ones", "≤", 1.3, worst(Math.max, timesPlain));
  const cpus = most.map((row) => row.cpu?.median);
  add("bulk of 50,000, any texts: CPU, stores included", "≤", 5, worst(Math.max, cpus), "s");
  add("delivery: messages/s to both callbacks, over the floor's", "≥", 0.6, figures.deliver?.timesFloor);
  add("delivery: messages/s to both callbacks", "≥", 1200, figures.deliver?.messagesPerSecond.median, "");
  add("flood: calls to the object over the limit", "≤", 1.2, limit && limit.flood.calls.median / LIMIT);
  add("bundle, gzip", "≤", 400, bundle && bundle.gzipBytes / KIBIBYTE, "KiB");
  add("start-up", "≤", 100, bundle?.startUp.median, "ms of CPU");
  const peaks = most.map((row) => row.peakHeapBytes);
  const peak = worst(Math.max, [...peaks, status?.peakHeapBytes]);
  add("peak heap of a bulk, any texts, or a look-up of 50,000", "≤", 64, peak && peak / MEBIBYTE, "MiB");
  const largest = imports?.at(-1);
  add("peak heap of an import of 3 MiB", "≤", 40, largest && largest.peakHeapBytes / MEBIBYTE, "MiB");
  add("CPU of an import of 3 MiB, stores included", "≤", 4, largest?.cpuSeconds, "s");
  if (figures.edge) judgeEdge(figures.edge, add);
  if (figures.databases) judgeDatabases(figures.databases, add);
  return targets;
}

function judgeDatabases({ eight, eightAtPrice, beside, cores }: DatabasesFigures, add: Add): void {
  for (const { what, worker, connections, times } of eight) {
    if (worker === "service")
      add(`eight databases: ${what}, ${connections} connections, requests/s over those of one`, "≥", 0.95, times);
  }
  for (const { what, times } of eightAtPrice)
    add(`eight databases at the platform's price: ${what}, requests/s over those of one`, "≥", 0.95, times);
  for (const { database, ailment, timesP99 } of beside.rows)
    add(`beside ${database}, ${ailment}: p99 of sends over that before`, "≤", 1.2, timesP99);
  add("two processes with half of the databases each: sends/s over those of one", "≥", 1.7, cores?.times);
}

/** Of what a message takes, the worse of many sends and of a campaign counts. */
function judgeEdge(figures: EdgeFigures, add: Add): void {
  const { beside, alone, sends, open, campaign, uncalled, floor } = figures;
  const worst = (of: (phase: EdgeFigures["sends"]) => number) => Math.max(of(sends), of(campaign));
  const rows = (phase: EdgeFigures["sends"]) => untilPurged(figures, phase).rowsWritten;
  add("edge, ten websites: sends accepted", "≥", 2000, beside.acceptedPerSecond, "a second");
  add("edge, ten websites: messages through to both callbacks", "≥", 500, sends.throughPerSecond, "a second");
  add("edge, campaign: messages through to both callbacks", "≥", 500, campaign.throughPerSecond, "a second");
  add("edge, 300 sends a second: p99 of the answer", "≤", 100, open.p99, "ms");
  add("edge: D1 calls of a message alone", "≤", 7, alone.d1Calls, "");
  for (const { connections, timesFloor } of floor) {
    const least = connections === 1 ? 1 : 1.5;
    add(`edge: send, connections: ${connections}, requests/s over the floor's`, "≥", least, timesFloor);
  }
  const calls = worst(({ d1Calls }) => d1Calls);
  add("edge: D1 calls of a message among others", "≤", 0.4, calls, "");
  add("edge: rows written of a message, with its purge", "≤", 14, worst(rows), "");
  add("edge: rows written of a message without callbacks, with its purge", "≤", 8, rows(uncalled), "");
  const bytes = worst(({ usage }) => usage.bytesStored);
  add("edge: bytes stored of a message", "≤", 650, bytes, "");
  const dollars = worst((phase) => billOf(untilPurged(figures, phase)).dollars);
  add("edge: cost of a million messages", "≤", 18, dollars, "$");
}

/** The service's time for the same request in the largest table over the smallest; undefined of one table. */
export function growth(lookUps: StatusRow[]): number | undefined {
  const bySize = lookUps.toSorted((one, other) => one.subscriptions - other.subscriptions);
  const [smallest, largest] = [bySize.at(0), bySize.at(-1)];
  if (!smallest || !largest || smallest === largest) return undefined;
  return largest.service.median / smallest.service.median;
}
