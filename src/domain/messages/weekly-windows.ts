// Pure. Windows of a week in local time, as minutes since Monday 0:00.

export const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

export type Day = (typeof DAYS)[number];

/** A window that ends before it begins ends on the next day. */
export interface Window {
  days: readonly Day[];
  /** `HH:MM`. */
  from: string;
  /** `HH:MM`, or `24:00` for the end of the day. The minute itself is closed. */
  until: string;
}

/** From the first minute to the one after the last. Sorted, apart from each other, and within a week. */
export type Minutes = readonly (readonly [from: number, until: number])[];

const DAY_MINUTES = 24 * 60;
export const WEEK_MINUTES = 7 * DAY_MINUTES;

function toMinutes(time: string): number {
  const [hours, minutes] = time.split(":");
  return Number(hours) * 60 + Number(minutes);
}

/** The minutes of a week that are in any of the windows. One that ends when it begins has none. */
export function toMinutesOfWeek(windows: readonly Window[]): Minutes {
  const spans = windows.flatMap(({ days, from, until }) =>
    days.flatMap((day) => {
      const start = DAYS.indexOf(day) * DAY_MINUTES + toMinutes(from);
      const end = start + toMinutes(until) - toMinutes(from) + (until < from ? DAY_MINUTES : 0);
      // A window from Sunday into Monday begins this week and ends in the next.
      return [
        [start, Math.min(end, WEEK_MINUTES)],
        [0, end - WEEK_MINUTES],
      ].filter(([first, last]) => (first as number) < (last as number)) as [number, number][];
    }),
  );
  const merged: [number, number][] = [];
  for (const [from, until] of spans.toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], until);
    else merged.push([from, until]);
  }
  return merged;
}

/** How they are shown: `Mon-Sat 09:00-20:00, Sun 12:00-20:00`. */
export function describeWindows(windows: readonly Window[]): string {
  return windows.map(({ days, from, until }) => `${describeDays(days)} ${from}-${until}`).join(", ");
}

function describeDays(days: readonly Day[]): string {
  const name = (index: number) => (DAYS[index] as string).replace(/^./, (letter) => letter.toUpperCase());
  const runs: [number, number][] = [];
  for (const [index, day] of DAYS.entries()) {
    if (!days.includes(day)) continue;
    const last = runs.at(-1);
    if (last && last[1] === index - 1) last[1] = index;
    else runs.push([index, index]);
  }
  return runs.map(([first, last]) => (first === last ? name(first) : `${name(first)}-${name(last)}`)).join(", ");
}
