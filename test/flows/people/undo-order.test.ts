import { expect, it } from "vitest";
import { play } from "./undo-order-stage.ts";

it("whatever is said, an undo takes back its import and nothing else", async () => {
  const { restored, changedSince, kept } = await play(2, 20);
  expect(Math.min(restored, changedSince, kept)).toBeGreaterThan(0);
});
