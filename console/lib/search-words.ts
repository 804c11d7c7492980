// Pure. What somebody has written into the box of a search: words such as `status:` are filters, the rest is text.

import { personIn } from "./phones.ts";

export const FILTERS = ["website", "purpose", "status", "outcome", "reason", "client", "after", "before"] as const;

/** The classes of the counts, and those that did not arrive, by their words in a search. */
export const OUTCOMES: Record<string, string> = {
  ...{ scheduled: "scheduled", waiting: "waiting", "not-subscribed": "notSubscribed", "ended-before": "endedBefore" },
  ...{ "not-taken": "notTaken", "no-receipt": "noReceipt", delivered: "delivered", undelivered: "undelivered" },
  "not-arrived": "notArrived",
};

export type Filter = (typeof FILTERS)[number];

export interface Search {
  filters: { [Name in Filter]?: string | undefined };
  text: string;
  /** Words that look like a filter and are none, or have a value that is not understood. */
  unknown: string[];
  /** What to say of filters that there are not. */
  faults: string[];
  /** What to say of values that are not understood: a list without their filters would be another one. */
  wrong: string[];
}

/** Words that stand for filters. What they replace is gone: a day that ends has no end beside `today`. */
const SHORT: Record<string, Search["filters"]> = {
  today: { after: "today", before: undefined },
  yesterday: { after: "yesterday", before: "today" },
  "did not arrive": { outcome: "not-arrived" },
};

const PIECES = /(today|yesterday|did not arrive)(?!\S)|([a-z]+):("[^"]*"|\S*)|"[^"]*"|\S+/gi;

/** A value with spaces stands between quotation marks: `purpose:"spring sale"`. The last of a filter counts. */
export function parseSearch(input: string): Search {
  const search: Search = { filters: {}, text: "", unknown: [], faults: [], wrong: [] };
  const words: string[] = [];
  for (const [piece, short, name, value = ""] of input.matchAll(PIECES)) {
    const known = FILTERS.find((filter) => filter === name?.toLowerCase());
    if (short) Object.assign(search.filters, SHORT[short.toLowerCase()]);
    else if (name === undefined || /^https?$/i.test(name)) words.push(piece);
    else if (known === undefined) {
      search.unknown.push(piece);
      search.faults.push(faultOf(name));
    } else if (unquoted(value) !== "") {
      const wrong = wrongIn(known, unquoted(value));
      if (wrong === null) search.filters[known] = unquoted(value);
      else search.wrong.push(wrong);
      if (wrong !== null) search.unknown.push(piece);
    }
  }
  search.text = words.join(" ");
  return search;
}

const TIMES = "today, yesterday, 02:41, 2026-11-21, or 2026-11-21T02:41";

/** A name of a campaign may have the digits of a day, and has a word. */
const HAS_WORD = /\p{L}.*\p{L}.*\p{L}/u;

/** What is wrong with the value of a filter; null: nothing. A value is in the address, so it is never a person. */
function wrongIn(filter: Filter, value: string): string | null {
  if (filter === "after" || filter === "before")
    return toTime(value, new Date(0)) === null ? `${filter}: takes ${TIMES}.` : null;
  if (filter === "outcome" && !Object.hasOwn(OUTCOMES, value))
    return `outcome: takes ${Object.keys(OUTCOMES).join(", ")}.`;
  if (filter === "purpose" && HAS_WORD.test(value) && !/[@＠]/.test(value)) return null;
  return personIn(value) === null ? null : `${filter}: takes no number and no address: write them without a filter.`;
}

/** What is wrong with words beside a purpose: alone, they are the purpose. */
export function textFaults({ filters, text }: Pick<Search, "filters" | "text">): string[] {
  if (filters.purpose === undefined || text === "") return [];
  return [`A purpose with spaces stands between quotation marks: purpose:"${filters.purpose} ${text}".`];
}

/** The same search as text; the opposite of parseSearch. */
export function writeSearch({ filters, text }: Pick<Search, "filters" | "text">): string {
  const words = FILTERS.flatMap((filter) => {
    const value = filters[filter];
    return value === undefined ? [] : [`${filter}:${/\s/.test(value) ? `"${value}"` : value}`];
  });
  return [...words, ...(text ? [text] : [])].join(" ");
}

const unquoted = (value: string) => value.replace(/^"|"$/g, "");

const faultOf = (name: string) => `“${name}:” is no filter. There are ${FILTERS.map((it) => `${it}:`).join(" ")}`;

/**
 * The time that somebody means by `02:41` (today), `yesterday`, `2026-11-21` or `2026-11-21T02:41`, in their own time zone, or with a
 * `Z` in UTC.
 * @returns null for any other word
 */
export function toTime(word: string, now: Date): Date | null {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  const [, hour, minute] = /^(\d{1,2}):(\d\d)$/.exec(word) ?? [];
  if (hour !== undefined) return atClock(day, Number(hour), Number(minute));
  if (word === "today") return day;
  if (word === "yesterday") return new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  return toDay(word);
}

const atClock = (day: Date, hour: number, minute: number): Date | null =>
  hour < 24 && minute < 60 ? new Date(day.getFullYear(), day.getMonth(), day.getDate(), hour, minute) : null;

/** Date would take 31 November for 1 December. */
function toDay(word: string): Date | null {
  const [, year, month, day, clock = "T00:00"] = /^(\d{4})-(\d\d)-(\d\d)(T\d\d:\d\dZ?)?$/.exec(word) ?? [];
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (day === undefined || Number(day) > lastDay || /^T24/.test(clock)) return null;
  const date = new Date(`${year}-${month}-${day}${clock}`);
  return Number.isNaN(date.getTime()) ? null : date;
}
