import { it } from "vitest";
import { DailyLimitStage } from "./daily-limit-stage.ts";

it("a bulk request of several parts, with a key that is stored, is answered beyond the limit, and that its key is of another body", async () => {
  await (await DailyLimitStage.begin()).expectKeyAnswered(600, 100);
});
