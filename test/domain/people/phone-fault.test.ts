import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { strip } from "../../../src/domain/people/invisible.ts";
import { isE164 } from "../../../src/domain/people/phone.ts";
import { explainPhone } from "../../../src/domain/people/phone-fault.ts";

const RULE = "must be an E.164 phone number such as +12125550100: ";

/** Each text with what is said of it. */
const CASES: [text: string, message: string][] = [
  ["12125550100", "it has no plus sign: begin with a plus sign and the country code"],
  ["(212) 555-0100", "it has no plus sign: begin with a plus sign and the country code"],
  ["0012125550100", "it begins with 00: write a plus sign in its place"],
  ["1+2125550100", "the plus sign is not its first character"],
  ["+1 212 555 0100", "it has a space: after the plus sign, write digits only"],
  ["+1-212-555-0100", 'it has "-": after the plus sign, write digits only'],
  ["+1\u00a0212 555 0100", "it has a space (U+00A0): after the plus sign, write digits only"],
  ["+1212555010O", "it has the letter O, which looks like the digit 0: after the plus sign, write digits only"],
  [
    "+1212555010\u041e",
    "it has the letter \u041e (U+041E), which looks like the digit 0: after the plus sign, write digits only",
  ],
  ["+l2125550100", "it has the letter l, which looks like the digit 1: after the plus sign, write digits only"],
  ["+1212555010x", "it has the letter x: after the plus sign, write digits only"],
  ["+1212555é100", "it has the letter é (U+00E9): after the plus sign, write digits only"],
  ["+1٣125550100", "it has a digit other than 0 to 9 (U+0663): after the plus sign, write digits only"],
  ["+1–212–555–0100", "it has a character that is no digit (U+2013): after the plus sign, write digits only"],
  ["+1💬2125550100", "it has a character that is no digit (U+1F4AC): after the plus sign, write digits only"],
  ["٣٤٥", "it has a digit other than 0 to 9 (U+0663): write the digits 0 to 9"],
  ["＋１２１２", "it has a digit other than 0 to 9 (U+FF11): write the digits 0 to 9"],
  ["＋12125550100", 'it has the plus sign U+FF0B: write "+" in its place'],
  ["+1312\u200b5550100", "its character 6 is U+200B, which cannot be seen: remove it"],
  ["a\u202a+13125550100", "its character 2 is U+202A, which cannot be seen: remove it"],
  ["💬\u2060+13125550100", "its character 2 is U+2060, which cannot be seen: remove it"],
  ["\0+13125550100", "its character 1 is U+0000, which cannot be seen: remove it"],
  ["+1312\ufeff5550100", "its character 6 is U+FEFF, which cannot be seen: remove it"],
  ["abcde5", "it has no plus sign: begin with a plus sign and the country code"],
  [`+${"1".repeat(64)}`, "it is too long: it has 65 characters"],
  ["+02125550100", "it has a 0 after the plus sign: no country code begins with 0"],
  ["+9990000000", "it begins with no known country code"],
  ["+8001234567", "it is too short: it has 7 digits after +800, where numbers have 8"],
  ["+12", "it is too short: it has 1 digit after +1, where numbers have 10"],
  ["+1212555010", "it is too short: it has 9 digits after +1, where numbers have 10"],
  ["+121255501000", "it is too long: it has 11 digits after +1, where numbers have 10"],
  ["+44123456789012", "it is too long: it has 12 digits after +44, where numbers have 7, 9 or 10"],
  ["+4412345678", "it is of a wrong length: it has 8 digits after +44, where numbers have 7, 9 or 10"],
  ["+98123456789", "it is of a wrong length: it has 9 digits after +98, where numbers have 4 to 7 or 10"],
  ["+61123", "it is too short: it has 3 digits after +61, where numbers have 5 to 10 or 12"],
  ["+421123", "it is too short: it has 3 digits after +421, where numbers have 6, 7 or 9"],
  ["+6100082783", "no number after +61 has this form"],
  ["+4402079460958", "it has a national prefix after +44: without it, it is +442079460958"],
  ["+112125550100", "it has a national prefix after +1: without it, it is +12125550100"],
  ["+378886377", "it lacks digits after +378: with them, it is +3780549886377"],
  ["+2612212345", "it lacks digits after +261: with them, it is +261202212345"],
  ["+67222222", "it lacks digits after +672: with them, it is +672322222"],
  ["+5215512345678", "it has an old form: today it is +525512345678"],
  ["+22997123456", "it has an old form: today it is +2290197123456"],
  ["+22547123456", "it has an old form: today it is +2250747123456"],
  ["2e551", "it is in scientific notation: format the column of the spreadsheet as text"],
  ["1.2125550100E+10", "it is in scientific notation: format the column of the spreadsheet as text"],
  ["ada", "it has no digits"],
  ["{{ person.phone }}", "it has no digits"],
];

