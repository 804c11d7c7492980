import fc from "fast-check";
import { parsePhoneNumberFromString } from "libphonenumber-js";
import metadata from "libphonenumber-js/min/metadata";
import { describe, expect, it } from "vitest";
import { isE164 } from "../../../src/domain/people/phone.ts";
import { isE164ToLibrary, testDrawnNumbers } from "./drawn-numbers.ts";

/** The position in the data of a country. */
const TYPES = 11;

const library = metadata as unknown as { countries: Record<string, unknown[]> };

const digits = fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 17 });

it("a phone number is E.164 exactly when libphonenumber finds it possible and writes it the same way", () => {
  fc.assert(
    fc.property(digits, (text) => {
      const phone = `+${text}`;
      const parsed = parsePhoneNumberFromString(phone);
      expect(isE164(phone)).toBe(parsed?.isPossible() === true && parsed.number === phone);
    }),
    { numRuns: 1000 },
  );
});

describe("what is taken of the library's data", () => {
  it("agrees with the library on numbers of each country's patterns, whole and cut", () => {
    const seed = Date.now() | 0;
    const disagreements: string[] = [];
    for (const country of Object.values(library.countries)) {
      const [code = "", , pattern] = country.map(String);
      const types = ((country[TYPES] || []) as ([string] | 0)[]).flatMap((type) => (type ? type[0] || [] : []));
      for (const source of [pattern, ...types]) {
        for (const national of fc.sample(fc.stringMatching(new RegExp(`^(?:${source})$`)), { numRuns: 3, seed })) {
          const numbers = [national, national.slice(1), `${national}5`].map((digits) => `+${code}${digits}`);
          disagreements.push(...numbers.filter((phone) => isE164(phone) !== isE164ToLibrary(phone)));
        }
      }
    }
    expect({ seed, disagreements: disagreements.slice(0, 20) }).toEqual({ seed, disagreements: [] });
  });

  testDrawnNumbers(40_000);
});
