import fc from "fast-check";
import { expect, it } from "vitest";
import { otherForm } from "../../../src/domain/people/two-form-numbers.ts";

it.each([
  ["Mexico", "525512345678", "5215512345678"],
  ["Argentina", "541123456789", "5491123456789"],
  ["Argentina, a long area code", "542966123456", "5492966123456"],
  ["Brazil", "551187654321", "5511987654321"],
  ["Benin", "22997123456", "2290197123456"],
  ["Ivory Coast, Moov", "22501123456", "2250101123456"],
  ["Ivory Coast, MTN", "22545123456", "2250545123456"],
  ["Ivory Coast, Orange", "22507123456", "2250707123456"],
  ["Ivory Coast, a landline of Orange", "22520212345", "2252720212345"],
  ["Ivory Coast, a landline of MTN", "22520012345", "2252520012345"],
  ["Ivory Coast, a landline of Moov", "22520812345", "2252120812345"],
])("%s: %s and %s are one number", (_, one, other) => {
  expect([otherForm(one), otherForm(other)]).toEqual([other, one]);
});

it.each([
  ["12125550100", "the United States"],
  ["551131234567", "a landline of Brazil"],
  ["55115912345678", "Brazil, too long"],
  ["5415112345678", "Argentina, too long"],
  ["2250745123456", "an Ivorian number of another operator than its digits say"],
  ["229019712345", "Benin, too short"],
])("%s has one form: %s", (digits) => {
  expect(otherForm(digits)).toBe(undefined);
});

it("the other form of the other form is the number itself", () => {
  const number = fc
    .tuple(
      fc.constantFrom("52", "521", "54", "549", "55", "229", "22901", "225", "1", "44"),
      fc.stringMatching(/^\d{7,11}$/),
    )
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(number, (digits) => {
      const other = otherForm(digits);
      if (other !== undefined) expect([digits, otherForm(other)]).toEqual([digits, digits]);
    }),
    { numRuns: 1000 },
  );
});
