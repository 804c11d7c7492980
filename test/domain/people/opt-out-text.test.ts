/** Opt-out words, courtesies and what joins them, in any number and combination, opt out; a sentence with such a word in it does not. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readText } from "../../../src/domain/people/keyword.ts";

const OWN = ["BAJA", "no más", "СТОП", "no gracias"];
const WORDS = [
  "STOP",
  "STOPALL",
  "STOP ALL",
  "UNSUBSCRIBE",
  "CANCEL",
  "END",
  "QUIT",
  "REVOKE",
  "OPTOUT",
  "OPT OUT",
  "ARRET",
  "arrêt",
  ...OWN,
];
const COURTESIES = [
  "please",
  "pls",
  "plz",
  "thanks",
  "thank you",
  "thx",
  "ty",
  "s'il vous plaît",
  "svp",
  "merci",
  "por favor",
  "gracias",
];
const JOINS = [
  " 2 ",
  " to ",
  " and ",
  " or ",
  " et ",
  " ou ",
  " y ",
  " o ",
  "2",
  " & ",
  "/",
  ", ",
  ". ",
  " + ",
  " - ",
  "—",
  "; ",
  " ",
  "...",
  " | ",
  "\n",
  " · ",
  "!! ",
];
/** None of them is a part of what opts out. */
const OTHERS = [
  "me",
  "it",
  "texting",
  "my",
  "order",
  "the",
  "bus",
  "now",
  "don't",
  "never",
  "weekend",
  "this",
  "is",
  "hello",
  "a",
  "12345",
  "really",
];

/** Puts each letter in upper or lower case. */
const anyCase = (text: string, flips: boolean[]) =>
  [...text]
    .map((letter, index) => (flips[index % flips.length] ? letter.toUpperCase() : letter.toLowerCase()))
    .join("");

const flips = fc.array(fc.boolean(), { minLength: 1, maxLength: 7 });
const item = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...WORDS).map((text) => ({ text, isWord: true })) },
  { weight: 1, arbitrary: fc.constantFrom(...COURTESIES).map((text) => ({ text, isWord: false })) },
);
const combination = fc.record({
  items: fc.array(item, { minLength: 1, maxLength: 6 }),
  joins: fc.array(fc.constantFrom(...JOINS), { minLength: 6, maxLength: 6 }),
  flips,
});

/** Courtesies have edges: "ENDthanks" is not taken apart. */
function write({
  items,
  joins,
  flips,
}: {
  items: { text: string; isWord: boolean }[];
  joins: string[];
  flips: boolean[];
}) {
  const text = items.reduce((written, { text }, index) => {
    const join = joins[index] ?? " ";
    return index === 0 ? text : written + (join === "2" ? " 2 " : join) + text;
  }, "");
  return anyCase(text, flips);
}

/** The oracle: takes whole words off the front, and knows nothing of letters apart. */
function isOptOut(text: string): boolean {
  const plain = (part: string) =>
    part
      .normalize("NFKD")
      .replace(/[\u0300-\u036f]/g, "")
      .toUpperCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter(Boolean);
  const known = [...WORDS, ...COURTESIES].map((one) => ({ tokens: plain(one), isWord: WORDS.includes(one) }));
  const joiners = ["2", "TO", "AND", "OR", "ET", "OU", "Y", "O"];
  const read = (tokens: string[], hasWord: boolean, mayJoin: boolean): boolean => {
    if (tokens.length === 0) return hasWord && mayJoin;
    if (mayJoin && joiners.includes(tokens[0] as string) && read(afterJoiners(tokens), hasWord, false)) return true;
    return known.some(
      ({ tokens: own, isWord }) =>
        own.every((token, at) => token === tokens[at]) && read(tokens.slice(own.length), hasWord || isWord, true),
    );
  };
  const afterJoiners = (tokens: string[]): string[] =>
    joiners.includes(tokens[0] as string) ? afterJoiners(tokens.slice(1)) : tokens;
  return read(plain(text), false, false);
}

