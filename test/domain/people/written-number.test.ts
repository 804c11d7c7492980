import fc from "fast-check";
import examples from "libphonenumber-js/examples.mobile.json" with { type: "json" };
import { getCountryCallingCode } from "libphonenumber-js/min";
import metadata from "libphonenumber-js/min/metadata";
import { describe, expect, it } from "vitest";
import { type CountryCode, findCountries, readNumber } from "../../../src/domain/people/written-number.ts";

/** By country: a number, how people and gateways write it, and what stands before it at home; all by hand. */
const WRITTEN: [country: CountryCode, e164: string, forms: string[]][] = [
  [
    "US",
    "+12125550100",
    ["2125550100", "(212) 555-0100", "1-212-555-0100", "1 (212) 555.0100", "0012125550100", "011 1 212 555 0100"],
  ],
  ["CA", "+14165550123", ["4165550123", "+1 416 555 0123", "14165550123", "01114165550123"]],
  [
    "GB",
    "+447700900123",
    ["07700900123", "7700900123", "+44 (0) 7700 900123", "+44(0)7700900123", "+4407700900123", "4407700900123"],
  ],
  [
    "GB",
    "+447700900124",
    ["004407700900124", "00447700900124", "011447700900124", "00 44 (0)7700 900 124", "+07700900124", "07700-900-124"],
  ],
  [
    "DE",
    "+4915112345678",
    ["015112345678", "0151 / 12345678", "+49 (0)151 12345678", "004915112345678", "4915112345678"],
  ],
  ["FR", "+33612345678", ["0612345678", "06 12 34 56 78", "06.12.34.56.78", "+33 (0)6 12 34 56 78", "33612345678"]],
  ["IT", "+393471234567", ["3471234567", "+39 347 1234567", "00393471234567", "+39 (0)347 1234567"]],
  ["IT", "+390612345678", ["0612345678", "+39 06 12345678", "00390612345678"]],
  ["ES", "+34612345678", ["612345678", "+34 (0) 612 345 678", "0034612345678"]],
  ["RU", "+79123456789", ["89123456789", "8 (912) 345-67-89", "9123456789", "79123456789", "+7 912 345-67-89"]],
  ["HU", "+36201234567", ["06201234567", "06 20 123 4567", "+36 20 123 4567", "+36 (06) 20 123 4567"]],
  ["AU", "+61412345678", ["0412345678", "+61 (0)412 345 678", "001161412345678", "61412345678"]],
  ["JP", "+819012345678", ["09012345678", "090-1234-5678", "010819012345678", "+81 (0)90 1234 5678"]],
  ["IN", "+919876543210", ["09876543210", "9876543210", "+91-98765-43210", "919876543210"]],
  ["BR", "+5511987654321", ["011987654321", "11987654321", "0 15 11 98765-4321", "+55 (11) 98765-4321"]],
  ["MX", "+525512345678", ["+5215512345678", "5215512345678", "005215512345678", "+52 1 55 1234 5678", "5512345678"]],
  ["AR", "+5491123456789", ["+54 9 11 2345-6789", "011 15 2345-6789", "+54 11 15 2345 6789", "+54 (0)11 15 2345-6789"]],
  ["BJ", "+2290197123456", ["+22997123456", "97123456", "0197123456", "0022997123456"]],
  ["CI", "+2250712345678", ["0712345678", "+225 07 12 34 56 78", "2250712345678"]],
  ["CI", "+2250747123456", ["+22547123456", "47123456", "0022547123456"]],
  ["SE", "+46701234567", ["0701234567", "070-123 45 67", "+46 (0)70-123 45 67"]],
  ["AE", "+971501234567", ["0501234567", "+971 (0) 50 123 4567", "00971501234567"]],
  ["BS", "+12423591234", ["3591234", "2423591234", "12423591234"]],
];

