import { AsyncLocalStorage } from "node:async_hooks";
import { vi } from "vitest";
import { limits } from "../src/platform/time-limit.ts";

const ours = new AsyncLocalStorage<true>();

/**
 * Puts another clock in place of that of time limits, for the calls that begin within the returned function. Test files share an
 * isolate: what earlier files have left running sets time limits, too, and keeps the clock that it had.
 */
export function mockOwnLimits(start: typeof limits.start): <T>(work: () => T) => T {
  const others = limits.start;
  vi.spyOn(limits, "start").mockImplementation((milliseconds, onOver) =>
    (ours.getStore() ? start : others)(milliseconds, onOver),
  );
  return (work) => ours.run(true, work);
}
