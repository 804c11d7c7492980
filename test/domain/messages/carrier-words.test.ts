/** What is stored of a carrier's words. The oracles below share nothing with the code: they read an answer as a person would. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stripWords, withoutWords } from "../../../src/domain/messages/carrier-words.ts";
import { hasNumber, testDrawnNumbers } from "./drawn-carrier-words.ts";

const PHONE = "+12125550142";
const TEXT = "At Brand 24, your HIV test result is ready, Ada. Ask at clinic 7.";
const strip = (reason: string) => stripWords(reason, { text: TEXT, phone: PHONE });

describe("a number in a carrier's words", () => {
  it.each([
    ...["+12125550142", "12125550142", "(212) 555-0142", "+1 212 555 0142", "0012125550142", "%2B12125550142"],
    ...[
      "212/555/0142",
      "212\u2011555\u20110142",
      "+1\u2011212\u2011555\u20110142",
      "+1/212/555/0142",
      "＋１２１２５５５０１４２",
    ],
    ...[
      "212.555.0142",
      "1,212,555,0142",
      "[212] 555·0142",
      "{212}_{555}_{0142}",
      "212\u200b555\u200b0142",
      "\u202a+12125550142\u202c",
    ],
    ...[
      "٢١٢٥٥٥٠١٤٢",
      "۲۱۲ ۵۵۵ ۰۱۴۲",
      "²¹²⁵⁵⁵⁰¹⁴²",
      "②①②⑤⑤⑤⓪①④②",
      "2 1 2 5 5 5 0 1 4 2",
      "212ー555ー0142",
      "1️⃣2️⃣1️⃣2️⃣5️⃣5️⃣5️⃣0️⃣1️⃣4️⃣2️⃣",
    ],
    ...[
      "212%20555%200142",
      "1%2D212%2D555%2D0142",
      "&#43;1&#45;212&#45;555&#45;0142",
      "212\\u002d555\\u002d0142",
      "212×555×0142",
      "212\n555\n0142",
    ],
    ...[
      "212x555x0142",
      "area 212, number 555, line 0142",
      "(local 555.0142)",
      "5550142",
      "Tel.2125550142ext.3",
      "212:55:50142",
    ],
  ])("is not stored: %s", (spelled) => {
    for (const reason of [`kannel: HTTP 400: to ${spelled} failed`, `twilio: HTTP 400, 21211: ${spelled} is wrong`]) {
      const stored = strip(reason);
      expect(hasNumber(stored.replace(/^\w+: HTTP 400(, 21211)?/, ""), PHONE.slice(1))).toBe(false);
      expect(stored).toMatch(/^(kannel: HTTP 400: to|twilio: HTTP 400, 21211: ).* (failed|is wrong)$/s);
    }
  });

  it.each([
    "twilio: HTTP 400, 21211",
    "telnyx: delivery_failed, 40001: Not routable",
    "kannel: undelivered: id:1 sub:001 dlvrd:000 submit date:2611281159 done date:261128120001 stat:UNDELIV err:069",
    "kannel: undelivered: submit date: 2611281159 done date: 2611281200 stat: UNDELIV err: 069",
    "kannel: HTTP 404: SM01234567890123456789012345678901 of 5f0c5a9e-7d0d-4d6c-9c39-012345678901",
    "kannel: refused by the SMSC: 30 of 60 per second, at 09:15",
    "twilio: HTTP 400, 21211: The 'To' number is not valid",
    "TypeError: fetch failed (connection refused, or broken off: the runtime does not say which)",
  ])("is none of: %s", (reason) => {
    expect(strip(reason)).toBe(reason);
  });

  it.each([
    ["kannel: undelivered: submit date:2125550142", "kannel: undelivered: submit date:…42"],
    ["kannel: undelivered: id:4917012345678 stat:EXPIRED", "kannel: undelivered: id:…78 stat:EXPIRED"],
    ["telnyx: HTTP 400, 40310: 2125550142: invalid", "telnyx: HTTP 400, 40310: …42: invalid"],
    ["kannel: HTTP 400: no user ada.o'h+x=y/z@example.com", "kannel: HTTP 400: no user a•••@example.com"],
  ])("is told from dates and codes by its form: %s", (reason, stored) => {
    expect(strip(reason)).toBe(stored);
  });

  testDrawnNumbers(150);
});

describe("a quotation in a carrier's words", () => {
  it.each([
    ['Rejected by rule 7: "QUOTE your HIV test" to it', 'Rejected by rule 7: "…" to it'],
    ["Rejected: “Your HIV test”, «un test positif» and „noch ein Test“", "Rejected: “…”, «…» and „…“"],
    ["blocked: 'your private matter' and more", "blocked: '…' and more"],
    ["it's not the customers' fault, isn't it", "it's not the customers' fault, isn't it"],
    ["‘don’t tell them’ is spam", "‘…’ is spam"],
    ['The field "To" is wrong', 'The field "To" is wrong'],
    ['The name "Ada" is not allowed', 'The name "…" is not allowed'],
    ["spam: &quot;a private matter&quot;", 'spam: "…"'],
    ['cut in the middle: "a private matter of', 'cut in the middle: "…'],
    ["spam: &laquo;a private matter&raquo; again", "spam: «…» again"],
    ["spam: &#8220;a private matter&#x201D;, %22a private matter%22", 'spam: “…”, "…"'],
    ["spam: {\\u0022text\\u0022: \\u0022a private matter\\u0022}", 'spam: {"text": "…"}'],
    ["《a private matter》, 〈a private matter〉, ｢a private matter｣", "《…》, 〈…〉, ｢…｣"],
    ["❝a private matter❞, ❛a private matter❜, ﹁a private matter﹂", "❝…❞, ❛…❜, ﹁…﹂"],
    ["〝a private matter〟 and ‟a private matter” and ''a private matter''", "〝…〟 and ‟…” and '…'"],
  ])("is left out: %s", (words, stored) => {
    expect(strip(`kannel: HTTP 400: ${words}`)).toBe(`kannel: HTTP 400: ${stored}`);
  });
});

/** Each character of a text as programs write it where it may not stand. */
const hex = (text: string, digits: number) =>
  [...text].map((it) => (it.codePointAt(0) ?? 0).toString(16).padStart(digits, "0"));
