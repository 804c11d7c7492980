import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isE164, toDigits, toE164 } from "../../../src/domain/people/phone.ts";

describe("a phone number", () => {
  it.each(["+12125550100", "+11234567890", "+447911123456", "+4915112345678", "+6591234567"])(
    "%s is E.164",
    (phone) => {
      expect(isE164(phone)).toBe(true);
    },
  );

  it.each([
    ["", "empty"],
    ["12125550100", "the plus sign is missing"],
    ["+1 212 555 0100", "spaces"],
    ["+1-212-555-0100", "hyphens"],
    ["(212) 555-0100", "national"],
    ["+1212555010", "a digit too few"],
    ["+121255501000", "a digit too many"],
    ["1.2E+10", "what a spreadsheet makes of a number"],
    ["+0123456789", "no calling code begins with 0"],
    ["+9991234567", "no such calling code"],
    ["+1234567890123456", "more than 15 digits"],
    ["+42108618049", "a national prefix is left in"],
    ["+１２１２５５５０１００", "other digits than 0-9"],
    ["+12125550100 ", "a space at the end"],
    ["+12125550100\n", "a line break at the end"],
    ["+12125550100;ext=1", "an extension"],
  ])("%j is not: %s", (phone) => {
    expect(isE164(phone)).toBe(false);
  });

  it("comes back from its digits unchanged", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999_999_999_999 }), (number) => {
        expect(toDigits(toE164(number))).toBe(number);
      }),
    );
  });
});
