import { expect, it } from "vitest";
import { play } from "./undo-order-stage.ts";

it("whatever is said, an undo takes back its import and nothing else", async () => {
  const total = { restored: 0, changedSince: 0, kept: 0 };
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const { restored, changedSince, kept } = await play(seed);
    total.restored += restored;
    total.changedSince += changedSince;
    total.kept += kept;
  }
  expect(total.restored).toBeGreaterThan(30);
  expect(total.changedSince).toBeGreaterThan(15);
  expect(total.kept).toBeGreaterThan(30);
});
