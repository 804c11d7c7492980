import { afterEach, expect, it, vi } from "vitest";
import { mockSockets } from "./carrier-world.ts";
import { expectRebuilt } from "./ledger.ts";

mockSockets();

afterEach(() => {
  vi.restoreAllMocks();
});

it("the ledger rebuilds every subscription, and is only ever added to, whatever comes", async () => {
  expect.hasAssertions();
  await expectRebuilt(3);
});
