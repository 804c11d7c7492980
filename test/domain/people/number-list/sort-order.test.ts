import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sortOrder } from "../../../../src/domain/people/number-list/sort-order.ts";

const byComparison = (values: number[]) =>
  values
    .map((value, index) => ({ value, index }))
    .sort((a, b) => a.value - b.value || a.index - b.index)
    .map(({ index }) => index);

describe("the order of numbers", () => {
  const digits = fc.oneof(
    fc.maxSafeNat().filter((value) => value < 2 ** 52),
    fc.nat(),
    fc.nat(20),
  );

  it("is that of a sort by comparison, in which the first of equal ones comes first", () => {
    fc.assert(
      fc.property(fc.array(digits, { maxLength: 300 }), fc.constantFrom(1, 20), (values, times) => {
        const many = Array.from({ length: times }, () => values).flat();
        expect(Array.from(sortOrder(Float64Array.from(many)))).toEqual(byComparison(many));
      }),
    );
  });

  it("is that of a sort by comparison for 50,000", () => {
    const values = Array.from({ length: 50_000 }, (_, index) => (index * 7_368_787_919) % 999_999_999_999_999);
    expect(Array.from(sortOrder(Float64Array.from(values)))).toEqual(byComparison(values));
  });
});
