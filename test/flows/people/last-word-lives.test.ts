import fc from "fast-check";
import { it } from "vitest";
import { live, lives } from "./last-word-model.ts";

it("the last word on a number is what the model says, and each START without effect is listed", async () => {
  await fc.assert(fc.asyncProperty(lives, live), { numRuns: 1 });
});
