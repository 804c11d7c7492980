import { afterEach, expect, it, vi } from "vitest";
import { mockSockets } from "./carrier-world.ts";
import { expectFirstFinal } from "./receipts-order.ts";

mockSockets();

afterEach(() => {
  vi.restoreAllMocks();
});

it("many orders and repetitions of {answer, sent, delivered, failed} end in the first final status, with one event a status, none of which goes back", async () => {
  expect.hasAssertions();
  await expectFirstFinal(60);
});
