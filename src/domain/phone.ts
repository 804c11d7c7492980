// Pure. Phone numbers: E.164 text at the edges, whole numbers inside.
import { parsePhoneNumberFromString } from "libphonenumber-js";
import metadata from "libphonenumber-js/min/metadata";

const E164_SHAPE = /^\+[1-9]\d{1,14}$/;

/**
 * Whether `text` is a phone number in E.164 form: libphonenumber finds it possible (a length that its country has) and
 * writes it in the same way. Possible, not "valid": numbering plans change faster than the library's data.
 *
 * The library takes about 8 µs for each, so what its own data leaves no doubt about is decided by a table.
 */
export function isE164(text: string): boolean {
  return E164_SHAPE.test(text) && (isBeyondDoubt(text) || isE164ToLibrary(text));
}

export function isE164ToLibrary(text: string): boolean {
  const parsed = parsePhoneNumberFromString(text);
  return parsed !== undefined && parsed.number === text && parsed.isPossible();
}

/** A known calling code, a length that all of its countries have, and no national prefix that would be taken away. */
function isBeyondDoubt(text: string): boolean {
  for (let digits = 1; digits <= 3; digits++) {
    const plan = plans.get(text.slice(1, 1 + digits));
    if (plan === undefined) continue;
    const start = 1 + digits;
    if ((plan.lengths & (1 << (text.length - start))) === 0) return false;
    if (plan.prefix === null) return true;
    plan.prefix.lastIndex = start;
    return !plan.prefix.test(text);
  }
  return false;
}

/** What all countries of a calling code have in common. */
interface Plan {
  /** Bit n is set when a national number may have n digits. */
  lengths: number;
  /** Matches, where it is set to look (sticky), what any of the countries would take for a national prefix. */
  prefix: RegExp | null;
}

/**
 * A country's entry in the library's data, by position:
 * https://gitlab.com/catamphetamine/libphonenumber-js/-/blob/master/METADATA.md
 */
type Country = { 3?: number[] | 0; 5?: string | 0; 7?: string | 0 };

const plans = new Map(
  Object.entries(metadata.country_calling_codes as Record<string, string[]>).map(([callingCode, names]) => [
    callingCode,
    toPlan(names.map((name) => (metadata.countries as unknown as Record<string, Country>)[name] ?? {})),
  ]),
);

function toPlan(countries: Country[]): Plan {
  const toBits = ({ 3: lengths }: Country) => (lengths || []).reduce((bits, length) => bits | (1 << length), 0);
  const prefixes = countries.flatMap(({ 5: prefix, 7: prefixForParsing }) => prefixForParsing || prefix || []);
  return {
    lengths: countries.map(toBits).reduce((all, own) => all & own),
    prefix: prefixes.length === 0 ? null : new RegExp(`(?:${prefixes.join("|")})`, "y"),
  };
}

/** `+12125550100` as 12125550100. E.164 has at most 15 digits and no leading zero, so a number holds it exactly. */
export function toDigits(e164: string): number {
  return Number(e164.slice(1));
}

export function toE164(digits: number): string {
  return `+${digits}`;
}
