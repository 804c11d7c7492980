import fc from "fast-check";
import Package from "grapheme-splitter";
import { describe, expect, it } from "vitest";
import GraphemeSplitter from "../../src/domain/grapheme-splitter.ts";
import { countByPackage, countSegments } from "../../src/domain/segments.ts";

describe("the count of segments", () => {
  it("is the package's, for any text", () => {
    const character = fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom(..."aZ09 .,'\n\r@£éÄ§Ωß") },
      { weight: 1, arbitrary: fc.constantFrom(..."^{}[~]|€\\\f", "ê", "👍", "👩‍👩‍👧", "\u0000", "`", "’") },
      { weight: 1, arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 1 }) },
    );
    const text = fc.oneof(
      fc.array(character, { minLength: 1, maxLength: 200 }),
      fc.array(fc.constantFrom(..."aé\n€"), { minLength: 150, maxLength: 320 }),
      fc.array(fc.constantFrom(..."aé\n"), { minLength: 150, maxLength: 320 }),
    );
    fc.assert(
      fc.property(text, (characters) => {
        const written = characters.join("");
        expect(countSegments(written)).toEqual(countByPackage(written));
      }),
      { numRuns: 300 },
    );
  });

  it("takes texts apart where the package does that it stands for, emoji and accents included", () => {
    const part = fc.constantFrom(
      ..."aé\n\r€ñ",
      "e\u0301",
      "👍",
      "👍🏽",
      "🇩🇪",
      "👩‍👩‍👧",
      "❤️",
      "한",
      "ก",
      "नि",
      "\u0000",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        const text = parts.join("");
        expect(new GraphemeSplitter().splitGraphemes(text)).toEqual(new Package().splitGraphemes(text));
      }),
    );
  });
});
