import { toE164 } from "../domain/people/phone.ts";
import { otherFormOf } from "../domain/people/two-form-numbers.ts";
import type { Hmac } from "./hmac.ts";

/** Computes the tombstones that numbers (as digits) of a website have if the website has erased them: keyed hashes. */
export class Tombstones {
  readonly #beginning: string;
  readonly #key: Hmac;

  constructor(websiteId: string, key: Hmac) {
    this.#beginning = `erased ${websiteId} `;
    this.#key = key;
  }

  /** As hex. */
  of(phone: number): string {
    return this.#sign(phone).toHex();
  }

  /** Those of a number and of its other form. */
  ofForms(phone: number): string[] {
    const other = otherFormOf(phone);
    return other === null ? [this.of(phone)] : [this.of(phone), this.of(other)];
  }

  /** @returns the numbers that have one of the tombstones, or whose other form has */
  find(phones: number[], tombstones: string[]): Set<number> {
    const among = new Set(tombstones);
    // The beginning tells most numbers apart, without writing their hashes as text.
    const beginnings = new Set(tombstones.map((tombstone) => beginningOf(Uint8Array.fromHex(tombstone))));
    const has = (phone: number) => beginnings.has(beginningOf(this.#sign(phone))) && among.has(this.of(phone));
    return new Set(
      phones.filter((phone) => {
        const other = otherFormOf(phone);
        return has(phone) || (other !== null && has(other));
      }),
    );
  }

  #sign(phone: number) {
    return this.#key.sign(this.#beginning + toE164(phone));
  }
}

const beginningOf = ([a = 0, b = 0, c = 0, d = 0]: Uint8Array) => (a << 24) | (b << 16) | (c << 8) | d;
