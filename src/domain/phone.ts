// Pure. Phone numbers: E.164 text at the edges, whole numbers inside.
import { isPossible, normalize, planOf, withoutPrefix } from "./numbering-plan.ts";

const PLUS = 43;
const ZERO = 48;

/**
 * Whether libphonenumber finds the number possible (its length exists in its country) and formats it in the same way. Possible
 * is enough: numbering plans change faster than the library's list of valid numbers.
 */
export function isE164(text: string): boolean {
  return !Number.isNaN(e164Digits(text));
}

/**
 * @param start the place of the plus sign in the text; `end` is the place after the last digit
 * @returns the digits as toDigits gives them; NaN unless the text is a phone number in E.164 form
 */
export function e164Digits(text: string, start = 0, end = text.length): number {
  const length = end - start;
  if (length < 3 || length > 16) return Number.NaN;
  if (text.charCodeAt(start) !== PLUS || text.charCodeAt(start + 1) === ZERO) return Number.NaN;
  let digits = 0;
  for (let index = start + 1; index < end; index++) {
    const digit = text.charCodeAt(index) - ZERO;
    if (digit < 0 || digit > 9) return Number.NaN;
    digits = digits * 10 + digit;
  }
  return isInPlan(text, start, end) ? digits : Number.NaN;
}

function isInPlan(text: string, start: number, end: number): boolean {
  let callingCode = 0;
  for (let at = start + 2; at <= start + 4 && at < end; at++) {
    callingCode = callingCode * 10 + text.charCodeAt(at - 1) - ZERO;
    const plan = planOf(callingCode);
    if (!plan) continue;
    const isUsual = (plan.commonLengths & (1 << (end - at))) !== 0;
    if (isUsual && (plan.prefixStarts & (1 << (text.charCodeAt(at) - ZERO))) === 0) return true;
    const national = text.slice(at, end);
    if (isUsual && !plan.prefix?.test(national)) return true;
    return isPossible(plan, national) && withoutPrefix(plan, national) === national;
  }
  return false;
}

/** `+` and 7 to 15 digits. Stored numbers have this form even when newer data no longer finds them possible. */
export const PHONE_FORM = /^\+[1-9]\d{6,14}$/;

/** The number that is left when the national prefix is removed, with which numbers are dialed at home; undefined: it has none. */
export function nationalPrefixRemoved(text: string): string | undefined {
  const number = `+${normalize(text.slice(1))}`;
  return number !== text && isE164(number) ? number : undefined;
}

/** `+12125550100` becomes 12125550100. E.164 has at most 15 digits and no leading zero, so a number holds it exactly. */
export function toDigits(e164: string): number {
  return Number(e164.slice(1));
}

export function toE164(digits: number): string {
  return `+${digits}`;
}
