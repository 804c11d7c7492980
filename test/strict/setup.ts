import { afterAll, afterEach, expect, vi } from "vitest";
import { takeUsedPlans } from "./plans.ts";
import { platform } from "./platform.ts";

afterEach(({ task }) => {
  task.meta.plans = takeUsedPlans();
  task.meta.refusals = platform.takeRefusals();
  expect(task.meta.refusals, "what Cloudflare would have refused").toEqual([]);
});

// Files share an isolate: what one has replaced, and how often that was called, would be there for the next.
afterAll(() => {
  vi.restoreAllMocks();
});
