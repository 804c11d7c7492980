import { afterEach, expect } from "vitest";
import { takeUsedPlans } from "./plans.ts";
import { platform } from "./platform.ts";

afterEach(({ task }) => {
  task.meta.plans = takeUsedPlans();
  expect(platform.takeRefusals(), "what Cloudflare would have refused").toEqual([]);
});
