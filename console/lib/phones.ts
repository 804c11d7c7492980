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

export const isPhone = (text: string): boolean => /^\+[\d ()-]{7,24}$/.test(text);
export const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text);
export const isMessageId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** From here on, digits alone are taken for a number that lacks its +. */
const FEWEST_DIGITS = 9;

/** The number or address among words; a number that lacks its + is one as well. Null: there is none, and the words may be in an address. */
export function personIn(text: string): string | null {
  const isNumber = (word: string) => /^[+\d().\s-]+$/.test(word) && word.replaceAll(/\D/g, "").length >= FEWEST_DIGITS;
  return [text, ...text.split(/\s+/)].find((word) => isPhone(word) || isEmail(word) || isNumber(word)) ?? null;
}
