import { toE164 } from "../domain/phone.ts";
import type { Hmac } from "./hmac.ts";

/** Computes the tombstones that numbers (as digits) of a website have if it has erased them: a keyed hash under each key. */
export class Tombstones {
  readonly #beginning: string;
  readonly #keys: Hmac[];

  constructor(websiteId: string, keys: Hmac[]) {
    this.#beginning = `erased ${websiteId} `;
    this.#keys = keys;
  }

  /** As hex, in the order of the keys. */
  of(phone: number): string[] {
    const text = this.#beginning + toE164(phone);
    return this.#keys.map((key) => key.sign(text).toHex());
  }

  /** @returns the numbers that have one of the tombstones */
  find(phones: number[], tombstones: string[]): Set<number> {
    const among = new Set(tombstones);
    // The beginning tells most numbers apart, without writing their hashes as text.
    const beginnings = new Set(tombstones.map((tombstone) => beginningOf(Uint8Array.fromHex(tombstone))));
    const mayHave = (phone: number) => {
      const text = this.#beginning + toE164(phone);
      return this.#keys.some((key) => beginnings.has(beginningOf(key.sign(text))));
    };
    return new Set(phones.filter((phone) => mayHave(phone) && this.of(phone).some((mark) => among.has(mark))));
  }
}

const beginningOf = ([a = 0, b = 0, c = 0, d = 0]: Uint8Array) => (a << 24) | (b << 16) | (c << 8) | d;
