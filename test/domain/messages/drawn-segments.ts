// The oracle is a carrier's own package (Twilio). It differs on purpose in one way: it keeps graphemes whole (a flag, a family of
// emoji, a letter with its accents), where TS 23.040 and gateways such as Kannel cut between any two characters of 16 bits.
import fc from "fast-check";
import { SegmentedMessage } from "sms-segments-calculator";
import { expect, it } from "vitest";
import { countSegments } from "../../../src/domain/messages/segments.ts";

export function countByPackage(text: string) {
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

/** The count of any text, beside that of the package. @param numRuns how many texts are drawn for each test */
export function testDrawnTexts(numRuns: number): void {
  it("is the package's, for any text, if each code point is a character", () => {
    fc.assert(
      fc.property(any, (text) => {
        expect(countSegments(text)).toEqual(countCodePointsByPackage(text));
      }),
      { numRuns },
    );
  });

  it("is the package's as it is, for a text whose graphemes are one code point each", () => {
    fc.assert(
      fc.property(plain, (text) => {
        fc.pre(new SegmentedMessage(text).graphemes.every((grapheme) => [...grapheme].length === 1));
        expect(countSegments(text)).toEqual(countByPackage(text));
      }),
      { numRuns },
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
      { numRuns },
    );
  });
}