describe("what is no phone number", () => {
  it.each(CASES)("%s: %s", (text, message) => {
    expect(explainPhone(text)).toBe(RULE + message);
  });

  it("is explained for any text", () => {
    const unit = fc.constantFrom(..."+0123456789 -e");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 18 }), (text) => {
        fc.pre(!isE164(text));
        expect(explainPhone(text)).toMatch(/: (it|no|the) [^+]/);
        const [, better] = /it is (\+\d+)$/.exec(explainPhone(text)) ?? [];
        if (better) expect(isE164(better)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  /** What somebody who looks at the text, character by character, sees of each thing that may be said. */
  const TRUTHS: [said: RegExp, isTrue: (text: string, told: string) => boolean][] = [
    [/its character (\d+ is U\+\w+), which cannot/, (text, told) => hasAt(text, told) && !/[ -~]/.test(charOf(told))],
    [/it has no digits$/, (text) => !/\p{N}/u.test(text)],
    [/it is in scientific notation/, (text) => !Number.isNaN(Number(text.replace(",", "."))) && /e/i.test(text)],
    [/it begins with 00/, (text) => text.startsWith("00") && !text.includes("+")],
    [/it has no plus sign/, (text) => !/[+＋]/.test(text)],
    [/it has the plus sign U\+(FF0B)/, (text) => text.includes("＋") && !text.includes("+")],
    [/the plus sign is not its first/, (text) => text.indexOf("+") > 0 && /^[\p{L}\p{N}\p{S}\p{P}]/u.test(text)],
    [/it has a space/, (text) => /[\s]/.test(text)],
    [/it has the letter (\p{L})(?: \(U\+\w+\))?:/u, (text, told) => text.includes(told) && !/[OIlSB\u041e]/.test(told)],
    [/it has the letter ([OIlSB\u041e])[^,:]*, which looks like the digit \d:/, (text, told) => text.includes(told)],
    [/it has a digit other than 0 to 9/, (text) => /[٣１]/.test(text)],
    [/it has a character that is no digit/, (text) => /[–💬＋]/u.test(text)],
    [/it has "(.)"/, (text, told) => text.includes(told)],
    [/it has a 0 after the plus sign/, (text) => text.startsWith("+0")],
    [/it begins with no known country code/, (text) => /^\+[1-9]\d*$/.test(text)],
    [/it has a national prefix.*: without it, it is \+(\d+)$/, (text, told) => told.length < text.length - 1],
    [/it lacks digits.*: with them, it is \+(\d+)$/, (text, told) => told.length > text.length - 1],
    [/it has an old form: today it is \+(\d+)$/, (text, told) => text.slice(1, 3) === told.slice(0, 2)],
    [/it has (\d+) digits? after/, (text, told) => /^\+\d+$/.test(text) && Number(told) < text.length],
    [/it is too long: it has (\d+) characters$/, (text, told) => text.length === Number(told)],
    [/no number after \+\d+ has this form/, (text) => /^\+\d+$/.test(text)],
  ];
  const charOf = (told: string) => String.fromCodePoint(Number.parseInt(told.split("U+")[1] ?? "", 16));
  const hasAt = (text: string, told: string) => [...text][Number.parseInt(told, 10) - 1] === charOf(told);

  it("is never explained by what is not so", () => {
    const unit = fc.constantFrom(..."++0125eE,. -aé٣１＋–💬\u00a0\u00ad\u200b\u200e\u202a\u202c\u2060\u2066\ufeff\0\t");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), (given) => {
        const text = strip(given);
        fc.pre(!isE164(text));
        checkTruth(text, explainPhone(text).slice(RULE.length));
      }),
      { numRuns: 1000 },
    );
  });

  it("is checked by a truth for each thing that may be said", () => {
    for (const [text, message] of CASES) checkTruth(text, message);
    const used = TRUTHS.filter(([said]) => CASES.some(([, message]) => said.test(message)));
    expect(used).toEqual(TRUTHS);
  });

  it("never names the lengths of numbers so that they have the one refused", () => {
    const digits = fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 14 });
    fc.assert(
      fc.property(digits, (text) => {
        const [, has, lengths] =
          /it has (\d+) digits? after \+\d+, where numbers have (.+)$/.exec(explainPhone(`+${text}`)) ?? [];
        if (isE164(`+${text}`) || !lengths) return;
        for (const part of lengths.split(/, | or /)) {
          const [first, last = first] = part.split(" to ").map(Number) as [number, number?];
          expect(Number(has) < first || Number(has) > last, `${has} digits, ${lengths}`).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });

  function checkTruth(text: string, message: string) {
    const found = TRUTHS.filter(([said]) => said.test(message));
    expect(found.length, message).toBe(1);
    const [said, isTrue] = found[0] as (typeof TRUTHS)[number];
    expect(isTrue(text, said.exec(message)?.[1] ?? ""), `${JSON.stringify(text)}: ${message}`).toBe(true);
  }
});

describe("white space and invisible characters around a number", () => {
  it.each(["\u00a0", "\u00ad", "\u200b", "\u200f", "\u202a", "\u202e", "\u2060", "\u2069", "\ufeff", "\t"])(
    "are taken away: %j",
    (character) => {
      expect(strip(` ${character}+12125550100${character}${character} `)).toBe("+12125550100");
    },
  );

  it("are all that is taken away", () => {
    expect(strip("\0.+1 \u200b2\u0301\u2800")).toBe(".+1 \u200b2\u0301");
  });
});
