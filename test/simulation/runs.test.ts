import { afterEach, expect, it, vi } from "vitest";
import { expectOnTime } from "./runs.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

it("12 texts of a bulk request hold up no single text of another website", async () => {
  expect.hasAssertions();
  await expectOnTime(12, 1);
});
