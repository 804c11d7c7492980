import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";

const encoder = new TextEncoder();

const begin = (key: string) => hmac.create(sha256, encoder.encode(key));

/** HMAC-SHA-256 of very many short texts. Each takes 1.4 µs here, and 3 to 5 µs as a call of crypto.subtle. */
export class Hmac {
  /** Has hashed the key. */
  readonly #begun: ReturnType<typeof begin>;
  readonly #working: ReturnType<typeof begin>;
  readonly #signature = new Uint8Array(sha256.outputLen);

  constructor(key: string) {
    this.#begun = begin(key);
    this.#working = begin(key);
  }

  /** @returns the signature; valid until the next call */
  sign(text: string): Uint8Array {
    this.#begun._cloneInto(this.#working).update(encoder.encode(text)).digestInto(this.#signature);
    return this.#signature;
  }
}
