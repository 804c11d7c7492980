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

/** How many characters the codes of a website have. */
export const codeLength = (home: number): number => writeHome(home).length + OWN_CHARACTERS;

/** The home of the website whose link it is. */
export function homeOfCode(code: string): number {
  return [...code.slice(0, -OWN_CHARACTERS)].reduce((home, one) => home * ALPHABET.length + ALPHABET.indexOf(one), 0);
}

/**
 * Whether the last character is the check of the others: one in 62 guesses has it. A link that was made before the key was replaced
 * does not.
 */
export function hasCheck(code: string, sign: Sign): boolean {
  return checkCharacter(code.slice(0, -1), sign) === code.at(-1);
}

function checkCharacter(random: string, sign: Sign): string {
  return ALPHABET.charAt(sign(random) % ALPHABET.length);
}

/**
 * Where a URL ends, in front of what follows it. RFC 3986 lets a URL go on with the characters of the last class only: white
 * space, a quotation mark, any letter that is not ASCII or an emoji ends it. Punctuation that ends a sentence, a quotation, a
 * bracket or an emphasis is part of the text and not of the URL, unless the URL goes on after it (`.html`, `,then`, `'s`). The
 * other characters of a URL (`/ # & % @ = + $ ( [`) make it another one.
 */
const URL_ENDS = /^[.,:;!?'*_~)\]-]*(?![\w.~:/?#[\]@!$&'()*+,;=%-])/;

/** Whether a URL, or the link in its place, ends in front of this text. */
export function endsUrl(rest: string): boolean {
  return URL_ENDS.test(rest);
}

/** A URL without a path, which is the same URL with a slash after it (RFC 3986, 6.2.3). */
const WITHOUT_PATH = /^https?:\/\/[^/?#]*$/i;

/** Replaces each occurrence of the URL in the text with the link. Appends the link if the text has only longer URLs, or none. */
export function placeLink(text: string, url: string, link: string): string {
  let placed = "";
  let isPlaced = false;
  let rest = text;
  for (let at = rest.indexOf(url); at !== -1; at = rest.indexOf(url)) {
    const before = rest.slice(0, at);
    rest = rest.slice(at + url.length);
    const withoutSlash = WITHOUT_PATH.test(url) ? rest.replace(/^\//, "") : rest;
    const isWhole = endsUrl(withoutSlash);
    placed += before + (isWhole ? link : url);
    if (isWhole) rest = withoutSlash;
    isPlaced ||= isWhole;
  }
  return isPlaced ? placed + rest : `${text} ${link}`;
}
