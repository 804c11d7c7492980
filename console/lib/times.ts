// Pure, except the time zone of the browser. Times as the console writes them: local, with the UTC for whoever asks.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const formatter = (options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat("en-GB", options);
  return (at: number) => format.format(at);
};
const CLOCK = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const clock = formatter(CLOCK);
const clockSeconds = formatter({ ...CLOCK, second: "2-digit" });
const DAY_OF_MONTH = { day: "numeric", month: "short" } as const;
const shortDate = formatter(DAY_OF_MONTH);
const dateOfReport = formatter({ ...DAY_OF_MONTH, timeZone: "UTC" });
const weekday = formatter({ weekday: "short" });
const longDate = formatter({ weekday: "long", day: "numeric", month: "long" });
const year = formatter({ year: "numeric" });

const parse = (time: string | number) => (typeof time === "number" ? time : Date.parse(time));

/** `02:41`. */
export const formatClock = (time: string | number): string => clock(parse(time));

/** What the clock shows elsewhere, by an IANA zone. */
export const formatClockIn = (timeZone: string, at: number): string => formatter({ ...CLOCK, timeZone })(at);

/** The day that it is in a zone, as its midnight in UTC. Where the zone is none, the day in UTC: the service refuses the zone. */
export function todayIn(timeZone: string): number {
  try {
    return Date.parse(new Date().toLocaleDateString("en-CA", { timeZone }));
  } catch {
    return Date.now();
  }
}

/** `02:41:08`. */
export const formatSeconds = (time: string | number): string => clockSeconds(parse(time));

/** `02:14:04.8`: only in a story, where tenths tell. */
export const formatTenths = (time: string | number): string =>
  `${clockSeconds(parse(time))}.${Math.floor((parse(time) % 1000) / 100)}`;

export const isSameDay = (one: string | number, other: string | number): boolean =>
  new Date(one).toDateString() === new Date(other).toDateString();

/** `28 Oct`. */
export const formatDate = (time: string | number): string => shortDate(parse(time));

/** A day of a report, `2026-10-28` as `28 Oct`. */
export const formatDay = (day: string): string => dateOfReport(Date.parse(day));

/** `02:41` today, `yesterday 18:10`, `Sun 22 Nov 19:30` else; with the year where it is another. */
export function formatTime(time: string | number, now: number): string {
  const at = parse(time);
  if (isSameDay(at, now)) return clock(at);
  if (isSameDay(at, new Date(now).setHours(-1))) return `yesterday ${clock(at)}`;
  if (year(at) !== year(now)) return `${shortDate(at)} ${year(at)}`;
  return `${weekday(at)} ${shortDate(at)} ${clock(at)}`;
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
