/** What a text quotes of ours is not the person's own word: reactions of phones, and quoted replies. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readText } from "../../../src/domain/people/keyword.ts";

const OURS = "Brand: 20% off today. Reply STOP to opt out";
const maybe = (text: string, ownTexts: string[] = []) => readText(text, [], { ours: ownTexts }).maybeOptOut;

describe("a reaction", () => {
  it.each([
    `Liked “${OURS}”`,
    `Loved “${OURS}”`,
    `Disliked “${OURS}”`,
    `Laughed at “${OURS}”`,
    `Emphasized “${OURS}”`,
    `Questioned “${OURS}”`,
    `Removed a like from “${OURS}”`,
    `Removed an exclamation from “${OURS}”`,
    `Removed a question mark from “${OURS}”`,
    `Reacted 😂 to “${OURS}”`,
    `Removed ❤️ from “${OURS}”`,
    `👍 to “${OURS}”`,
    `\u200a\u200b👍🏽\u200b to “\u200a${OURS}\u200a”`,
    `👩‍👩‍👧 to "${OURS}"`,
    `🇺🇸 to “${OURS}”`,
    `❤️ à « ${OURS} »`,
    `Liked "${OURS}"`,
    `Liked “Brand: "20%" off. Reply “STOP” to opt out”`,
    `Liked “${OURS.slice(0, 30)} STOP`,
    `Le gustó “${OURS}”`,
    `A aimé « ${OURS} »`,
    `Gefällt: „${OURS}“`,
    `Hat mit 😂 auf „${OURS}“ reagiert`,
    `Понравилось «${OURS}»`,
    `Líbilo se „${OURS}“`,
    `kedveli: „${OURS}”`,
  ])("is no opt-out, whichever text it quotes: %s", (text) => {
    expect(readText(text)).toEqual({ keyword: null, maybeOptOut: false });
  });

  it.each([
    `Liked “${OURS}” but please stop`,
    `Liked “${OURS}” stop, don’t text`,
    "Liked it, now stop texting",
    "I liked “Dune”, stop texting me",
    "👍 stop texting me",
    `👍 please “STOP” it`,
    `Stop! 👍 to “${OURS}”`,
  ])("is none with words of the person's own: %s", (text) => {
    expect(maybe(text)).toBe(true);
  });
});

describe("a reaction to the person's own text", () => {
  it.each([
    "Emphasized “STOP”",
    "Liked “stop!”",
    "Removed a like from “STOP”",
    "👍 to “please stop”",
    "Reacted ‼️ to “STOP it",
    "A souligné « stop »",
  ])("is flagged where it is too short to be known as ours: %s", (text) => {
    expect(readText(text)).toEqual({ keyword: null, maybeOptOut: true });
    expect(maybe(text, ["another text"])).toBe(true);
  });

  it.each(["Emphasized “Please stop texting me at night”", "👎 to “please stop texting me at night!”"])(
    "is flagged where the person has sent it: %s",
    (text) => {
      const theirs = ["hello", "Please stop texting me at night"];
      expect(readText(text, [], { ours: [OURS], theirs }).maybeOptOut).toBe(true);
      expect(readText(text, [], { ours: theirs, theirs }).maybeOptOut).toBe(false);
    },
  );

  it("is none where it is ours, however short that is", () => {
    expect(maybe("Liked “Reply STOP to end”", ["Reply STOP to end"])).toBe(false);
  });

  it("does not make one of a reaction that the person has sent before", () => {
    const text = `Liked “${OURS}”`;
    expect(readText(text, [], { theirs: [text] }).maybeOptOut).toBe(false);
  });
});

describe("a quotation of a text that the person got", () => {
  it.each([
    `> ${OURS}\nthanks!`,
    `> Brand: 20% off today.\n> Reply STOP to opt out\nthanks!`,
    `“${OURS}” ein Herz hinzugefügt`,
    `„${OURS}“ ein Lachen hinzugefügt`,
    `Mi è piaciuto «${OURS}»`,
    `「${OURS}」にいいね`,
    `Anything at all “20% off today. Reply STOP to…”`,
    `Why “Brand: 20% off today. Reply STOP`,
    `"${OURS.toUpperCase()}" what is this?`,
  ])("is no opt-out, in any language: %s", (text) => {
    expect([maybe(text, ["another text", OURS]), maybe(text)]).toEqual([false, true]);
  });

  it.each([
    `“${OURS}” I said STOP`,
    `> ${OURS}\nstop it already`,
    "I said “STOP”",
    "I texted “Reply STOP” again",
    `“Shop: 20% off. Reply STOP to opt out”`,
    `${OURS} again`,
    "stop texting me “today”",
  ])("leaves the words beside it, and single words in marks: %s", (text) => {
    expect(maybe(text, [OURS])).toBe(true);
  });

  it("is known as a whole however short our text is", () => {
    expect(maybe("what is “Reply STOP to end”", ["Reply STOP to end"])).toBe(false);
  });
});

it("words beside a quotation of ours are read as they are without it", () => {
  const [opens, closes] = [fc.constantFrom("“", '"', "«"), { "“": "”", '"': '"', "«": "»" } as Record<string, string>];
  const own = fc.constantFrom("hello there", "please stop it", "the end is near", "thanks", "cancel my order", "ok");
  fc.assert(
    fc.property(own, own, opens, (before, after, open) => {
      const text = `${before} ${open}${OURS}${closes[open]} ${after}`;
      expect(maybe(text, [OURS])).toBe(maybe(`${before} ${after} x`));
    }),
  );
});

it("a hostile text is read in time", () => {
  const began = Date.now();
  for (const part of ["“", "“”", '"', ">\n", "stop to ", "STOP2", "👍", "opt ", "nn"]) {
    readText(part.repeat(Math.ceil(20_000 / part.length)), ["NN", "NNN"], { ours: [OURS] });
  }
  expect(Date.now() - began).toBeLessThan(5000);
});
