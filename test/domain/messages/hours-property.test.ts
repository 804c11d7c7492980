import { describe, it } from "vitest";
import { CLOCK_CHANGES, compare, HOUR, STRICT, testDrawnInstants } from "./drawn-hours.ts";
import { CANDIDATES } from "./hours-oracle.ts";

describe("no instant is open that the clock of any place closes, and the next opening is the first minute that all share", () => {
  testDrawnInstants(80, 60);

  it.each(Object.entries(CANDIDATES))("by us-strict, at each clock change: %s", (beginning, candidates) => {
    for (const day of CLOCK_CHANGES.slice(0, 8))
      compare(STRICT, { phone: `${beginning}5550123`, candidates }, day - 3 * HOUR);
  });
});
