// Pure. The local time of a zone, by the clock changes that the runtime knows: no more than a look into a table for each question.
import { DAY_MILLISECONDS, toDay } from "../day.ts";

const MINUTE = 60_000;
/** No zone changes its clock twice within a block. */
const BLOCK = 8 * 24 * 60 * MINUTE;
/** A formatter takes memory: beyond this the tables begin anew. */
const MAX_ENTRIES = 2000;

/** Unix times between which a zone has the same offset. */
interface Span {
  until: number;
  /** Milliseconds that local time is ahead of UTC. */
  offset: number;
}

const formatters = new Map<string, Intl.DateTimeFormat>();
const blocks = new Map<string, Span[]>();

function remember<Value>(table: Map<string, Value>, key: string, make: () => Value): Value {
  const known = table.get(key);
  if (known !== undefined) return known;
  if (table.size >= MAX_ENTRIES) table.clear();
  const made = make();
  table.set(key, made);
  return made;
}

function readOffset(timeZone: string, at: number): number {
  const options = { timeZone, timeZoneName: "longOffset" } as const;
  const text = remember(formatters, timeZone, () => new Intl.DateTimeFormat("en-US", options)).format(at);
  const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(text) ?? ["", "+", "0", "0"];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE;
}

function makeBlock(timeZone: string, from: number): Span[] {
  const until = from + BLOCK;
  const [offset, next] = [readOffset(timeZone, from), readOffset(timeZone, until)];
  if (offset === next) return [{ until, offset }];
  let [before, after] = [from, until];
  while (after - before > MINUTE) {
    const middle = before + Math.floor((after - before) / MINUTE / 2) * MINUTE;
    if (readOffset(timeZone, middle) === offset) before = middle;
    else after = middle;
  }
  return [
    { until: after, offset },
    { until, offset: next },
  ];
}

/** The offset of a zone at a Unix time in milliseconds, and a time until which it stays at least. @throws RangeError for a zone that is none */
export function offsetAt(name: string, at: number): Span {
  // A bulk request may have any number of spellings of one zone.
  const timeZone = name.toLowerCase();
  const block = Math.floor(at / BLOCK);
  const spans = remember(blocks, `${block} ${timeZone}`, () => makeBlock(timeZone, block * BLOCK));
  return spans.find(({ until }) => at < until) as Span;
}

/** The day that a zone has at a Unix time in milliseconds, such as `2026-11-21`. */
export const localDay = (timeZone: string, at: number): string => toDay(at + offsetAt(timeZone, at).offset);

/**
 * When a day of a zone begins, in Unix milliseconds. Where the clock goes forward over midnight, the day begins at that change.
 * @param midnight of that day in UTC
 */
export function startOfDay(timeZone: string, midnight: number): number {
  // At this time it is the day before everywhere.
  let at = midnight - DAY_MILLISECONDS;
  for (;;) {
    const { offset, until } = offsetAt(timeZone, at);
    const start = Math.max(at, midnight - offset);
    if (start < until) return start;
    at = until;
  }
}
