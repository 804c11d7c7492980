// Pure. Tracking links: their codes, and their place in a text.

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const RANDOM_CHARACTERS = 9;
/** The last ten, in front of which the home of the website stands. That of home 0 is not written. */
const OWN_CHARACTERS = RANDOM_CHARACTERS + 1;
export const LINK_CODE = /^[A-Za-z0-9]{10,14}$/;

/** A number of 16 bits that nobody can tell without the key of this deployment. */
export type Sign = (text: string) => number;

/** The home, nine random characters (53 bits), and a check character. Bytes that would favor some characters are dropped. */
export function newLinkCode(home: number, randomBytes: (count: number) => Uint8Array, sign: Sign): string {
  const place = writeHome(home);
  let code = place;
  while (code.length < place.length + RANDOM_CHARACTERS) {
    for (const byte of randomBytes(RANDOM_CHARACTERS * 2)) {
      if (byte < ALPHABET.length * 4 && code.length < place.length + RANDOM_CHARACTERS) {
        code += ALPHABET[byte % ALPHABET.length];
      }
    }
  }
  return code + checkCharacter(code, sign);
}

/** To the base of 62. */
function writeHome(home: number): string {
  if (home === 0) return "";
  return writeHome(Math.floor(home / ALPHABET.length)) + ALPHABET.charAt(home % ALPHABET.length);
}

/** The home of the website whose link it is. */
export function homeOfCode(code: string): number {
  return [...code.slice(0, -OWN_CHARACTERS)].reduce((home, one) => home * ALPHABET.length + ALPHABET.indexOf(one), 0);
}

/**
 * Whether the last character is the check of the others: of 62 guesses, one has it. Without it, a code may still be a link:
 * of an earlier version, which wrote ten random characters, or of the time before the key was replaced.
 */
export function hasCheck(code: string, sign: Sign): boolean {
  return checkCharacter(code.slice(0, -1), sign) === code.at(-1);
}

function checkCharacter(random: string, sign: Sign): string {
  return ALPHABET.charAt(sign(random) % ALPHABET.length);
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
