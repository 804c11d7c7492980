// Pure. Phone numbers as the console shows them: masked until somebody asks.

/** What stands for a digit that is not shown. */
const DOT = "•";

/** Masks a number to its first digits and its last two. A masked one stays as it is. */
export function maskPhone(phone: string): string {
  if (!/^\+\d{7,15}$/.test(phone)) return phone;
  const shown = phone.startsWith("+1") ? 5 : 3;
  return phone.slice(0, shown) + DOT.repeat(phone.length - shown - 2) + phone.slice(-2);
}

/** `+12065550142` as `+1 206 555 0142`, `+1206•••••42` as `+1 206 ••• ••42`; another country's in threes after its first two digits. */
export function formatPhone(phone: string): string {
  const characters = /^\+([\d•]{7,15})$/.exec(phone)?.[1];
  if (characters === undefined) return phone;
  if (/^1[\d•]{10}$/.test(characters)) {
    return `+1 ${characters.slice(1, 4)} ${characters.slice(4, 7)} ${characters.slice(7)}`;
  }
  return `+${characters.slice(0, 2)} ${characters.slice(2).replace(/(...)(?=..)/g, "$1 ")}`;
}

/** `a•••@example.com`. */
export function maskEmail(email: string): string {
  const [, first, domain] = /^(.)[^@]*(@.+)$/.exec(email) ?? [];
  return first ? `${first}${DOT.repeat(3)}${domain}` : email;
}

/** A number with its country, as personIn gives it. */
export const isPhone = (text: string): boolean => /^\+\d{7,15}$/.test(text);
export const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text);
export const isMessageId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** So many digits are taken for a number that lacks its +, and so few for one that has it. */
const FEWEST_DIGITS = 9;
const FEWEST_AFTER_PLUS = 7;
/** With 00 before them. More are two numbers. */
const MOST_DIGITS = 17;

/** What has many digits and is nobody's: ids, days and times. */
const NOBODYS =
  /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\d(?:T[\d:]*Z?)?|\d{1,2}:\d\d)$/i;

/** In plain characters, without commas and what cannot be seen: address books put marks of direction around numbers. */
const toPlain = (text: string) => text.normalize("NFKC").replaceAll(/[\p{Cf},،]/gu, "");

/** Its digits, with a plus where it has one; null: it is no number. Whatever stands between the digits belongs to it. */
function numberOf(word: string): string | null {
  const digits = word.replaceAll(/\P{Nd}/gu, "");
  if (NOBODYS.test(word)) return null;
  const hasPlus = /^[^\p{L}\p{Nd}]*\+/u.test(word) || /^00\d/.test(digits);
  if (digits.length < (hasPlus ? FEWEST_AFTER_PLUS : FEWEST_DIGITS) || digits.length > MOST_DIGITS) return null;
  return hasPlus ? `+${digits.replace(/^00/, "")}` : digits;
}

/**
 * The number or address among words: `+12065550142`, without the plus where it lacks one, or `ada@example.com`. Null: there is none, and
 * the words may be in an address.
 */
export function personIn(text: string): string | null {
  const words = toPlain(text).split(/\s+/).filter(Boolean);
  const address = words.find((word) => word.includes("@"));
  if (address) return address.replaceAll(/^(?:mailto:)?[<("'[;]+|^mailto:|[>)"'\];:.!?]+$/gi, "");
  // A number may be written as several words. A word with a letter, or of a day or an id, is none of them.
  const runs = words.map((word) => (/\p{L}/u.test(word) || NOBODYS.test(word) ? `\n${word}\n` : word)).join(" ");
  const whole = words.filter((word) => numberOf(word)?.startsWith("+"));
  for (const run of [...whole, ...runs.split("\n"), ...words]) {
    const number = numberOf(run.trim());
    if (number !== null) return number;
  }
  return null;
}
