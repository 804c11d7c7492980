import { expect, it } from "vitest";
import { play } from "./decision-stage.ts";

it("a part does to its numbers what the rules say, also when it is tried again", async () => {
  const { rows } = await play(1, 12);
  expect(rows).toBeGreaterThan(10);
});
