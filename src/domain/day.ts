// Pure. Days in UTC, as `2026-11-21`, and times as callers write them.

export const DAY_MILLISECONDS = 86_400_000;

/** The day of a time, since 1970. @param time milliseconds since 1970 */
export const dayNumber = (time: number) => Math.floor(time / DAY_MILLISECONDS);

export const toDay = (time: number) => new Date(time).toISOString().slice(0, 10);

/** A day, and a time of UTC where it has no offset. A plus sign that is not escaped in a URL comes as a space. */
export const TIME = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?:[Zz]|([+ -])(\d\d:\d\d))?)?$/;
