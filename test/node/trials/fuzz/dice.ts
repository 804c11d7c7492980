import { Random } from "../../../random.ts";

/** Chance that can be repeated, for what has no form: the same seed throws the same. */
export class Dice extends Random {
  /** A whole number below the limit. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** Characters of any kind, halves of surrogate pairs included. */
  text(most: number): string {
    const ranges = [128, 0x250, 0x3000, 0x10000];
    return String.fromCharCode(...Array.from({ length: this.below(most) }, () => this.below(this.pick(ranges))));
  }

  bytes(most: number): Buffer {
    return Buffer.from(Array.from({ length: this.below(most) }, () => this.below(256)));
  }
}
