// Pure. The most texts that a website accepts in 24 hours. They are counted by minute: an operator sees the count to the minute, a refusal says
// when there is room to the minute, and a day has no more than some 1,400 counts.

const MINUTE_MILLISECONDS = 60_000;

/**
 * A minute counts until so many have passed since it began: 24 hours after its last text. So no span of 24 hours has more than the
 * limit, and a text counts for a minute too long at most.
 */
export const COUNTED_MINUTES = 1441;

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

/** The texts of the last 24 hours. All times in milliseconds since 1970; a clock that steps back counts as the latest minute. */
export class DailyCount {
  /** Texts by minute since 1970, the oldest first. */
  readonly #minutes: Map<number, number>;
  #total = 0;
  #latest = 0;

  /** @param minutes what was counted before, the oldest first */
  constructor(minutes: Iterable<[minute: number, texts: number]> = []) {
    this.#minutes = new Map(minutes);
    for (const [minute, texts] of this.#minutes) {
      this.#latest = minute;
      this.#total += texts;
    }
  }

  /** Counts texts that come together, if there is room for all of them. */
  take(texts: number, limit: number, now: number): Taken | OverLimit {
    const minute = this.#advance(now);
    if (this.#total + texts > limit) {
      return { limit, wanted: texts, retryAfterSeconds: this.#secondsUntilRoom(this.#total + texts - limit, now) };
    }
    this.#add(minute, texts);
    return { minute, texts };
  }

  giveBack({ minute, texts }: Taken): void {
    if (this.#minutes.has(minute)) this.#add(minute, -texts);
  }

  usedAt(now: number): number {
    this.#advance(now);
    return this.#total;
  }

  /** The texts of one minute. */
  of(minute: number): number {
    return this.#minutes.get(minute) ?? 0;
  }

  /** Drops the minutes that are too old to count. @returns the present minute */
  #advance(now: number): number {
    this.#latest = Math.max(this.#latest, Math.floor(now / MINUTE_MILLISECONDS));
    for (const [minute, texts] of this.#minutes) {
      if (minute > this.#latest - COUNTED_MINUTES) break;
      this.#minutes.delete(minute);
      this.#total -= texts;
    }
    return this.#latest;
  }

  #add(minute: number, texts: number): void {
    const sum = this.of(minute) + texts;
    if (sum === 0) this.#minutes.delete(minute);
    else this.#minutes.set(minute, sum);
    this.#total += texts;
  }

  /** When so many no longer count, if none is accepted meanwhile; if never so many do, when nothing counts any more. */
  #secondsUntilRoom(tooMany: number, now: number): number {
    let left = tooMany;
    let freeAt = now;
    for (const [minute, texts] of this.#minutes) {
      if (left <= 0) break;
      left -= texts;
      freeAt = (minute + COUNTED_MINUTES) * MINUTE_MILLISECONDS;
    }
    return Math.max(1, Math.ceil((freeAt - now) / 1000));
  }
}
