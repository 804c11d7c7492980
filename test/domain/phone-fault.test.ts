import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isE164 } from "../../src/domain/phone.ts";
import { explainPhone } from "../../src/domain/phone-fault.ts";

const RULE = "must be an E.164 phone number such as +12125550100: ";

describe("what is no phone number", () => {
  it.each([
    ["12125550100", "it has no plus sign: begin with a plus sign and the country code"],
    ["(212) 555-0100", "it has no plus sign: begin with a plus sign and the country code"],
    ["0012125550100", "it begins with 00: write a plus sign in its place"],
    ["1+2125550100", "the plus sign is not its first character"],
    ["+1 212 555 0100", "it has a space: after the plus sign, write digits only"],
    ["+1-212-555-0100", 'it has "-": after the plus sign, write digits only'],
    ["+1212555010O", "it has a letter: after the plus sign, write digits only"],
    ["+1٣125550100", "it has a digit other than 0 to 9: after the plus sign, write digits only"],
    ["+02125550100", "it has a 0 after the plus sign: no country code begins with 0"],
    ["+9990000000", "it begins with no known country code"],
    ["+8001234567", "it is too short: it has 7 digits after +800, where numbers have 8"],
    ["+1212555010", "it is too short: it has 9 digits after +1, where numbers have 10"],
    ["+121255501000", "it is too long: it has 11 digits after +1, where numbers have 10"],
    ["+4402079460958", "it has a national prefix after +44: without it, it is +442079460958"],
    ["+112125550100", "it has a national prefix after +1: without it, it is +12125550100"],
    ["1.2125550100E+10", "it is in scientific notation: format the column of the spreadsheet as text"],
    ["ada", "it has no digits"],
    ["{{ person.phone }}", "it has no digits"],
  ])("%s: %s", (text, message) => {
    expect(explainPhone(text)).toBe(RULE + message);
  });

  it("is explained for any text", () => {
    const unit = fc.constantFrom(..."+0123456789 -e");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 18 }), (text) => {
        fc.pre(!isE164(text));
        expect(explainPhone(text)).toMatch(/: (it|no|the) [^+]/);
        const [, better] = /it is (\+\d+)$/.exec(explainPhone(text)) ?? [];
        if (better) expect(isE164(better)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });
});
