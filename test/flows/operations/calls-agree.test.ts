import { expect, it } from "vitest";
import { expectAgree } from "./calls-agree-stage.ts";

it("the calls agree with one another", async () => {
  const happened = await expectAgree(1, { steps: 8, every: 8, erasures: 1 });
  expect(happened.size).toBeGreaterThan(4);
});
