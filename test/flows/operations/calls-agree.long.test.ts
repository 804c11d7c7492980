import { expect, inject, it } from "vitest";
import { expectAgree } from "./calls-agree-stage.ts";

/** A trial has more than one. */
const SEEDS = Array.from({ length: inject("faultSeeds") }, (_, index) => inject("faultFromSeed") + index);

it.each(SEEDS)("the calls agree with one another (seed %i)", async (seed) => {
  const happened = await expectAgree(seed, { steps: 120, every: 8, erasures: 6 });
  expect(happened.size).toBe(9);
});
