import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from "libphonenumber-js";
import { expect, it } from "vitest";
import { isE164 } from "../../../src/domain/people/phone.ts";

/** By the whole library, with its own data, but for E.164's 15 digits: Indonesia has numbers of more. */
export function isE164ToLibrary(text: string): boolean {
  if (text.length > 16) return false;
  const parsed = parsePhoneNumberFromString(text);
  return parsed !== undefined && parsed.number === text && parsed.isPossible();
}

/** A generator of whole numbers below `below` that starts anywhere but always goes the same way (mulberry32). */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below);
  };
}

const CALLING_CODES = [...new Set(getCountries().map((country) => getCountryCallingCode(country)))];

/** A number of a calling code: often with what national prefixes look like, of any length up to 15 digits. */
function structured(next: (below: number) => number): string {
  const code = CALLING_CODES[next(CALLING_CODES.length)] ?? "1";
  const start = ["", "", "", "0", "1", "8", "9", "06", "011", "15", "310", "268", "44"][next(13)] ?? "";
  const length = 2 + next(14 - code.length);
  let national = start;
  while (national.length < length) national += next(10);
  return `+${code}${national}`.slice(0, 16);
}

function anything(next: (below: number) => number): string {
  let digits = "";
  const length = 5 + next(11);
  while (digits.length < length) digits += next(10);
  return `+${digits}`;
}

/** @param numbers how many are drawn */
export function testDrawnNumbers(numbers: number): void {
  it(`agrees with the library on ${numbers} numbers, random and structured, others in each run`, () => {
    const seed = Date.now() | 0;
    const next = random(seed);
    const disagreements: string[] = [];
    let possible = 0;
    for (let count = 0; count < numbers; count++) {
      const phone = count % 4 === 0 ? anything(next) : structured(next);
      const isPossible = isE164(phone);
      if (isPossible) possible += 1;
      if (isPossible !== isE164ToLibrary(phone)) disagreements.push(phone);
    }
    expect({ seed, disagreements: disagreements.slice(0, 20) }).toEqual({ seed, disagreements: [] });
    expect(possible).toBeGreaterThan(numbers / 20);
  });
}
