// Pure. The most texts that a website accepts in 24 hours. They are counted by minute: an operator sees the count to the minute, a refusal says
// when there is room to the minute, and a day has no more than some 1,400 counts.
import type { RollingCount, Window } from "./rolling-count.ts";

/**
 * A minute counts until so many have passed since it began: 24 hours after its last text. So no span of 24 hours has more than the
 * limit, and a text counts for a minute too long at most.
 */
export const COUNTED_MINUTES = 1441;

export const DAY: Window = { stepMilliseconds: 60_000, steps: COUNTED_MINUTES };

/** Texts that were counted, in which minute since 1970: those that are not stored are given back. */
export interface Taken {
  minute: number;
  texts: number;
}

/** What a website answers that has reached its limit. */
export interface OverLimit {
  limit: number;
  /** How many texts came together: all or none of them are accepted. */
  wanted: number;
  retryAfterSeconds: number;
}

export const isOver = (answer: Taken | OverLimit | null | undefined): answer is OverLimit =>
  answer != null && "limit" in answer;

/** Counts texts that come together, if there is room for all of them. */
export function takeTexts(
  count: Pick<RollingCount, "add" | "roomAt" | "usedAt">,
  texts: number,
  limit: number,
  now: number,
): Taken | OverLimit {
  if (count.usedAt(now) + texts <= limit) return { minute: count.add(texts, now), texts };
  const seconds = Math.ceil((count.roomAt(texts, limit, now) - now) / 1000);
  return { limit, wanted: texts, retryAfterSeconds: Math.max(1, seconds) };
}
