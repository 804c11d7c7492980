// Pure. Days in UTC, as `2026-11-21`.

export const DAY_MILLISECONDS = 86_400_000;

/** The day of a time, since 1970. @param time milliseconds since 1970 */
export const dayNumber = (time: number) => Math.floor(time / DAY_MILLISECONDS);

export const toDay = (time: number) => new Date(time).toISOString().slice(0, 10);

export const dayBefore = (day: string) => toDay(Date.parse(day) - DAY_MILLISECONDS);

export const dayAfter = (day: string) => toDay(Date.parse(day) + DAY_MILLISECONDS);
