import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readKeyword } from "../../src/domain/keyword.ts";

const WORDS = {
  stop: ["STOP", "STOPALL", "STOP ALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "REVOKE", "OPTOUT", "OPT OUT"],
  start: ["START", "UNSTOP", "YES"],
  help: ["HELP", "INFO"],
} as const;

const KEYWORDS = Object.entries(WORDS).flatMap(([keyword, words]) => words.map((word) => ({ keyword, word })));

describe("a keyword", () => {
  it.each([
    ["stop", ["STOP", "stop", "Stop!", " stop. ", "\tSTOP\r\n", "“Stop”", "(stop)", "*stop*", "stop 🛑", "¡STOP!"]],
    ["stop", ["STOP ALL", "Stop all.", "stop-all", "STOP  ALL", "stop\nall", "stopall", "STOP_ALL"]],
    ["stop", [" opt-out ", "Opt out", "OPT OUT!", "optout", "opt—out", "opt/out"]],
    ["stop", ["End", "revoke", "Cancel...", "quit", "unsubscribe", "Unsubscribe.", "END\u200b", "STOP\ufe0f"]],
    ["stop", ["ＳＴＯＰ", "ｓｔｏｐ！", "𝐒𝐓𝐎𝐏", "Ⓢⓣⓞⓟ"]],
    ["start", ["start", "Start!", "UNSTOP", "yes", "Yes."]],
    ["help", ["help", "Help?", "INFO", "info..."]],
  ])("is %s, whatever its case, spacing and punctuation: %j", (keyword, texts) => {
    for (const text of texts) expect([text, readKeyword(text)]).toEqual([text, keyword]);
  });

  it.each([
    ["a word within a sentence", ["don't stop", "stop it please", "please stop", "Please STOP texting", "help me"]],
    ["a word within a word", ["cancellation", "yesterday", "ending", "the end", "stopp", "bus stop", "informed"]],
    ["two of them", ["stop stop", "START STOP", "yes no", "STOP HELP", "stop, end"]],
    ["letters apart", ["S T O P", "s.t.o.p", "opt o ut", "un subscribe"]],
    ["other letters", ["stóp", "ЅТОР", "СТОП", "st0p", "stop2", "1 stop", "arrêt"]],
    ["nothing", ["", " ", "!", "👍", "\n", "constructor", "__proto__", "toString"]],
  ])("is not %s: %j", (_, texts) => {
    for (const text of texts) expect([text, readKeyword(text)]).toEqual([text, null]);
  });

  const fringe = fc
    .array(fc.constantFrom(...` \t\n\r\u00a0\u3000.,;:!?¡¿'"“”‘’„()[]{}<>*_~-–—/\\|#@&%+=^…·•👍🛑`), { maxLength: 6 })
    .map((characters) => characters.join(""));

  it("counts in any case, with any punctuation and space around it", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...KEYWORDS),
        fc.infiniteStream(fc.boolean()),
        fringe,
        fringe,
        (given, upper, before, after) => {
          const word = [...given.word].map((letter) => (upper.next().value ? letter : letter.toLowerCase())).join("");
          expect(readKeyword(before + word + after)).toBe(given.keyword);
        },
      ),
    );
  });

  it("counts alone: with any other word before or after it, it is none", () => {
    const other = fc.stringMatching(/^[a-z0-9]{1,8}$/).filter((word) => !/^(all|out)$/.test(word));
    fc.assert(
      fc.property(fc.constantFrom(...KEYWORDS), other, fc.boolean(), ({ word }, added, isBefore) => {
        expect(readKeyword(isBefore ? `${added} ${word}` : `${word} ${added}`)).toBe(null);
      }),
    );
  });
});
