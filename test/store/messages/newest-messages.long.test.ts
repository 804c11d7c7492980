import { expect, it } from "vitest";
import { expectOneList } from "./drawn-lists.ts";

it("the newest messages of all websites are one list over all databases, and each is in it once", async () => {
  expect.hasAssertions();
  await expectOneList(25);
});