describe("words that opt out, courtesies, and what joins them", () => {
  it("opt out in any number and combination, with a word among them", () => {
    fc.assert(
      fc.property(combination, (given) => {
        const text = write(given);
        const hasWord = given.items.some(({ isWord }) => isWord);
        expect([text, isOptOut(text) || !hasWord]).toEqual([text, true]);
        // "No" is no word, and "gracias" is a courtesy, but "no gracias" is a word of the website's.
        expect([text, readText(text, OWN).keyword]).toEqual([text, hasWord || isOptOut(text) ? "stop" : null]);
      }),
      { numRuns: 1500 },
    );
  });

  it("do not opt out with any other word among them, and are flagged", () => {
    fc.assert(
      fc.property(combination, fc.nat(), fc.constantFrom(...OTHERS), (given, at, other) => {
        const { items } = given;
        const joins = given.joins.map((join) => (join.includes("\n") ? " " : join));
        const with_ = items.toSpliced(at % (items.length + 1), 0, { text: other, isWord: false });
        const text = write({ ...given, items: with_, joins });
        expect([text, isOptOut(text)]).toEqual([text, false]);
        expect([text, readText(text, OWN).keyword]).toEqual([text, null]);
        if (items.some(({ isWord }) => isWord)) expect([text, readText(text, OWN).maybeOptOut]).toEqual([text, true]);
      }),
      { numRuns: 1500 },
    );
  });
});

it.each(["STOP2", "2stop", "Stop 1", "END4 my texts", "quit99!"])(
  "digits beside a word keep it flagged: %s",
  (text) => {
    expect(readText(text)).toEqual({ keyword: null, maybeOptOut: true });
  },
);

it.each(["\n", "\r", "\v", "\f", "\u0085", "\u2028", "\u2029"])("a line may end with %j", (end) => {
  expect(readText(`STOP${end}Ada`).keyword).toBe("stop");
  expect(readText(`CANCEL${end}my order`).keyword).toBe(null);
});

describe("a second line", () => {
  const SIGNATURES = [
    "Ada",
    "Ada Lovelace",
    "--",
    "-- \nme",
    "+1 212 555 0100",
    "Sent from my iPhone",
    "Envoyé de mon iPhone",
    "ADA L.",
    "ada@example.com",
    "www.example.com",
    "👍",
    "> Brand: 20% off the next order. Reply STOP to opt out",
    "Sent with Proton Mail secure email.",
    "Dr. Ada King",
    "thanks!",
  ];
  const SENTENCES = [
    "my order please",
    "of season?",
    "My order",
    "Of season?",
    "I need to change it",
    "the order from Monday",
    "MY ORDER IS WRONG",
    "it",
    "What?",
    "and send me a new one",
  ];
  const ORDINARY = ["CANCEL", "END", "Cancel.", "end!", "please cancel", "Cancel, end"];
  const OTHER = [
    "STOP",
    "Unsubscribe",
    "stop all",
    "QUIT",
    "revoke",
    "opt out",
    "BAJA",
    "STOP, CANCEL",
    "cancel / stop",
  ];

  it.each(SIGNATURES)("that signs any such word lets it opt out: %j", (line) => {
    for (const word of [...ORDINARY, ...OTHER])
      expect([word, readText(`${word}\n${line}`, OWN).keyword]).toEqual([word, "stop"]);
  });

  it.each(SENTENCES)("that goes on keeps CANCEL and END from it, and flags them: %j", (line) => {
    for (const word of ORDINARY) {
      for (const gap of ["\n", "\r\n\r\n"]) {
        const text = word + gap + line;
        expect([text, readText(text)]).toEqual([text, { keyword: null, maybeOptOut: true }]);
      }
    }
    for (const word of OTHER) expect([word, readText(`${word}\n${line}`, OWN).keyword]).toEqual([word, "stop"]);
  });
});
