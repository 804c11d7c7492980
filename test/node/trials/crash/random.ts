import { createHash } from "node:crypto";

/**
 * A number from 0 (included) to 1 that follows from the seed and a name alone: whatever the order in which the parts of a run
 * come to draw, the same seed gives the same plan.
 */
export function drawn(seed: number, ...name: (string | number)[]): number {
  const hash = createHash("sha256").update(JSON.stringify([seed, ...name]));
  return hash.digest().readUIntBE(0, 6) / 2 ** 48;
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
