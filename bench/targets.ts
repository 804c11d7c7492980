// What the service should reach, and whether this run of it did.
import { LIMIT } from "./limiter.ts";
import type { Report } from "./report.ts";
import { MOST_NUMBERS, type StatusRow } from "./status.ts";

export interface Target {
  what: string;
  /** "at most" or "at least" `target`, in `unit`. */
  bound: "≤" | "≥";
  target: number;
  measured: number;
  unit: string;
  reached: boolean;
}

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 ** 2;

/** Bulk sends are compared on a machine whose floor takes so many single sends a second. */
const REFERENCE_FLOOR = 570;

/** Those for which the run has measured what they need. */
export function judge(report: Report): Target[] {
  const targets: Target[] = [];
  const add = (what: string, bound: "≤" | "≥", target: number, measured: number | undefined, unit = "×") => {
    if (measured === undefined) return;
    const reached = bound === "≤" ? measured <= target : measured >= target;
    targets.push({ what, bound, target, measured, unit, reached });
  };
  const { bundle, send, status, bulk, limit } = report;
  const most = bulk?.find(({ messages }) => messages === MOST_NUMBERS);
  const lookUps = status?.rows.filter(({ numbers }) => numbers === MOST_NUMBERS) ?? [];
  const worst = (choose: (...values: number[]) => number, figures: (number | undefined)[]) => {
    const known = figures.filter((figure) => figure !== undefined);
    return known.length > 0 ? choose(...known) : undefined;
  };
  const row32 = send?.find(({ connections }) => connections === 32);
  add("send, 32 connections: requests/s over the floor's", "≥", 1, row32?.ratio);
  add(
    "status of 1, any table: requests/s over those of KV read, object call, D1 read in turn",
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
  add("status of 50,000: time in the largest table over the smallest", "≤", 3, growth(lookUps));
  add("bulk of 50,000: messages/s over single sends/s", "≥", 16, most?.timesSingle);
  const scaled = most && most.timesFloor * REFERENCE_FLOOR;
  add(`bulk of 50,000, where the floor does ${REFERENCE_FLOOR} sends/s`, "≥", 9300, scaled, "messages/s");
  add("flood: calls to the object over the limit", "≤", 1.2, limit && limit.flood.calls.median / LIMIT);
  add("bundle, gzip", "≤", 120, bundle && bundle.gzipBytes / KIBIBYTE, "KiB");
  add("start-up", "≤", 30, bundle?.startUp.median, "ms of CPU");
  const peak = worst(Math.max, [most?.peakHeapBytes, status?.peakHeapBytes]);
  add("peak heap of a bulk or a look-up of 50,000", "≤", 64, peak && peak / MEBIBYTE, "MiB");
  return targets;
}

/** The service's time for the same request in the largest table over the smallest; undefined of one table. */
export function growth(lookUps: StatusRow[]): number | undefined {
  const bySize = lookUps.toSorted((one, other) => one.subscriptions - other.subscriptions);
  const [smallest, largest] = [bySize.at(0), bySize.at(-1)];
  if (!smallest || !largest || smallest === largest) return undefined;
  return largest.service.median / smallest.service.median;
}
