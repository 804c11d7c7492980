import { expect, it } from "vitest";
import { rankTest } from "./timing-rank.ts";

const from1To = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

it("finds no difference between a sample and itself", () => {
  expect(rankTest(from1To(50), from1To(50))).toEqual({ superiority: 0.5, p: expect.closeTo(1, 6) });
});

it("counts the pairs in which a value is the larger one, ties half", () => {
  expect(rankTest([1, 2, 3], [2]).superiority).toBe(0.5);
  expect(rankTest([4, 5, 6], [1, 2, 3]).superiority).toBe(1);
  expect(rankTest([1, 3], [2, 3]).superiority).toBe(1.5 / 4);
});

it("gives the p of the normal approximation", () => {
  // i + 5.5 is above i + 5 of the 20 values, at most all: U = 295, z = 95 / sqrt(20 · 20 · 41 / 12) = 2.5697.
  const b = from1To(20);
  const a = b.map((value) => value + 5.5);
  expect(rankTest(a, b).superiority * 400).toBeCloseTo(295, 9);
  expect(rankTest(a, b).p).toBeCloseTo(0.01018, 4);
});

it("sees a shift of a tenth of the spread in 3,000 values of each", () => {
  const a = Array.from({ length: 3000 }, (_, index) => (index * 7919) % 3000);
  expect(
    rankTest(
      a,
      a.map((value) => value + 300),
    ).p,
  ).toBeLessThan(1e-6);
});
