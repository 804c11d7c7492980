// Pure, but for the time zone of the browser. Times as the console writes them: local, with the UTC for whoever asks.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const part = (options: Intl.DateTimeFormatOptions) => {
  const formats = new Map<string, Intl.DateTimeFormat>();
  return (at: number, zone = "") => {
    const format =
      formats.get(zone) ?? new Intl.DateTimeFormat("en-GB", { ...options, ...(zone && { timeZone: zone }) });
    formats.set(zone, format);
    return format.format(at);
  };
};
const clock = part({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const clockSeconds = part({ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const shortDate = part({ day: "numeric", month: "short" });
const weekday = part({ weekday: "short" });
const longDate = part({ weekday: "long", day: "numeric", month: "long" });
const year = part({ year: "numeric" });
const dayKey = part({ year: "numeric", month: "2-digit", day: "2-digit" });

const parse = (time: string | number) => (typeof time === "number" ? time : Date.parse(time));

/** `02:41`. */
export const formatClock = (time: string | number, zone?: string): string => clock(parse(time), zone);

/** `02:41:08`. */
export const formatSeconds = (time: string | number): string => clockSeconds(parse(time));

/** `02:14:04.8`: only in a story, where tenths tell. */
export const formatTenths = (time: string | number): string =>
  `${clockSeconds(parse(time))}.${Math.floor((parse(time) % 1000) / 100)}`;

export const isSameDay = (one: string | number, other: string | number, zone?: string): boolean =>
  dayKey(parse(one), zone) === dayKey(parse(other), zone);

/** `28 Oct`. */
export const formatDate = (time: string | number, zone?: string): string => shortDate(parse(time), zone);

/** A day of a report, which is one of UTC, `2026-10-28` as `28 Oct`. */
export const formatDay = (day: string): string => shortDate(Date.parse(`${day}T12:00:00Z`), "UTC");

/** `02:41` today, `yesterday 18:10`, `Sun 22 Nov 19:30` else; with the year where it is another. */
export function formatTime(time: string | number, now: number, zone?: string): string {
  const at = parse(time);
  if (isSameDay(at, now, zone)) return clock(at, zone);
  if (isSameDay(at, now - DAY, zone)) return `yesterday ${clock(at, zone)}`;
  if (year(at, zone) !== year(now, zone)) return `${shortDate(at, zone)} ${year(at, zone)}`;
  return `${weekday(at, zone)} ${shortDate(at, zone)} ${clock(at, zone)}`;
}

/** `Today, Wednesday 25 November`. */
export function formatDayHeading(time: string | number, now: number): string {
  const at = parse(time);
  const heading = longDate(at).replace(",", "");
  if (isSameDay(at, now)) return `Today, ${heading}`;
  return year(at) === year(now) ? heading : `${heading} ${year(at)}`;
}

/** `2026-11-25 02:14:04 UTC`. */
export const formatUtc = (time: string | number): string =>
  `${new Date(parse(time)).toISOString().slice(0, 19).replace("T", " ")} UTC`;

/** In a sentence: `24 minutes`, `1 hour 53 minutes`, `3 days`, `4.2 seconds`. */
export function formatSpan(milliseconds: number): string {
  const of = (count: number, unit: string) => `${count} ${unit}${count === 1 ? "" : "s"}`;
  if (milliseconds < 10_000) return `${(milliseconds / 1000).toFixed(1)} seconds`;
  if (milliseconds < MINUTE) return of(Math.round(milliseconds / 1000), "second");
  if (milliseconds < HOUR) return of(Math.floor(milliseconds / MINUTE), "minute");
  if (milliseconds >= 2 * DAY) return of(Math.floor(milliseconds / DAY), "day");
  const minutes = Math.floor((milliseconds % HOUR) / MINUTE);
  const hours = of(Math.floor(milliseconds / HOUR), "hour");
  return milliseconds >= 5 * HOUR || minutes === 0 ? hours : `${hours} ${of(minutes, "minute")}`;
}

/** In a table: `24 min`, `1 h 53 min`, `3 days`, `4.2 s`, `164 ms`. */
export function formatShortSpan(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < MINUTE) return `${(milliseconds / 1000).toFixed(1)} s`;
  if (milliseconds < HOUR) return `${Math.floor(milliseconds / MINUTE)} min`;
  if (milliseconds >= 2 * DAY) return `${Math.floor(milliseconds / DAY)} days`;
  const minutes = Math.floor((milliseconds % HOUR) / MINUTE);
  return `${Math.floor(milliseconds / HOUR)} h${minutes ? ` ${minutes} min` : ""}`;
}

/** The city of an IANA zone: `America/Los_Angeles` as `Los Angeles`. */
export const cityOf = (zone: string): string => (zone.split("/").at(-1) ?? zone).replaceAll("_", " ");
