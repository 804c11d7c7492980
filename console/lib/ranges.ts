// Pure. The days that a page counts. What is today is passed in as a time in UTC.
import type { Day } from "../answers.ts";
import { sumOf } from "./numbers.ts";
import { type Outcomes, totalOf } from "./outcomes.ts";
import { dayBefore } from "./rates.ts";

export interface Range {
  from: string;
  to: string;
  /** Whose days they are. Left out: UTC. */
  timeZone?: string;
}

const DAY = 86_400_000;
const MONTHS_BACK = 12;

/** As they stand in an address: so many days up to today, one day, a month, or the two days themselves. */
const SPANS: [value: string, label: string, first: number, last: number][] = [
  ["today", "Today", 0, 0],
  ["yesterday", "Yesterday", 1, 1],
  ["7", "The last 7 days", 6, 0],
  ["30", "The last 30 days", 29, 0],
  ["90", "The last 90 days", 89, 0],
];

export const CUSTOM = "from-to";
export const USUAL_RANGE = "30";

const monthName = new Intl.DateTimeFormat("en-US", { month: "long", year: "numeric", timeZone: "UTC" });

const isDay = (text: string | undefined): text is string => /^\d{4}-\d\d-\d\d$/.test(text ?? "");

/** `2026-10`, so many months before. */
function monthBefore(now: number, months: number): string {
  const date = new Date(now);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months)).toISOString().slice(0, 7);
}

/** For a choice: the spans, then this month and those before it, then two days that somebody names. */
export function rangeOptions(now: number): [value: string, label: string][] {
  const months = Array.from({ length: MONTHS_BACK + 1 }, (_, index) => monthBefore(now, index));
  return [
    ...SPANS.map(([value, label]): [string, string] => [value, label]),
    ...months.map((month): [string, string] => [month, monthName.format(Date.parse(month))]),
    [CUSTOM, "From … to …"],
  ];
}

/** What an address says; the usual range where it says nothing that is understood. */
export function readRange(
  query: { range?: string; from?: string; to?: string },
  now: number,
): Range & { name: string } {
  const { range = USUAL_RANGE, from, to } = query;
  if (isDay(from) && isDay(to)) return { name: CUSTOM, ...(from <= to ? { from, to } : { from: to, to: from }) };
  const span = SPANS.find(([value]) => value === range);
  if (span) return { name: range, from: dayBefore(now, span[2]), to: dayBefore(now, span[3]) };
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(range)) return { name: range, ...monthOf(range, now) };
  return readRange({}, now);
}

/** A month, up to today if it lasts. */
function monthOf(month: string, now: number): Range {
  const [year = 0, number = 0] = month.split("-").map(Number);
  const last = new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
  const today = dayBefore(now, 0);
  return { from: `${month}-01`, to: last > today && `${month}-01` <= today ? today : last };
}

export const daysIn = ({ from, to }: Range): number => (Date.parse(to) - Date.parse(from)) / DAY + 1;

/** Each day of it, for a chart: one without texts has no row in an answer. */
export function fillDays(
  rows: readonly (Outcomes & { [Name in keyof Day]?: Day[Name] | undefined })[],
  range: Range,
): Day[] {
  return Array.from({ length: daysIn(range) }, (_, index) => {
    const day = dayBefore(Date.parse(range.from) + index * DAY, 0);
    const own = rows.filter((it) => it.day === day);
    return { day, ...totalOf(own), clicked: sumOf(own, "clicked"), optedOut: sumOf(own, "optedOut") };
  });
}

/** As many days, up to the day before. */
export function rangeBefore(range: Range): Range {
  const first = Date.parse(range.from);
  return { ...range, from: dayBefore(first, daysIn(range)), to: dayBefore(first, 1) };
}

/** `textgate-2026-10-by-website-UTC.csv`, `textgate-harbor-2026-10-01-to-2026-10-07-by-purpose-Europe-Berlin.csv`. */
export function fileName(website: string | undefined, range: Range, by: string, now: number): string {
  const zone = (range.timeZone ?? "UTC").replaceAll("/", "-");
  const month = range.from.slice(0, 7);
  const whole = monthOf(month, now);
  const isMonth = range.from === whole.from && range.to === whole.to;
  const days = isMonth ? month : range.from === range.to ? range.from : `${range.from}-to-${range.to}`;
  return ["textgate", website, days, "by", by, zone].filter(Boolean).join("-").concat(".csv");
}
