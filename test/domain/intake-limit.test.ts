import { expect, it } from "vitest";
import { IntakeLimit } from "../../src/domain/intake-limit.ts";

const MANY = 100;

/** Begins as many as may be under way at a time, or `most`, and ends them. @returns how many */
function round(
  limit: IntakeLimit,
  beganAt: number,
  took: number,
  outcome: "done" | "refused" | "failed",
  most = MANY,
): number {
  let begun = 0;
  while (begun < most && limit.begin()) begun += 1;
  for (let ended = 0; ended < begun; ended++) limit.end(beganAt, beganAt + took, outcome);
  return begun;
}

it("is none while the store refuses nothing, however slow it is, or while it is away", () => {
  const limit = new IntakeLimit();
  for (const took of [5, 5000, 5]) expect(round(limit, 0, took, "done")).toBe(MANY);
  expect(round(limit, 10_000, 5, "failed")).toBe(MANY);
  expect(round(limit, 20_000, 5, "done")).toBe(MANY);
});

it("is half of what was under way when the store refused some of it, down to one", () => {
  const limit = new IntakeLimit();
  expect(round(limit, 0, 1, "refused", 40)).toBe(40);
  expect([1, 2, 3, 4, 5, 6].map((at) => round(limit, at * 100, 1, "refused"))).toEqual([20, 10, 5, 2, 1, 1]);
});

it("is halved again while more than half of the store's queue waits, and grows by one a round otherwise", () => {
  const limit = new IntakeLimit();
  round(limit, 0, 10, "done", 1);
  round(limit, 0, 1000, "done", 1);
  round(limit, 2000, 1, "refused", 8);
  expect(round(limit, 3000, 506, "done")).toBe(4);
  expect([4000, 5000, 6000].map((at) => round(limit, at, 100, "done"))).toEqual([2, 2, 3]);
});

it("is none again after 30 seconds in which it was not halved", () => {
  const limit = new IntakeLimit();
  round(limit, 0, 1, "refused", 8);
  expect(round(limit, 31_000, 1, "done")).toBe(4);
  expect(round(limit, 32_000, 1, "done")).toBe(MANY);
});
