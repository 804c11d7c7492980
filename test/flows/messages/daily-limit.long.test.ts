import { it } from "vitest";
import { DailyLimitStage } from "./daily-limit-stage.ts";

it("no 24 hours have more texts than the daily limit, and none is refused that has room by the minute, whatever is sent, whenever", async () => {
  await (await DailyLimitStage.begin()).expectLimited(25);
});
