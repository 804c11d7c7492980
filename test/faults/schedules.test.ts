import { afterEach, expect, it, vi } from "vitest";
import { expectNothingLost } from "./judged-schedule.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

it.each([
  ["while all works", false],
  ["while bindings fail at random", true],
])(
  "a few jobs that come twice, out of order, late or never lose nothing and send nothing twice, %s",
  async (_, isStormy) => {
    expect.hasAssertions();
    await expectNothingLost(1, isStormy, 8);
  },
);
