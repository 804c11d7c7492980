import { afterEach, expect } from "vitest";
import { takeUsedPlans } from "./plans.ts";
import { platform } from "./platform.ts";

afterEach(({ task }) => {
  task.meta.plans = takeUsedPlans();
  task.meta.refusals = platform.takeRefusals();
  expect(task.meta.refusals, "what Cloudflare would have refused").toEqual([]);
});
