// Pure. Phone numbers: E.164 text at the edges, whole numbers inside.
import { type CountryCode, type MetadataJson, parsePhoneNumberFromString } from "libphonenumber-js/core";
import { PHONE_METADATA } from "./phone-metadata.ts";

const metadata = JSON.parse(PHONE_METADATA) as MetadataJson;

const PLUS = 43;
const ZERO = 48;
const ANY_DIGIT = 0b11_1111_1111;

/**
 * Whether libphonenumber finds the number possible (its length exists in its country) and formats it in the same way. Possible
 * is enough: numbering plans change faster than the library's list of valid numbers.
 */
export function isE164(text: string): boolean {
  return !Number.isNaN(e164Digits(text));
}

/**
 * The library takes about 8 µs for a number. So a table made from its data decides the clear cases, and only the others go to
 * the library; a test holds the two together.
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
  return isClearlyPossible(text, start, end) || isE164ToLibrary(text.slice(start, end)) ? digits : Number.NaN;
}

function isE164ToLibrary(text: string): boolean {
  const parsed = parsePhoneNumberFromString(text, metadata);
  return parsed !== undefined && parsed.number === text && parsed.isPossible();
}

/** `+` and 7 to 15 digits. Stored numbers have this form even when newer data no longer finds them possible. */
export const PHONE_FORM = /^\+[1-9]\d{6,14}$/;

/** The number that a phone in the country reaches when it dials `text`, as digits; NaN unless it is possible. */
export function dialledDigits(text: string, country: Country): number {
  const parsed = parsePhoneNumberFromString(text, country.name as CountryCode, metadata);
  return parsed ? e164Digits(parsed.number) : Number.NaN;
}

export interface Country {
  /** ISO 3166-1, two letters. */
  name: string;
  callingCode: string;
}

/** The main country of each calling code: countries that share a calling code share their dialing rules. */
export function listCountries(): Country[] {
  return Object.entries(namesByCode).map(([callingCode, [name = ""]]) => ({ name, callingCode }));
}

/** The main country of the calling code of a number; undefined unless the number is in E.164 form. */
export function countryOf(e164: string): Country | undefined {
  if (!isE164(e164)) return undefined;
  const callingCode = String(parsePhoneNumberFromString(e164, metadata)?.countryCallingCode);
  const [name] = namesByCode[callingCode] ?? [];
  return name === undefined ? undefined : { name, callingCode };
}

/** A known calling code, a length that exists in all of its countries, and no national prefix that the library would remove. */
function isClearlyPossible(text: string, start: number, end: number): boolean {
  let callingCode = 0;
  for (let national = start + 2; national <= start + 4 && national < end; national++) {
    callingCode = callingCode * 10 + text.charCodeAt(national - 1) - ZERO;
    const plan = planOf(callingCode);
    if (plan === null) continue;
    if ((plan.lengths & (1 << (end - national))) === 0) return false;
    if ((plan.prefixStarts & (1 << (text.charCodeAt(national) - ZERO))) === 0) return true;
    return !plan.prefix.test(text.slice(national, end));
  }
  return false;
}

/** The rules that all countries of a calling code share. */
interface Plan {
  /** Bit n: a national number may have n digits. */
  lengths: number;
  /** Matches a national number that begins with the national prefix of any of the countries. */
  prefix: RegExp;
  /** Bit d: such a prefix may begin with digit d. */
  prefixStarts: number;
}

/**
 * A country's entry in the library's data, by position:
 * https://gitlab.com/catamphetamine/libphonenumber-js/-/blob/master/METADATA.md
 */
type Numbering = { 3?: number[] | 0; 5?: string | 0; 7?: string | 0 };

const namesByCode = metadata.country_calling_codes as Record<string, string[]>;
const countries = metadata.countries as unknown as Record<string, Numbering>;

/** By calling code, made on first use; null when no country has the code. */
const plans: (Plan | null | undefined)[] = [];

function planOf(callingCode: number): Plan | null {
  const known = plans[callingCode];
  if (known !== undefined) return known;
  const plan = toPlan((namesByCode[callingCode] ?? []).map((name) => countries[name] ?? {}));
  plans[callingCode] = plan;
  return plan;
}

function toPlan(users: Numbering[]): Plan | null {
  if (users.length === 0) return null;
  const toBits = ({ 3: lengths }: Numbering) => (lengths || []).reduce((bits, length) => bits | (1 << length), 0);
  const lengths = users.map(toBits).reduce((all, own) => all & own);
  const prefixes = users.flatMap(
    ({ 5: prefix, 7: forParsing }) => withoutLengths(forParsing || prefix || "", lengths) || [],
  );
  const source = [...new Set(prefixes)].join("|");
  return { lengths, prefix: new RegExp(source === "" ? "(?!)" : `^(?:${source})`), prefixStarts: startsOf(source) };
}

/**
 * Some prefix patterns also match whole local numbers, which are dialed without an area code: `([2-9]\d{6})$|1`. That alternative
 * is removed, unless a national number may have its length.
 */
function withoutLengths(prefix: string, lengths: number): string {
  const [whole, digits] = /^\((?:\d|\[[-\d]+\])\\d\{(\d+)\}\)\$\|?/.exec(prefix) ?? ["", "0"];
  return (lengths & (1 << (Number(digits) + 1))) === 0 ? prefix.slice(whole.length) : prefix;
}

/**
 * The digits with which a match of a pattern may begin, or a superset of them: the first atoms of the pattern, of its alternatives
 * and groups, and the atoms after an optional group. Any digit, when the pattern is too complex for that.
 */
function startsOf(source: string): number {
  if (/(?:^|[|(]|\(\?:)(?:\d|\\d|\[[^\]]*\])(?:[?*]|\{0)|\)(?:\*|\{0)|[.^]/.test(source)) return ANY_DIGIT;
  let starts = 0;
  for (const [, atom = ""] of source.matchAll(/(?:^|[|(]|\(\?:|\)\?)(\d|\\d|\[[-\d]+\])/g)) {
    const first = new RegExp(`^${atom}`);
    for (let digit = 0; digit <= 9; digit++) if (first.test(String(digit))) starts |= 1 << digit;
  }
  return starts;
}

/** The calling code with which a number begins, and the lengths of numbers in its main country, ascending; undefined: no country has it. */
export function callingCodeOf(e164: string): { callingCode: string; lengths: number[] } | undefined {
  for (let end = 2; end <= 4; end++) {
    const callingCode = e164.slice(1, end);
    const [name] = namesByCode[callingCode] ?? [];
    if (name !== undefined) return { callingCode, lengths: countries[name]?.[3] || [] };
  }
  return undefined;
}

/** The number that is left when the national prefix is removed, with which numbers are dialed at home; undefined: it has none. */
export function nationalPrefixRemoved(e164: string): string | undefined {
  const number = parsePhoneNumberFromString(e164, metadata)?.number;
  return number !== undefined && number !== e164 && isE164(number) ? number : undefined;
}

/** `+12125550100` becomes 12125550100. E.164 has at most 15 digits and no leading zero, so a number holds it exactly. */
export function toDigits(e164: string): number {
  return Number(e164.slice(1));
}

export function toE164(digits: number): string {
  return `+${digits}`;
}
