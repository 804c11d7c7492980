// Pure. Tracking links: their codes, and their place in a text.

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
export const CODE_LENGTH = 10;
export const LINK_CODE = /^[A-Za-z0-9]{10}$/;

/**
 * Ten random characters: 59 bits, too many to guess. Bytes that would favor some characters are dropped.
 */
export function newLinkCode(randomBytes: (count: number) => Uint8Array): string {
  let code = "";
  while (code.length < CODE_LENGTH) {
    for (const byte of randomBytes(CODE_LENGTH * 2)) {
      if (byte < ALPHABET.length * 4 && code.length < CODE_LENGTH) code += ALPHABET[byte % ALPHABET.length];
    }
  }
  return code;
}

/** The end of a URL in a text: space or punctuation. */
const AFTER_URL = /^(?:$|\s|[.,!?;:)\]}"'»]+(?:\s|$))/;

/** Replaces the URL with the link wherever it occurs in the text; appends the link when it does not. */
export function placeLink(text: string, url: string, link: string): string {
  const parts = text.split(url);
  let placed = parts[0] ?? "";
  let count = 0;
  for (const [index, part] of parts.slice(1).entries()) {
    const rest = parts.slice(index + 1).join(url);
    const isWhole = AFTER_URL.test(rest);
    if (isWhole) count += 1;
    placed += (isWhole ? link : url) + part;
  }
  return count > 0 ? placed : `${text} ${link}`;
}
