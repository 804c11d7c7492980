// Pure. The most texts that a website accepts in 24 hours. They are counted by minute.

const MINUTE_MILLISECONDS = 60_000;

/**
 * A minute counts until so many have passed since it began: 24 hours after its last text. So no span of 24 hours has more than the
 * limit, and a text counts for a minute too long at most.
 */
export const COUNTED_MINUTES = 1441;

/** The texts of a minute since 1970. */
export interface MinuteCount {
  minute: number;
  accepted: number;
}

/** What a website answers that has reached its limit. */
export interface OverLimit {
  /** null: not known. */
  limit: number | null;
  /** How many texts came together: all or none of them are accepted. */
  wanted: number;
  retryAfterSeconds: number;
}

/**
 * When so many texts have room, if none is accepted meanwhile; of more than the limit, when nothing counts any more.
 * @param counts of the minutes that count at `now`, in their order
 * @returns whole seconds from `now`, in milliseconds since 1970
 */
export function secondsUntilRoom(counts: MinuteCount[], limit: number, wanted: number, now: number): number {
  const total = counts.reduce((sum, { accepted }) => sum + accepted, 0);
  let tooMany = total + wanted - limit;
  let freeAt = now;
  for (const { minute, accepted } of counts) {
    if (tooMany <= 0) break;
    tooMany -= accepted;
    freeAt = (minute + COUNTED_MINUTES) * MINUTE_MILLISECONDS;
  }
  return Math.max(1, Math.ceil((freeAt - now) / 1000));
}
