// The oracle is a carrier's own package (Twilio). It differs on purpose in one way: it keeps graphemes whole (a flag, a family of
// emoji, a letter with its accents), where TS 23.040 and gateways such as Kannel cut between any two characters of 16 bits.
import fc from "fast-check";
import { SegmentedMessage } from "sms-segments-calculator";
import { describe, expect, it } from "vitest";
import { countSegments } from "../../../src/domain/messages/segments.ts";

function countByPackage(text: string) {
  const { encodingName, segmentsCount } = new SegmentedMessage(text);
  return { encoding: encodingName, segments: segmentsCount };
}

/** The package's own steps, but each code point is a character: only surrogate pairs are kept whole. */
function countCodePointsByPackage(text: string) {
  const message = new SegmentedMessage(text);
  const segments = message._buildSegments(message._encodeChars([...text]));
  return { encoding: message.encodingName, segments: segments.length };
}

const BASIC = [..."aZ09 .,'\n\r@£éÄ§ΩßΔ¿", "\r\n"];
const EXTENSION = [..."^{}[~]|€\\\f"];
const UNITS = [..."êçшش漢`’\u0000\u001b\u00a0\ufeff\uffff", "\ud83d", "\udc4d"];
const PAIRS = ["👍", "𝔸", "😘"];
const CLUSTERS = ["👩‍👩‍👧", "👍🏽", "🇩🇪", "❤️", "e\u0301", "e\u0301\u0323\u0308", "नि", "\u200d", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"];

const oneOf = (...characters: string[]) => fc.constantFrom(...characters);
const mostly = (usual: fc.Arbitrary<string>, rare: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 30, arbitrary: usual }, { weight: 1, arbitrary: rare });

/** Texts of all lengths, and of those where a segment ends, with what may not be torn right there. */
function textsOf(character: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const text = fc.array(character, { maxLength: 400 }).map((characters) => characters.join(""));
  const ends = fc.constantFrom(67, 70, 134, 153, 160, 201, 306, 459, 1530);
  const atAnEnd = fc
    .tuple(ends, fc.nat(8), fc.integer({ min: -1, max: 1 }), character, fc.array(character, { maxLength: 8 }))
    .map(([end, before, more, filler, middle]) =>
      ("".padEnd(end - before, filler) + middle.join("")).padEnd(end + more, filler),
    );
  return fc.oneof(text, atAnEnd);
}

const plain = fc.oneof(
  textsOf(oneOf(...BASIC)),
  textsOf(mostly(oneOf(...BASIC), oneOf(...EXTENSION))),
  textsOf(oneOf(...BASIC, ...EXTENSION)),
  textsOf(mostly(oneOf(...BASIC), oneOf(...UNITS, ...PAIRS))),
  textsOf(oneOf(...BASIC, ...EXTENSION, ...UNITS, ...PAIRS)),
  textsOf(fc.string({ unit: "binary", minLength: 1, maxLength: 1 })),
);
const any = fc.oneof(
  plain,
  textsOf(mostly(oneOf(...BASIC), oneOf(...CLUSTERS))),
  textsOf(oneOf(...BASIC, ...EXTENSION, ...UNITS, ...PAIRS, ...CLUSTERS)),
  textsOf(oneOf(...CLUSTERS)),
);

describe("the count of segments", () => {
  it("is the package's, for any text, if each code point is a character", () => {
    fc.assert(
      fc.property(any, (text) => {
        expect(countSegments(text)).toEqual(countCodePointsByPackage(text));
      }),
      { numRuns: 150 },
    );
  });

  it("is the package's as it is, for a text whose graphemes are one code point each", () => {
    fc.assert(
      fc.property(plain, (text) => {
        fc.pre(new SegmentedMessage(text).graphemes.every((grapheme) => [...grapheme].length === 1));
        expect(countSegments(text)).toEqual(countByPackage(text));
      }),
      { numRuns: 150 },
    );
  });

  it("is at most the package's for any text, unless one grapheme is longer than a segment", () => {
    fc.assert(
      fc.property(any, (text) => {
        fc.pre(new SegmentedMessage(text).graphemes.every(({ length }) => length <= 67));
        const { encoding, segments } = countByPackage(text);
        expect(countSegments(text)).toMatchObject({ encoding });
        expect(countSegments(text).segments).toBeLessThanOrEqual(segments);
      }),
      { numRuns: 150 },
    );
  });

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
