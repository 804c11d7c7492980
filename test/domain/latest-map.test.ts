import { expect, it } from "vitest";
import { LatestMap } from "../../src/domain/latest-map.ts";

it("a map of the latest entries drops the one that was set the longest ago, and none when it sets one anew", () => {
  const map = new LatestMap<string, number>(2);
  map.set("a", 1).set("b", 2).set("a", 3);
  expect([...map]).toEqual([
    ["b", 2],
    ["a", 3],
  ]);
  map.set("c", 4);
  expect([...map]).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
});
