// Pure. What somebody has written into the box of a search: words such as `status:` are filters, the rest is text.

export const FILTERS = ["website", "purpose", "status", "reason", "client", "after", "before"] as const;

export type Filter = (typeof FILTERS)[number];

export interface Search {
  filters: Partial<Record<Filter, string>>;
  text: string;
  /** Words that look like a filter and are none, and what to say of each. */
  unknown: string[];
  faults: string[];
}

const PIECES = /([a-z]+):("[^"]*"|\S*)|"[^"]*"|\S+/gi;

/** A value with spaces stands between quotation marks: `purpose:"spring sale"`. The last of a filter counts. */
export function parseSearch(input: string): Search {
  const search: Search = { filters: {}, text: "", unknown: [], faults: [] };
  const words: string[] = [];
  for (const [piece, name, value = ""] of input.matchAll(PIECES)) {
    const known = FILTERS.find((filter) => filter === name?.toLowerCase());
    if (name === undefined || /^https?$/i.test(name)) words.push(piece);
    else if (known === undefined) {
      search.unknown.push(piece);
      search.faults.push(faultOf(name));
    } else if (unquoted(value) !== "") search.filters[known] = unquoted(value);
  }
  search.text = words.join(" ");
  return search;
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

function faultOf(name: string): string {
  const near = FILTERS.find((filter) => isNear(filter, name.toLowerCase()));
  return `“${name}:” is no filter.${near ? ` Did you mean ${near}:?` : ` There are ${FILTERS.map((it) => `${it}:`).join(" ")}`}`;
}

/** It begins alike, and has at most two other letters. */
function isNear(filter: string, name: string): boolean {
  const others = [...name].filter((letter) => !filter.includes(letter)).length;
  return filter[0] === name[0] && others <= 1 && Math.abs(filter.length - name.length) <= 2;
}

/**
 * The time that somebody means by `02:41` (today), `yesterday`, `2026-11-21` or `2026-11-21T02:41`, in their own time zone, or with a
 * `Z` in UTC.
 * @returns null for any other word
 */
export function toTime(word: string, now: Date): Date | null {
  const clock = /^(\d{1,2}):(\d\d)$/.exec(word);
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  if (clock) day.setHours(Number(clock[1]), Number(clock[2]));
  else if (word === "yesterday") day.setDate(day.getDate() - 1);
  else if (/^\d{4}-\d\d-\d\d(T\d\d:\d\dZ?)?$/.test(word)) {
    const date = new Date(word.includes("T") ? word : `${word}T00:00`);
    return Number.isNaN(date.getTime()) ? null : date;
  } else if (word !== "today") return null;
  return day;
}