describe("a number", () => {
  it.each(WRITTEN)("of %s, %s, is read in each form: %j", (country, e164, forms) => {
    for (const form of [e164, ...forms]) {
      const [likeliest] = readNumber(form, [country]).flatMap(({ assumed }) => assumed ?? []);
      expect([form, `+${likeliest}`]).toEqual([form, e164]);
    }
  });

  it.each<[given: string, homes: CountryCode[], assumed: (number | null)[]]>([
    // Both may be meant: at home first, unless it begins with the code of the country itself.
    ["3615550100", ["US"], [13615550100, 3615550100]],
    ["4915112345678", ["DE"], [4915112345678, 494915112345678]],
    ["447911123456", ["US"], [447911123456]],
    // A country for each sender of the carrier.
    ["07700900123", ["US", "GB"], [447700900123]],
    ["+12125550100", [], [12125550100]],
    ["12125550100", [], [12125550100]],
    // Nobody's phone: a short code, a name, too many digits.
    ["68849", ["US"], []],
    ["+12345", ["US"], []],
    ["Brand", ["US"], []],
    ["whatsapp:+12125550100", ["US"], []],
    ["", ["US"], []],
    ["00", ["US"], []],
    ["+1212555010012345", ["US"], []],
  ])("%j, where %j are at home, may be %j", (given, homes, assumed) => {
    expect(readNumber(given, homes).flatMap((reading) => reading.assumed ?? [])).toEqual(assumed);
  });

  it.each(["+999123456789", "00999123456789", "999123456789"])(
    "%s, which no country has, counts as it stands where somebody has stored it",
    (given) => {
      const readings = readNumber(given, ["US"]);
      expect(readings.map(({ assumed }) => assumed).filter((assumed) => assumed !== null)).toEqual([]);
      expect(readings.flatMap(({ forms }) => forms)).toContain(999123456789);
    },
  );

  it("of as few digits as a short code counts where somebody has stored it", () => {
    expect(readNumber("68849", ["DE"])).toEqual([{ forms: [4968849], assumed: null }]);
  });

  it("in the national form of a country that is not at home is a guess", () => {
    expect(readNumber("07700900123", ["US"], ["GB", "US"])).toContainEqual({ forms: [447700900123], assumed: null });
  });

  /** What these countries dial before a number of another one; by hand. */
  it.each<[CountryCode, string]>([
    ["AU", "0011"],
    ["BR", "0031"],
    ["BR", "0041"],
    ["CO", "009"],
    ["HK", "001"],
    ["ID", "008"],
    ["KH", "001"],
    ["KR", "002"],
    ["MN", "001"],
    ["NG", "009"],
    ["SG", "001"],
    ["TH", "001"],
    ["TZ", "000"],
  ])("of another country is read as %s dials it, after %s", (home, prefix) => {
    const wrong = Object.entries(examples).filter(([country, national]) => {
      const digits = `${getCountryCallingCode(country as CountryCode)}${national}`;
      return readNumber(prefix + digits, [home]).flatMap(({ assumed }) => assumed ?? [])[0] !== Number(digits);
    });
    expect(wrong).toEqual([]);
  });

  it.each<[given: string, home: CountryCode, assumed: number]>([
    // A gateway that writes 00 before every calling code, in countries that dial 0014, 0031, 006 and 008.
    ["0012125550100", "AU", 12125550100],
    ["0031612345678", "BR", 31612345678],
    ["0066857212345", "TH", 66857212345],
    ["00821012345678", "KR", 821012345678],
  ])("%s, of a gateway in %s that writes 00, is %s", (given, home, assumed) => {
    expect(readNumber(given, [home])[0]?.assumed).toBe(assumed);
  });

  it("with the national prefix left in counts as it stands where somebody has stored it", () => {
    expect(readNumber("+4407700900123", ["GB"])).toEqual([
      { forms: [447700900123, 4407700900123], assumed: 447700900123 },
    ]);
  });
});

describe("a number of any country", () => {
  const COUNTRIES = Object.entries(examples) as [CountryCode, string][];
  /** The example of a country with other digits at its end: as long as it is, it is possible. */
  const number = fc
    .tuple(fc.constantFrom(...COUNTRIES), fc.stringMatching(/^\d\d\d$/))
    .map(([[country, example], end]) => ({
      country,
      code: getCountryCallingCode(country) as string,
      national: example.slice(0, -3) + end,
    }));
  const marks = fc.constantFrom("", " ", "-", ".", " - ", "\u00a0", "\u2011", "\u200e", "\u202a", "/");

  const write = (code: string, national: string, mark: string, before: string) =>
    before + code + mark + national.slice(0, 3) + mark + national.slice(3);

  it("is read back from every international form", () => {
    fc.assert(
      fc.property(
        number,
        marks,
        fc.constantFrom("+", "00", "＋", "+ ", ""),
        ({ country, code, national }, mark, before) => {
          const readings = readNumber(write(code, national, mark, before), before === "" ? [country] : []);
          expect(readings[0]?.assumed).toBe(Number(code + national));
        },
      ),
      { numRuns: 1000 },
    );
  });

  /** What is dialed before a number at home. In Colombia, a 0 begins the code of a carrier. */
  const prefixOf = (country: CountryCode) => {
    const [prefix] =
      (metadata as unknown as { countries: Record<string, unknown[]> }).countries[country]?.slice(5) ?? [];
    return country === "CO" ? "" : String(prefix || "");
  };

  it("is read back with the prefix of calls at home left in", () => {
    const start = fc.constantFrom("+", "00", "");
    fc.assert(
      fc.property(number, start, fc.boolean(), ({ country, code, national }, before, isBracketed) => {
        const prefix = prefixOf(country);
        const written = `${before}${code}${isBracketed && prefix !== "" ? ` (${prefix}) ` : prefix}${national}`;
        const readings = readNumber(written, [country]).flatMap(({ assumed }) => assumed ?? []);
        expect(readings[0]).toBe(Number(code + national));
      }),
      { numRuns: 1000 },
    );
  });

  it("is read back as it is written at home, with and without brackets", () => {
    fc.assert(
      fc.property(number, marks, fc.boolean(), ({ country, code, national }, mark, isBracketed) => {
        const written = isBracketed ? `(${national.slice(0, 2)})${mark}${national.slice(2)}` : national;
        const readings = readNumber(written, [country]);
        expect(readings.flatMap(({ forms }) => forms)).toContain(Number(code + national));
        // A number with fewer digits may be a short code.
        const assumed = readings.flatMap((reading) => reading.assumed ?? []);
        if (national.length >= 7) expect(assumed).toContain(Number(code + national));
      }),
      { numRuns: 1000 },
    );
  });
});

it.each<[sender: string, countries: string[]]>([
  ["+12125550100", ["US"]],
  ["12125550100", ["US"]],
  ["+12423591234", ["BS"]],
  ["+14365550100", ["US"]],
  ["+12735550100", ["CA"]],
  ["+11234567890", ["US"]],
  ["+447700900999", ["GB"]],
  ["68849", []],
  ["Brand", []],
  ["2125550100", []],
  ["MG33333333333333333333333333333333", []],
])("the sender %s is of %j", (sender, countries) => {
  expect(findCountries(sender)).toEqual(countries);
});
