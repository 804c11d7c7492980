// Pure. Counts what would otherwise fill the log, by kind and minute.

const MINUTE = 60_000;

/** More kinds than that in a minute are counted together. */
const MOST_KINDS = 100;

/** After an addition, a call of `watch` that is at most so old stands for it. */
const WATCH_EACH_MILLISECONDS = 5000;

interface Count<Kind> {
  kind: Kind;
  count: number;
}

export class MinuteCounts<Kind extends object> {
  readonly #other: Kind;
  #since = Number.NEGATIVE_INFINITY;
  #watchedAt = Number.NEGATIVE_INFINITY;
  /** Without the first of each kind. */
  #counts = new Map<string, Count<Kind>>();

  /** @param other the kind of what is beyond MOST_KINDS */
  constructor(other: Kind) {
    this.#other = other;
  }

  /** @returns whether it is the first of its kind in this minute: that one is not counted */
  add(kind: Kind): boolean {
    const given = JSON.stringify(kind);
    const isKnown = this.#counts.has(given) || this.#counts.size < MOST_KINDS;
    const key = isKnown ? given : "";
    const counted = this.#counts.get(key);
    if (counted) counted.count += 1;
    else this.#counts.set(key, { kind: isKnown ? kind : this.#other, count: 0 });
    return counted === undefined;
  }

  /** To be called before each addition. @returns what the last minute had, once it is over */
  take(now: number): Count<Kind>[] {
    const age = now - this.#since;
    if (age >= 0 && age < MINUTE) return [];
    const counts = this.#takeAll();
    this.#since = now;
    return counts;
  }

  /**
   * To be called after each addition: perhaps it was the last before a pause, or for ever.
   * @returns what takes the counts then, some seconds later; undefined when an earlier one still will
   */
  watch(now: number): (() => Count<Kind>[]) | undefined {
    const age = now - this.#watchedAt;
    if (age >= 0 && age < WATCH_EACH_MILLISECONDS) return undefined;
    this.#watchedAt = now;
    return () => (this.#watchedAt === now ? this.#takeAll() : []);
  }

  #takeAll(): Count<Kind>[] {
    const counts = [...this.#counts.values()].filter(({ count }) => count > 0);
    this.#counts = new Map();
    this.#since = Number.NEGATIVE_INFINITY;
    return counts;
  }
}
