import { afterEach, expect, it, vi } from "vitest";
import { findings, outage } from "./outages.ts";
import { Stage } from "./stage.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

it("a store that is away from the claim of a message on, for a minute: the message goes out afterwards, once", async () => {
  const stage = await Stage.create(1);
  const scene = stage.scene("an outage");
  await scene.send();
  await outage(stage, { minutes: 1, nth: 2, when: "after" }, () => stage.runQueues("messages"));
  expect(await findings(stage, scene)).toEqual([]);
  expect(stage.outside.submitted).toHaveLength(1);
});
