/** What nobody can see is blank, alone or together, wherever the service asks whether something was written. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isAbsent } from "../../../src/domain/fields.ts";
import { trySendRequest } from "../../../src/domain/messages/send-request.ts";
import { isBlank, isBlankCode, strip } from "../../../src/domain/people/invisible.ts";

/** Each range of what has no shape of its own, with its first and last character. */
const UNSEEN: [name: string, first: number, last: number][] = [
  ["controls", 0x00, 0x1f],
  ["the space", 0x20, 0x20],
  ["delete and further controls", 0x7f, 0x9f],
  ["no-break space", 0xa0, 0xa0],
  ["soft hyphen", 0xad, 0xad],
  ["combining grapheme joiner", 0x34f, 0x34f],
  ["Arabic letter mark", 0x61c, 0x61c],
  ["Hangul fillers", 0x115f, 0x1160],
  ["Khmer inherent vowels", 0x17b4, 0x17b5],
  ["Mongolian variation selectors and vowel separator", 0x180b, 0x180f],
  ["spaces of typography", 0x2000, 0x200a],
  ["zero width and marks of direction", 0x200b, 0x200f],
  ["embeddings and overrides", 0x202a, 0x202e],
  ["word joiner, operators, isolates", 0x2060, 0x206f],
  ["Braille pattern blank", 0x2800, 0x2800],
  ["ideographic space", 0x3000, 0x3000],
  ["Hangul filler", 0x3164, 0x3164],
  ["variation selectors", 0xfe00, 0xfe0f],
  ["byte order mark", 0xfeff, 0xfeff],
  ["halfwidth Hangul filler", 0xffa0, 0xffa0],
  ["interlinear annotations", 0xfff9, 0xfffb],
  ["shorthand format controls", 0x1bca0, 0x1bca3],
  ["musical format controls", 0x1d173, 0x1d17a],
  ["tags", 0xe0001, 0xe007f],
  ["further variation selectors", 0xe0100, 0xe01ef],
];

const SEEN = ["a", "0", ".", "-", "~", "é", "ß", "ا", "क", "한", "中", "あ", "👍", "🛑", "…", "“", "⠁", "́", "𝐒"];

const send = (text: string) =>
  trySendRequest({ phone: "+12125550100", text, callbackData: "", sendPurpose: "a" }, "https://x.example/l/1", 0);

const unseen = fc
  .constantFrom(...UNSEEN)
  .chain(([, first, last]) => fc.integer({ min: first, max: last }))
  .map((code) => String.fromCodePoint(code));

describe("what cannot be seen", () => {
  it.each(UNSEEN)("%s: each is blank, and no text", (_, first, last) => {
    for (let code = first; code <= last; code++) {
      const character = String.fromCodePoint(code);
      expect([code.toString(16), isBlank(character), isBlankCode(code)]).toEqual([code.toString(16), true, true]);
      expect([code.toString(16), send(character).details?.length]).toEqual([code.toString(16), 1]);
    }
  });

  it("is no text in any number, and an absent field", () => {
    fc.assert(
      fc.property(fc.array(unseen, { maxLength: 12 }), (characters) => {
        const text = characters.join("");
        expect([isBlank(text), strip(text), isAbsent(text)]).toEqual([true, "", true]);
        expect(send(text).details).toEqual([
          { field: "text", message: "must not be empty, or only white space and invisible characters" },
        ]);
      }),
    );
  });

  it("is taken off around what can be seen, and nowhere else", () => {
    const around = fc.array(unseen, { maxLength: 4 }).map((characters) => characters.join(""));
    const seen = fc.constantFrom(...SEEN);
    fc.assert(
      fc.property(around, seen, around, seen, around, (before, first, within, last, after) => {
        const kept = first + within + last;
        expect(strip(before + kept + after)).toBe(kept);
        expect(isBlank(before + kept + after)).toBe(false);
        expect(send(before + kept + after).data?.text).toBe(before + kept + after);
      }),
    );
  });
});

it.each(SEEN)("what can be seen is a text: %s", (character) => {
  expect([isBlank(character), send(character).details]).toEqual([false, undefined]);
});
