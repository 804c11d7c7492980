/** Numbers that look random and follow from a seed (mulberry32), so that a run can be repeated. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<T>(items: readonly T[]): T {
    return items[this.between(0, items.length - 1)] as T;
  }

  shuffle<T>(items: T[]): T[] {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.between(0, i);
      [items[i], items[j]] = [items[j] as T, items[i] as T];
    }
    return items;
  }

  /** One of the names, each as often as its weight says. */
  weighted<Name extends string>(weights: Record<Name, number>): Name {
    const entries = Object.entries(weights) as [Name, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return (entries.at(-1) as [Name, number])[0];
  }
}

/**
 * A number from 0 (included) to 1 that follows from the seed and a name alone: whatever the order in which the parts of a run
 * come to draw, the same seed gives the same plan.
 */
export function drawn(seed: number, ...name: (string | number)[]): number {
  return new Random(hash(JSON.stringify([seed, ...name]))).next();
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  return [...text].reduce((before, character) => Math.imul(before ^ character.charCodeAt(0), 0x01000193), 0x811c9dc5);
}

/** A whole number from `least` to `most`, both included. */
export function drawnInteger(least: number, most: number, seed: number, ...name: (string | number)[]): number {
  return least + Math.floor(drawn(seed, ...name) * (most - least + 1));
}

/** The first stays the first, to compare the others with; these follow in an order of the seed's own. */
export function inOrderOf<T extends { name: string }>(seed: number, [first, ...others]: T[]): T[] {
  const place = ({ name }: T) => drawn(seed, "order", name);
  return [...(first ? [first] : []), ...others.sort((a, b) => place(a) - place(b))];
}
