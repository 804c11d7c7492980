import { describe, expect, it } from "vitest";
import { costOfIdle, expectFound, HOURS, prepare } from "./sweeping.ts";

prepare();

const PENDING = 100_000;

describe("a sweep with nothing to do beside 100,000 pending messages", () => {
  it.each(HOURS)("reads no more: %s", async (_, minutes, costs) => {
    expect(await costOfIdle(PENDING, minutes)).toEqual(costs);
  });
});

describe("a sweep with little to do", () => {
  it("finds them among 100,000, too", async () => {
    expect.hasAssertions();
    await expectFound(PENDING);
  });
});
