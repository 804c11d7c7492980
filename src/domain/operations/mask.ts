// Pure. Masks phone numbers and texts in logs, and numbers in the dead jobs that the operator sees.

/** Hexadecimal ids, which stay; or a possible phone number, with the separators that people write between digits. */
const ID_OR_NUMBER = /(?<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32,})|\d[\d ()-]{5,}\d/gi;

/** Reduces each number of seven digits or more to its last two: `…00`. */
export function maskNumbers(text: string): string {
  return text.replace(ID_OR_NUMBER, (found: string, id: string | undefined) =>
    id === undefined ? `…${found.replaceAll(/\D/g, "").slice(-2)}` : id,
  );
}

/** So many characters of a text in a row are a quotation. */
const QUOTED_CHARACTERS = 8;

/** The words without what they quote of the text: a carrier may quote a part of it. */
export function withoutQuotations(words: string, text: string): string {
  const least = Math.min(QUOTED_CHARACTERS, text.length);
  const isQuoted = (start: number, end: number) => end <= words.length && text.includes(words.slice(start, end));
  let kept = "";
  for (let at = 0; at < words.length; ) {
    let end = at + least;
    if (!isQuoted(at, end)) {
      kept += words[at++];
      continue;
    }
    while (isQuoted(at, end + 1)) end += 1;
    kept += "…";
    at = end;
  }
  return kept;
}

/** JSON of the value, with phone numbers masked under the keys for which `isMasked` is true. */
export function toMaskedJson(value: unknown, isMasked: (key: string) => boolean): string {
  const mask = (key: string, inner: unknown) => {
    const isText = typeof inner === "string" || typeof inner === "number";
    const masked = isText && isMasked(key) ? maskNumbers(String(inner)) : undefined;
    return masked === undefined || masked === String(inner) ? inner : masked;
  };
  return JSON.stringify(value ?? null, mask);
}
