import { afterEach, describe, inject, it, vi } from "vitest";
import { expectNothingLost } from "./judged-schedule.ts";

const STEPS = 120;
/** FAULT_FROM_SEED repeats a run: the seeds go on from it. */
const SEEDS = Array.from({ length: inject("faultSeeds") }, (_, index) => inject("faultFromSeed") + index);

afterEach(() => {
  vi.restoreAllMocks();
});

describe("jobs that come twice, out of order, hours late or never, and receipts at any time", () => {
  it.each(SEEDS)("lose nothing and send nothing twice: seed %d", (seed) => expectNothingLost(seed, false, STEPS));

  it.each(SEEDS)("nor while bindings fail at random: seed %d", (seed) => expectNothingLost(seed, true, STEPS));
});
