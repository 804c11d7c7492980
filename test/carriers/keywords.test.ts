import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findWordFault, readKeyword, readText } from "../../src/domain/people/keyword.ts";
import { testDrawnWords } from "./drawn-words.ts";

const WORDS = {
  stop: ["STOP", "STOPALL", "STOP ALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "REVOKE", "OPTOUT", "OPT OUT", "ARRET"],
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
    [
      "stop",
      ["S T O P", "s.t.o.p", "S-T-O-P!", "opt o ut", "un subscribe", "UN-SUBSCRIBE", "STO\u200bP", "S\u00adTOP"],
    ],
    ["stop", ["stop stop", "STOP, STOP!", "Stop. Stop. Stop.", "STOPSTOP", "opt out opt out", "S.T.O.P. S.T.O.P."]],
    [
      "stop",
      ["please stop", "STOP please", "Stop. Thank you", "stop, thanks!", "pls stop pls", "END thx", "stop stop please"],
    ],
    [
      "stop",
      ["arret", "ARRÊT", "Arre\u0302t", "arrêt s'il vous plaît", "STOP svp", "merci, stop", "stop por favor", "stóp"],
    ],
    [
      "stop",
      ["STOP\n\nSent from my iPhone", "\r\nStop.\r\n--\r\nAda\r\n+1 212 555 0100", "stop\u2028Ada", "👋\nStop\nAda"],
    ],
    ["stop", ["STOP2END", "stop 2 end", "STOP to end", "stop2stop", "Stop to quit, thanks"]],
    [
      "stop",
      ["STOP END", "stop/end", "STOP, CANCEL", "STOP & UNSUBSCRIBE", "STOP QUIT END", "Stop and end, please. Thanks!"],
    ],
    ["stop", ["please, end & stop", "arrêt ou stop svp", "stop y end, gracias", "STOP 2 END 2 QUIT", "stop + opt-out"]],
    ["stop", ["STOP\nmy order please", "Stop\nall of it?", "CANCEL\nSTOP", "Unsubscribe\nme"]],
    [
      "stop",
      [
        "Cancel\nSent from my iPhone",
        "END\n--\nme",
        "Cancel\nAda Lovelace",
        "End\n+1 212 555 0100",
        "cancel\nada@example.com",
      ],
    ],
    ["stop", ["Cancel\nthanks, Ada", "End\nplease", "STOP, CANCEL\nmy order"]],
    ["stop", ["ＳＴＯＰ", "ｓｔｏｐ！", "𝐒𝐓𝐎𝐏", "Ⓢⓣⓞⓟ"]],
    ["start", ["start", "Start!", "UNSTOP", "yes", "Yes."]],
    ["help", ["help", "Help?", "INFO", "info..."]],
  ])("is %s, whatever its case, spacing and punctuation: %j", (keyword, texts) => {
    for (const text of texts) expect([text, readKeyword(text)]).toEqual([text, keyword]);
  });

  it.each([
    ["a word within a sentence", ["don't stop", "stop it please", "Please STOP texting", "help me", "unsubscribe me"]],
    ["a word within a word", ["cancellation", "yesterday", "ending", "the end", "stopp", "bus stop", "informed"]],
    ["two of them", ["START STOP", "yes no", "STOP HELP", "stop to start", "yes yes", "help help"]],
    ["letters apart of what does not opt out", ["Y E S", "s.t.a.r.t", "un stop", "in fo"]],
    ["a courtesy beside what does not opt out", ["yes please", "start thanks", "help please", "Yes\nAda"]],
    ["a courtesy alone", ["please", "thanks", "thank you", "merci", "STP"]],
    ["a number beside it", ["STOP 12345 is not my order", "stop 12345", "stop2", "1 stop"]],
    [
      "an ordinary word that a sentence goes on with",
      ["Cancel\nmy order please", "End\nof season?", "cancel\nMy order"],
    ],
    [
      "such a word in capitals",
      ["CANCEL\nMY ORDER PLEASE", "End\n\nI need to change my order", "please cancel\nthe order"],
    ],
    ["what joins nothing", ["stop and", "to stop", "and stop", "2 end", "stop to", "or"]],
    ["a later line", ["Hello\nSTOP", "no\nstop\nAda"]],
    ["other letters", ["ЅТОР", "СТОП", "st0p", "STOPP", "BAJA", "remove", "no"]],
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
    const other = fc
      .stringMatching(/^[a-z0-9]{1,8}$/)
      .filter((word) => !/^(all|out|pls|plz|thx|ty|svp|stp)$/.test(word));
    fc.assert(
      fc.property(fc.constantFrom(...KEYWORDS), other, fc.boolean(), ({ word }, added, isBefore) => {
        expect(readKeyword(isBefore ? `${added} ${word}` : `${word} ${added}`)).toBe(null);
      }),
    );
  });
});

describe("a website's own opt-out words", () => {
  const OWN = ["BAJA", "no más", "СТОП", "退订"];

  it.each([
    "baja",
    "Baja, por favor",
    "B.A.J.A",
    "baja baja",
    "NO MÁS",
    "no mas!",
    "стоп",
    "退订",
    "BAJA\nAda",
    "stop",
    "STOP2BAJA",
  ])("opt out: %j", (text) => {
    expect(readText(text, OWN)).toEqual({ keyword: "stop", maybeOptOut: false });
  });

  it.each(["baja", "no más", "стоп", "退订"])("do not opt out of a website without them: %j", (text) => {
    expect(readText(text)).toEqual({ keyword: null, maybeOptOut: false });
  });

  it.each([
    ["yes", "is the keyword YES, which does not opt out"],
    ["Y.E.S.", "is the keyword YES, which does not opt out"],
    ["HELP!", "is the keyword HELP, which does not opt out"],
    ["Únstop", "is the keyword UNSTOP, which does not opt out"],
    ["por favor", "is a courtesy that may stand beside any opt-out word"],
    ["🛑🛑", "has fewer than two letters or digits"],
    ["N.", "has fewer than two letters or digits"],
  ])("cannot be %j", (word, fault) => {
    expect(findWordFault(word)).toBe(fault);
  });

  testDrawnWords(200);
});

describe("a text that may be an opt-out", () => {
  it.each([
    "please stop texting me",
    "Stop sending me these!!",
    "STOP 12345 is not my order",
    "unsubscribe me",
    "S.T.O.P texting me",
    "I want to cancel",
    "STOP HELP",
    "don't stop",
    "opt out of this",
    "arrêt immédiat",
    "Hello\nSTOP",
  ])("has an opt-out word in it, and is none: %j", (text) => {
    expect(readText(text)).toEqual({ keyword: null, maybeOptOut: true });
  });

  it.each([
    "thank you",
    "unstoppable",
    "the bus stopped",
    "stopp",
    "opt me out",
    "yes please",
    "",
    "weekend",
    "cancellation",
  ])("has no whole opt-out word in it: %j", (text) => {
    expect(readText(text)).toEqual({ keyword: null, maybeOptOut: false });
  });

  it.each(["STOP", "START", "HELP"])("is none that is a keyword: %s", (text) => {
    expect(readText(text).maybeOptOut).toBe(false);
  });

  it("may have a word of the website's own in it", () => {
    expect(readText("quiero la baja ya", ["Baja"])).toEqual({ keyword: null, maybeOptOut: true });
  });
});
