// Pure. Tracking links: their codes, and their place in a text.

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const RANDOM_CHARACTERS = 9;
export const LINK_CODE = /^[A-Za-z0-9]{10}$/;

/** Nine random characters, 53 bits, and their check character. Bytes that would favor some characters are dropped. */
export function newLinkCode(randomBytes: (count: number) => Uint8Array): string {
  let code = "";
  while (code.length < RANDOM_CHARACTERS) {
    for (const byte of randomBytes(RANDOM_CHARACTERS * 2)) {
      if (byte < ALPHABET.length * 4 && code.length < RANDOM_CHARACTERS) code += ALPHABET[byte % ALPHABET.length];
    }
  }
  return code + checkCharacter(code);
}

/**
 * Whether the last character is the check of the others. A guess has it once in 62 times. Codes of earlier versions have ten
 * random characters and no check, and lead on for as long as they are kept: so what fails here may still be a link.
 */
export function hasCheck(code: string): boolean {
  return checkCharacter(code.slice(0, -1)) === code.at(-1);
}

/** Each character changes it: 3 has no factor in common with 62. */
function checkCharacter(characters: string): string {
  let sum = 0;
  for (const character of characters) sum = (sum * 3 + ALPHABET.indexOf(character) + 1) % ALPHABET.length;
  return ALPHABET.charAt(sum);
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
