import { toE164 } from "../domain/phone.ts";
import { type FastHmac, toHex } from "./fast-hmac.ts";

/** Computes the tombstones that numbers (as digits) of a website have if it has erased them: a keyed hash under each key. */
export class Tombstones {
  readonly #beginning: string;
  readonly #keys: FastHmac[];

  constructor(websiteId: string, keys: FastHmac[]) {
    this.#beginning = `erased ${websiteId} `;
    this.#keys = keys;
  }

  /** As hex, in the order of the keys. */
  of(phone: number): string[] {
    const text = this.#beginning + toE164(phone);
    return this.#keys.map((key) => toHex(key.sign(text)));
  }

  /** @returns the numbers that have one of the tombstones */
  find(phones: number[], tombstones: string[]): Set<number> {
    const among = new Set(tombstones);
    // The first word tells most numbers apart, without writing their hashes as text.
    const firstWords = new Set(tombstones.map((mark) => Number.parseInt(mark.slice(0, 8), 16) | 0));
    const mayHave = (phone: number) => {
      const text = this.#beginning + toE164(phone);
      return this.#keys.some((key) => firstWords.has(key.sign(text)[0] as number));
    };
    return new Set(phones.filter((phone) => mayHave(phone) && this.of(phone).some((mark) => among.has(mark))));
  }
}
