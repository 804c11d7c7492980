import { afterEach, expect, inject, it, vi } from "vitest";
import { expectOnTime } from "./runs.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** A trial of some minutes has more texts. */
const COUNTS = inject("faultSeeds") > 1 ? [600, 20_000] : [600];

it.each(COUNTS)(
  "%d texts of a bulk request hold up no single text of another website, be new versions deployed meanwhile, and each is submitted once",
  async (count) => {
    expect.hasAssertions();
    await expectOnTime(count, 12);
  },
  600_000,
);
