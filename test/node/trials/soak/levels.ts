// What the service holds, and whether it is level.

import { call } from "./call.ts";
import type { HeapMeter } from "./heap.ts";
import type { Place } from "./place.ts";

/** Rows of each table, and the isolate's heap in bytes once garbage is collected. */
export type Reading = Record<string, number>;

export const HEAP = "heap (bytes)";

/** What grows with the time or with what clients do, by intention; each is held to a number of its own. */
const LEDGER = "subscription_changes";
const ERASED = "erased_people";
const AUDIT = "audit_log";

/** The most rows a day of what is kept by the day, for longer than this clock goes on. */
const ROWS_A_DAY: Record<string, number> = {
  // Quarters of an hour, websites, purposes, and 7 statuses with their 13 reasons.
  report_counts: 96 * 2 * 2 * (7 + 13),
  // The two websites and all of them, each with what is accepted, the six other classes, clicks, opt-outs and both kinds of growth; and the codes
  // of the wrong requests that traffic.ts makes.
  counts: 3 * 11 + 2 * 6,
};

/** By how much the mean of the last readings may be above that of those at half time: 18,000 messages lie between. */
const ROWS_SHARE = 0.01;
const ROWS_SLACK = 5;
const HEAP_SLACK = 256 * 1024;

export async function read({ url, query }: Place, heap: HeapMeter): Promise<Reading> {
  const tables = await query(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'",
  );
  const counts = tables.map(({ name }) => `(SELECT count(*) FROM "${name}") AS "${name}"`);
  const [rows] = (await query(`SELECT ${counts.join(", ")}`)) as Reading[];
  return { [HEAP]: await heap.afterCollection(() => call({ url: `${url}/openapi.json`, expect: 200 })), ...rows };
}

export interface Level {
  name: string;
  /** At the quarters of the time. */
  seen: number[];
  /** What the last must not be above. The last of a ledger must be equal to it. */
  bound: number;
  isLevel: boolean;
}

export interface Expected {
  ledgerRows: number;
  erased: number;
  /** How many changes operators have made. */
  changes: number;
  /** How many days the clock has moved. */
  days: number;
}

/** @param readings one a minute @param window over how many readings a mean is taken */
export function judge(readings: Reading[], window: number, { ledgerRows, erased, changes, days }: Expected): Level[] {
  const quarters = [1, 2, 3, 4].map((quarter) => Math.floor((readings.length * quarter) / 4));
  return Object.keys(readings.at(-1) ?? {}).map((name) => {
    const seen = quarters.map((end) => mean(readings.slice(Math.max(0, end - window), end), name));
    const last = readings.at(-1)?.[name] ?? Number.NaN;
    const exact = { [LEDGER]: ledgerRows, [ERASED]: erased, [AUDIT]: changes }[name];
    if (exact !== undefined) return { name, seen, bound: exact, isLevel: last === exact };
    const rowsADay = ROWS_A_DAY[name];
    if (rowsADay !== undefined) {
      const bound = rowsADay * (days + 1);
      return { name, seen, bound, isLevel: last <= bound };
    }
    const [, half = Number.NaN, , end = Number.NaN] = seen;
    const bound = name === HEAP ? half + HEAP_SLACK : half * (1 + ROWS_SHARE) + ROWS_SLACK;
    return { name, seen, bound, isLevel: end <= bound };
  });
}

function mean(readings: Reading[], name: string): number {
  return readings.reduce((sum, reading) => sum + (reading[name] ?? 0), 0) / readings.length;
}
