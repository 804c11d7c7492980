// Pure. Whose number a carrier means: gateways give numbers in forms of their own.
import { type Country, countryOf, dialledDigits, e164Digits, listCountries, PHONE_FORM, toDigits } from "./phone.ts";

/** As digits. `guesses` count only where they are known. */
export interface SenderNumber {
  /** The likeliest first. */
  likely: number[];
  guesses: number[];
}

/** Short codes have fewer. */
const LEAST_DIGITS_WITHOUT_PLUS = 9;

/**
 * The numbers that the sender of a text may stand for. In international form, with `+` or `00` before it, it stands for one.
 * Otherwise it may lack the `+`, or be in the national form of the country whose number was texted; a short code or a name
 * tells of no country, so that every country's form is a guess.
 * @param recipients the names of what was texted
 */
export function readSenderNumber(given: string, recipients: readonly string[]): SenderNumber {
  const text = given.replaceAll(/[\s().\-/]/g, "");
  const [, international] = /^(?:\+|00)([1-9]\d*)$/.exec(text) ?? [];
  if (international !== undefined) return { likely: inInternationalForm(`+${international}`), guesses: [] };
  if (!/^\d{3,18}$/.test(text)) return { likely: [], guesses: [] };
  const country = recipients.map(countryOfRecipient).find((found) => found !== undefined);
  const likely = country ? inFormOf(text, country) : distinct([e164Digits(`+${text}`)]);
  const guesses = country ? [] : distinct(listCountries().map((one) => dialledDigits(text, one)));
  if (likely.length + guesses.length === 0) return { likely, guesses: inInternationalForm(`+${text}`) };
  return { likely, guesses: guesses.filter((digits) => !likely.includes(digits)) };
}

function inInternationalForm(text: string): number[] {
  return PHONE_FORM.test(text) ? [toDigits(text)] : distinct([e164Digits(text)]);
}

/** Without `+`, or national: as a national number first, unless it begins with the country's own code. */
function inFormOf(text: string, country: Country): number[] {
  const readings = [dialledDigits(text, country), e164Digits(`+${text}`)];
  return distinct(text.startsWith(country.callingCode) ? readings.reverse() : readings);
}

function countryOfRecipient(recipient: string): Country | undefined {
  const isBare = /^\d+$/.test(recipient) && recipient.length >= LEAST_DIGITS_WITHOUT_PLUS;
  return countryOf(isBare ? `+${recipient}` : recipient);
}

function distinct(numbers: number[]): number[] {
  return [...new Set(numbers)].filter((digits) => !Number.isNaN(digits));
}
