import { describe, expect, it } from "vitest";
import { countSegments } from "../../../src/domain/messages/segments.ts";
import { countByPackage, testDrawnTexts } from "./drawn-segments.ts";

describe("the count of segments", () => {
  testDrawnTexts(150);

  it.each([
    ["families of emoji, of 8 units each", "👩‍👩‍👧".repeat(25), 3, 4],
    ["flags, of 4 units each", "🇩🇪".repeat(33), 2, 3],
    ["letters with two accents, of 3 units each", "e\u0301\u0323".repeat(67), 3, 4],
    [
      "a letter with 300 accents, which the package puts whole after an empty segment",
      `e${"\u0301".repeat(300)}`,
      5,
      2,
    ],
  ])("differs from the package's for %s", (_, text, segments, byPackage) => {
    expect(countSegments(text)).toEqual({ encoding: "UCS-2", segments });
    expect(countByPackage(text)).toEqual({ encoding: "UCS-2", segments: byPackage });
  });

  it.each([
    ["an emoji", `${"x".repeat(149)}👍`],
    ["a euro sign", `${"x".repeat(149)}€`],
    ["Arabic letters", "ش".repeat(150)],
  ])("of a text with %s takes a fiftieth of the package's time at most", (_, text) => {
    const milliseconds = (count: (text: string) => unknown, times: number) => {
      const started = performance.now();
      for (let time = 0; time < times; time++) count(text);
      return (performance.now() - started) / times;
    };
    const fastest = (count: (text: string) => unknown, times: number) =>
      Math.min(...Array.from({ length: 5 }, () => milliseconds(count, times)));
    const byPackage = fastest(countByPackage, 20);
    expect(byPackage).toBeGreaterThan(0);
    expect(fastest(countSegments, 1000)).toBeLessThan(byPackage / 50);
  });
});