const ESCAPES: [string, (text: string) => string][] = [
  [
    "\\u0061 of JSON",
    (text) =>
      hex(text, 4)
        .map((it) => `\\u${it}`)
        .join(""),
  ],
  [
    "\\x61",
    (text) =>
      hex(text, 2)
        .map((it) => `\\x${it}`)
        .join(""),
  ],
  [
    "%61 of URLs",
    (text) =>
      hex(text, 2)
        .map((it) => `%${it}`)
        .join(""),
  ],
  [
    "%61 of %61",
    (text) =>
      hex(text, 2)
        .map((it) => `%25${it}`)
        .join(""),
  ],
  ["&#97; of HTML", (text) => [...text].map((it) => `&#${it.codePointAt(0)};`).join("")],
  [
    "&#x61; of HTML",
    (text) =>
      hex(text, 2)
        .map((it) => `&#x${it.toUpperCase()};`)
        .join(""),
  ],
  ["&amp;#97;", (text) => [...text].map((it) => `&amp;#${it.codePointAt(0)};`).join("")],
  ["tags", (text) => [...text].map((it) => `<b class="x">${it}</b>`).join("")],
];

it.each(ESCAPES)("finds the number and the text behind %s", (_, write) => {
  expect(strip(`kannel: HTTP 400: to ${write("2125550142")} failed`)).toMatch(/^kannel: HTTP 400: to .{2,10} failed$/);
  const stored = strip(`kannel: HTTP 400: spam: ${write("your HIV test result")} again`);
  expect(stored).toMatch(/^kannel: HTTP 400: spam: ?… ?again$/);
});

it.each(["100% of %41", "a\\b", "<none> &amp; &c.", "x < y > z", "%zz &#xffffffff; \\u12"])(
  "leaves escapes as they are: %s",
  (words) => {
    expect(strip(`kannel: HTTP 400: ${words}`)).toBe(`kannel: HTTP 400: ${words}`);
  },
);

describe("the text in a carrier's words", () => {
  const letters = (text: string) =>
    text
      .normalize("NFKC")
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, "");

  it.each([
    ["blocked: your HIV test result", "blocked:…"],
    ["blocked: YOUR  HIV\nTEST, RESULT! again", "blocked: …! again"],
    ["blocked: Your+HIV+test+result", "blocked: …"],
    ["blocked: your%20HIV%20test", "blocked:…"],
    ["blocked: yöur HÍV tést", "blocked: …"],
    ["blocked: a clinic", "blocked: a clinic"],
    ["The message is spam", "The message is spam"],
  ])("is left out: %s", (words, stored) => {
    expect(strip(`kannel: HTTP 400: ${words}`)).toBe(`kannel: HTTP 400: ${stored}`);
  });

  it("is never repeated, whatever capitals and signs are put into it", () => {
    const sign = fc.constantFrom("", " ", "  ", ", ", "-", "!", "\n", "_", "+", "%20");
    const words = fc.stringMatching(/^[g-z ]{0,30}$/);
    fc.assert(
      fc.property(
        words,
        fc.stringMatching(/^[a-z ]{12,60}$/),
        words,
        fc.array(sign),
        fc.boolean(),
        (a, text, b, signs, isLoud) => {
          const spelled = [...text].map((it, at) => (it === " " ? (signs[at] ?? " ") : it)).join("");
          const stored = stripWords(`kannel: HTTP 400: ${a}${isLoud ? spelled.toUpperCase() : spelled}${b}`, {
            text,
            phone: null,
          });
          const kept = stored.slice("kannel: HTTP 400".length).split("…").map(letters);
          for (const part of kept)
            for (let at = 0; at + 8 <= part.length; at++) expect(letters(text)).not.toContain(part.slice(at, at + 8));
        },
      ),
      { numRuns: 500 },
    );
  });
});

it.each([
  ["twilio: undelivered, 30005", "twilio: undelivered, 30005"],
  ["kannel: refused by the SMSC: id:12 text", "kannel: refused by the SMSC"],
  ["telnyx: delivery_failed, 40001: Not routable", "telnyx: delivery_failed, 40001"],
  ["no route to 12065550142", ""],
])("without any words, only our own beginning is left: %s", (reason, left) => {
  expect(withoutWords(reason)).toBe(left);
});
