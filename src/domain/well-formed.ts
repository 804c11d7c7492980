// Pure. The rule for stored texts: UTF-8, in which stores and carriers keep them, has no form for half of a surrogate pair.

export const isWellFormed = (text: string): boolean => text.isWellFormed();

export const ILL_FORMED = "must be well-formed Unicode: it has half of a surrogate pair";

/** How many characters a text has beyond the most. A surrogate pair is one character. */
export const surplusOf = (text: string, most: number): number =>
  text.length <= most ? 0 : Math.max(0, [...text].length - most);

/** Where bytes stop being UTF-8: the place of the first byte of what is no character; undefined when all are. */
export function findIllFormed(bytes: Uint8Array): number | undefined {
  let at = 0;
  while (at < bytes.length) {
    const length = lengthAt(bytes, at);
    if (length === 0) return at;
    at += length;
  }
  return undefined;
}

const isInner = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** The first and the second byte of characters: RFC 3629, section 4. @returns 0 when no whole character begins there */
function lengthAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const second = bytes[at + 1] ?? 0;
  const isTooLong = (first === 0xe0 && second < 0xa0) || (first === 0xf0 && second < 0x90);
  const isNoCharacter = (first === 0xed && second > 0x9f) || (first === 0xf4 && second > 0x8f);
  if (first < 0xc2 || first > 0xf4 || isTooLong || isNoCharacter) return 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (let inner = at + 1; inner < at + length; inner++) if (!isInner(bytes[inner])) return 0;
  return length;
}

/** How many bytes of an incomplete character well-formed bytes end with. */
export function countCut(bytes: Uint8Array): number {
  const isCut = (at: number) => (bytes[at] ?? 0) >= 0xc2 && lengthAt(bytes, at) === 0;
  return [1, 2, 3].find((count) => isCut(bytes.length - count)) ?? 0;
}
