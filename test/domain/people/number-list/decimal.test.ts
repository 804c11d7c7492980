import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MOST_DIGITS, writeDecimal } from "../../../../src/domain/people/number-list/decimal.ts";

describe("a number as decimal bytes", () => {
  const written = (value: number) => {
    const bytes = new Uint8Array(2 + MOST_DIGITS);
    const end = writeDecimal(bytes, 1, value);
    return new TextDecoder().decode(bytes.subarray(1, end));
  };

  it("is what the language writes, and begins where it is told to", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MOST_DIGITS }), fc.maxSafeInteger(), (digits, seed) => {
        const value = Math.abs(seed) % 10 ** digits;
        expect(written(value)).toBe(String(value));
      }),
      { numRuns: 1000 },
    );
  });

  it.each([0, 9, 10, 99_999_999, 100_000_000, 100_000_001, 999_999_999_999_999])("%d", (value) => {
    expect(written(value)).toBe(String(value));
  });
});
