// Pure. How fast a campaign goes, and when its last text goes if it goes on like this.
import { DAY_MILLISECONDS } from "../day.ts";
import type { Pace } from "../messages/sender-pace.ts";

const MINUTE_MILLISECONDS = 60_000;

/** A minute that is over tells more than the one that lasts, and the last few more than the last hour. */
const PACE_MINUTES = 5;

/** Texts that a carrier took in a minute. */
export interface Gone {
  /** Minutes since 1970. */
  minute: number;
  count: number;
}

/**
 * The mean of the last minutes that are over, from the first in which a text went.
 * @param minute the one that lasts
 * @returns null: none went
 */
export function paceOf(gone: readonly Gone[], minute: number): number | null {
  const last = gone.filter((it) => it.count > 0 && it.minute >= minute - PACE_MINUTES && it.minute < minute);
  if (last.length === 0) return null;
  const texts = last.reduce((sum, { count }) => sum + count, 0);
  return texts / (minute - Math.min(...last.map((it) => it.minute)));
}

/**
 * Before the first text has gone, the pace of the sender says how fast they go.
 * @returns when the last of so many texts goes, in milliseconds since 1970; null: none waits, or it is not known
 */
export function endOf(ready: number | null, measured: number | null, pace: Pace, now: number): number | null {
  const perMinute = measured ?? pace.messagesPerMinute;
  if (ready === null || ready <= 0 || perMinute === null) return null;
  const wholeDays = pace.messagesPerDay === null ? 0 : Math.ceil(ready / pace.messagesPerDay) - 1;
  return now + Math.max(Math.ceil((ready / perMinute) * MINUTE_MILLISECONDS), wholeDays * DAY_MILLISECONDS);
}
