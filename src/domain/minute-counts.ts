// Pure. Counts what would otherwise fill the log, by kind and minute.

const MINUTE = 60_000;

/** More kinds than that in a minute are counted together. */
const MOST_KINDS = 100;

interface Count<Kind> {
  kind: Kind;
  count: number;
}

export class MinuteCounts<Kind extends object> {
  readonly #other: Kind;
  #since = Number.NEGATIVE_INFINITY;
  #counts = new Map<string, Count<Kind>>();

  /** @param other the kind of what is beyond MOST_KINDS */
  constructor(other: Kind) {
    this.#other = other;
  }

  /** @returns whether it is the first of its kind in this minute */
  add(kind: Kind): boolean {
    const given = JSON.stringify(kind);
    const isKnown = this.#counts.has(given) || this.#counts.size < MOST_KINDS;
    const key = isKnown ? given : "";
    const counted = this.#counts.get(key);
    if (counted) counted.count += 1;
    else this.#counts.set(key, { kind: isKnown ? kind : this.#other, count: 1 });
    return counted === undefined;
  }

  /** @returns what the last minute had of each kind, once it is over; to be called before each add */
  take(now: number): Count<Kind>[] {
    const age = now - this.#since;
    if (age >= 0 && age < MINUTE) return [];
    const counts = [...this.#counts.values()];
    this.#since = now;
    this.#counts = new Map();
    return counts;
  }
}
