// Pure. Phone numbers: E.164 text at the edges, whole numbers inside. libphonenumber-js decides about every number; what it would say
// of most numbers is beyond doubt, and is told from its own data a hundred times faster.
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  Metadata,
  parsePhoneNumberFromString,
} from "libphonenumber-js/min";

const PLUS = 43;
const ZERO = 48;

/** What is known of the numbers that begin with a calling code. */
interface Plan {
  /** How many digits may follow the calling code in its main country, ascending. */
  lengths: number[];
  /** Bit n: numbers of n digits are in every country of the calling code (`inAll`), or in at least one (`inAny`). */
  inAll: number;
  inAny: number;
  /** What is dialed before a number at home, in the main country: libphonenumber removes it where it was left in. */
  prefix: RegExp | null;
}

/** The types of the library leave out this method of a numbering plan. */
type NumberingPlan = NonNullable<Metadata["numberingPlan"]> & { nationalPrefixForParsing(): string | undefined };

/** @param of a country or a calling code. @throws Error where there is no such */
function readPlan(of: string): NumberingPlan {
  const metadata = new Metadata();
  metadata.selectNumberingPlan(of as CountryCode);
  return metadata.numberingPlan as NumberingPlan;
}

const toBits = (lengths: number[]) => lengths.reduce((bits, length) => bits | (1 << length), 0);

/** By calling code; null: nobody has it. Made when they are first asked for. */
const plans: (Plan | null | undefined)[] = [];

function planOf(callingCode: number): Plan | null {
  const known = plans[callingCode];
  if (known !== undefined) return known;
  const plan = makePlan(String(callingCode));
  plans[callingCode] = plan;
  return plan;
}

function makePlan(callingCode: string): Plan | null {
  try {
    const main = readPlan(callingCode);
    const countries = getCountries().filter((country) => getCountryCallingCode(country) === callingCode);
    const all = [main, ...countries.map(readPlan)].map((plan) => toBits(plan.possibleLengths()));
    const prefix = main.nationalPrefixForParsing();
    return {
      lengths: main.possibleLengths(),
      inAll: all.reduce((bits, own) => bits & own),
      inAny: all.reduce((bits, own) => bits | own),
      prefix: prefix ? new RegExp(`^(?:${prefix})`) : null,
    };
  } catch {
    return null;
  }
}

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
  return isPossible(text, start, end) ? digits : Number.NaN;
}

function isPossible(text: string, start: number, end: number): boolean {
  const answer = decide(text, start, end);
  if (answer !== undefined) return answer;
  const phone = text.slice(start, end);
  const parsed = parsePhoneNumberFromString(phone);
  return parsed?.number === phone && parsed.isPossible();
}

/** What is beyond doubt: no prefix was left in, and each country of the calling code, or none, has numbers of this length. */
function decide(text: string, start: number, end: number): boolean | undefined {
  const [plan, at] = findPlan(text, start, end);
  if (!plan || startsWithPrefix(plan, text, at, end)) return undefined;
  const length = 1 << (end - at);
  if (plan.inAll & length) return true;
  return plan.inAny & length ? undefined : false;
}

function startsWithPrefix({ prefix }: Plan, text: string, at: number, end: number): boolean {
  // Some patterns match nothing, too.
  return prefix !== null && (prefix.exec(text.slice(at, end))?.[0].length ?? 0) > 0;
}

/** @returns the plan of the calling code with which the number begins, and where its digits end */
function findPlan(text: string, start: number, end: number): [plan: Plan | null, at: number] {
  let callingCode = 0;
  for (let at = start + 2; at <= start + 4 && at <= end; at++) {
    callingCode = callingCode * 10 + text.charCodeAt(at - 1) - ZERO;
    const plan = planOf(callingCode);
    if (plan) return [plan, at];
  }
  return [null, end];
}

/** The calling code that digits after a plus sign begin with, and how many may follow it; undefined: nobody has it. */
export function readCallingCode(
  text: string,
): { callingCode: string; national: string; lengths: number[] } | undefined {
  const [plan, at] = findPlan(text, 0, text.length);
  return plan ? { callingCode: text.slice(1, at), national: text.slice(at), lengths: plan.lengths } : undefined;
}

/** `+` and 7 to 15 digits. Stored numbers have this form even when newer data no longer finds them possible. */
export const PHONE_FORM = /^\+[1-9]\d{6,14}$/;

/** The number that counts, where the text is that of calls at home: a prefix was left in, or digits were left out. */
export function asFromAbroad(text: string): string | undefined {
  const number = parsePhoneNumberFromString(text)?.number;
  return number !== undefined && number !== text && isE164(number) ? number : undefined;
}

/** `+12125550100` becomes 12125550100. E.164 has at most 15 digits and no leading zero, so a number holds it exactly. */
export function toDigits(e164: string): number {
  return Number(e164.slice(1));
}

export function toE164(digits: number): string {
  return `+${digits}`;
}

/**
 * What is dialed in the country before a number of another one, as a pattern.
 * @throws Error where libphonenumber has no such country
 */
export const prefixAbroad = (country: CountryCode): RegExp => new RegExp(`^(?:${readPlan(country).IDDPrefix()})`);

/** Every country that libphonenumber knows: ISO 3166-1 codes. */
export const isCountry = (code: string): boolean => getCountries().some((country) => country === code);
