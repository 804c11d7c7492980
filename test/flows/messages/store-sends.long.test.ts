import { it } from "vitest";
import { SendsStage } from "./store-sends-stage.ts";

it("sends of one group have the outcomes that they have one after another, whatever they are", async () => {
  await (await SendsStage.begin()).expectSameInGroup(60);
});
