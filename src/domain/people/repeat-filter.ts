// Pure. Which texts of very many occur more than once, in a few megabytes: a hash of each text is one bit.

const BITS = 2 ** 24;

/** FNV-1a of 32 bits. http://www.isthe.com/chongo/tech/comp/fnv/ */
const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

export class RepeatFilter {
  readonly #once = new Uint32Array(BITS / 32);
  readonly #again = new Uint32Array(BITS / 32);

  add(text: string): void {
    const hash = hashOf(text);
    const word = (hash >>> 5) % this.#once.length;
    const bit = 1 << (hash & 31);
    const before = this.#once[word] as number;
    if (before & bit) this.#again[word] = (this.#again[word] as number) | bit;
    else this.#once[word] = before | bit;
  }

  /** @returns true for each text that was added more than once, and for some few others, which have the hash of another */
  has(text: string): boolean {
    const hash = hashOf(text);
    return ((this.#again[(hash >>> 5) % this.#again.length] as number) & (1 << (hash & 31))) !== 0;
  }
}

function hashOf(text: string): number {
  let hash = OFFSET_BASIS;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), PRIME);
  return hash ^ (hash >>> 15);
}
