// Pure. The phone numbers that the sender of a text may have: gateways write numbers in different forms.
import { type Country, countryOf, dialledDigits, e164Digits, listCountries, PHONE_FORM, toDigits } from "./phone.ts";

/** Numbers as digits. A guess counts only when a website knows the number. */
interface SenderNumber {
  /** The most likely first. */
  likely: number[];
  guesses: number[];
}

/** A recipient with fewer digits is a short code. */
const LEAST_DIGITS_WITHOUT_PLUS = 9;

/**
 * With `+` or `00` in front, the sender is one number. Otherwise it may lack the `+`, or have the national form of the country of
 * the number that was texted. A short code or a name has no country, so the national form of every country is a guess.
 * @param recipients the numbers, short codes or names that were texted
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

/** The national form comes first, unless the text begins with the calling code of the country. */
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
