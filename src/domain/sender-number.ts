// Pure. The phone numbers that the sender of a text may have: gateways write numbers in different forms.
import { listCallingCodes } from "./numbering-plan.ts";
import { callingCodeOf, dialledDigits, e164Digits, PHONE_FORM, toDigits } from "./phone.ts";

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
  const home = recipients.map(callingCodeOfRecipient).find((found) => found !== undefined);
  const likely = home ? inFormOf(text, home) : distinct([e164Digits(`+${text}`)]);
  const guesses = home ? [] : distinct(listCallingCodes().map((one) => dialledDigits(text, one)));
  if (likely.length + guesses.length === 0) return { likely, guesses: inInternationalForm(`+${text}`) };
  return { likely, guesses: guesses.filter((digits) => !likely.includes(digits)) };
}

function inInternationalForm(text: string): number[] {
  return PHONE_FORM.test(text) ? [toDigits(text)] : distinct([e164Digits(text)]);
}

/** The national form comes first, unless the text begins with the calling code. */
function inFormOf(text: string, callingCode: string): number[] {
  const readings = [dialledDigits(text, callingCode), e164Digits(`+${text}`)];
  return distinct(text.startsWith(callingCode) ? readings.reverse() : readings);
}

function callingCodeOfRecipient(recipient: string): string | undefined {
  const isBare = /^\d+$/.test(recipient) && recipient.length >= LEAST_DIGITS_WITHOUT_PLUS;
  return callingCodeOf(isBare ? `+${recipient}` : recipient);
}

function distinct(numbers: number[]): number[] {
  return [...new Set(numbers)].filter((digits) => !Number.isNaN(digits));
}
