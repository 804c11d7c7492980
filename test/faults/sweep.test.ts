import { afterEach, expect, it, vi } from "vitest";
import { Stage } from "./stage.ts";
import { compare, play } from "./swept.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

it("a sweep one of whose calls fails sets right what was left behind, if not this minute, then one of the next fifteen", async () => {
  const stage = await Stage.create(20);
  const scene = await play(stage, { nth: 7, when: "after", lasts: "on its binding" });
  expect(scene.injector.calls.length).toBeGreaterThanOrEqual(7);
  expect((await compare(stage, scene)).violations).toEqual([]);
});
