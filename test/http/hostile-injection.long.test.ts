import { expect, it } from "vitest";
import { expectPlainLocations } from "./drawn-links.ts";

it("the Location of a link is visible ASCII, and leads where the URL leads", async () => {
  expect.hasAssertions();
  await expectPlainLocations(75);
});
