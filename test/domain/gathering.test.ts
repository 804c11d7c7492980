import { expect, it } from "vitest";
import { Gathering } from "../../src/domain/gathering.ts";

it("has one of those that come together lead", () => {
  const gathering = new Gathering<string>();
  expect([gathering.add("a", 0), gathering.add("b", 1), gathering.add("c", 9)]).toEqual([true, false, false]);
  expect(gathering.take()).toEqual(["a", "b", "c"]);
  expect(gathering.take()).toEqual([]);
  expect(gathering.add("d", 10)).toBe(true);
});

it("has another lead when the first was cut off, and loses nothing", () => {
  const gathering = new Gathering<string>();
  gathering.add("a", 0);
  expect([gathering.add("b", 1000), gathering.add("c", 1001), gathering.add("d", 1002)]).toEqual([false, true, false]);
  expect(gathering.take()).toEqual(["a", "b", "c", "d"]);
});
