import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { placeLink } from "../../../src/domain/messages/link.ts";

const U = "https://shop.example.com/sale?a=1";

describe("the link", () => {
  it.each<[string, string]>([
    ["white space", " now"],
    ["a no-break space", "\u00a0now"],
    ["the end of a line", "\nnow"],
    ["a full stop", "."],
    ["a comma before a word", ", now"],
    ["several marks", "?!!"],
    ["a bracket", ")"],
    ["a bracket and a full stop", ")."],
    ["a square bracket", "]"],
    ["an apostrophe as a quotation mark", "' now"],
    ["a straight quotation mark", '"'],
    ["a curly quotation mark", "”"],
    ["a full stop within a quotation", ".”"],
    ["a single curly quotation mark", "’"],
    ["an apostrophe of a genitive, as books print it", "’s"],
    ["a guillemet", "»"],
    ["a low quotation mark", "„"],
    ["angle brackets", ">"],
    ["angle brackets and a word", ">now"],
    ["an ellipsis", "…"],
    ["three full stops", "..."],
    ["an em dash before a word", "—now"],
    ["an en dash", "–"],
    ["two hyphens before a space", "-- now"],
    ["an emoji", "🎉"],
    ["an emoji before a word", "🎉now"],
    ["a Chinese full stop and more text", "。今日"],
    ["Japanese text", "を見て"],
    ["a full-width exclamation mark", "！"],
    ["an Arabic question mark", "؟"],
    ["an Arabic comma", "، الآن"],
    ["a Devanagari danda", "।"],
    ["a Greek ano teleia", "·"],
    ["a zero-width space", "\u200b"],
    ["a zero-width space and a word", "\u200bnow"],
    ["a letter with an accent", "é"],
    ["a vertical bar", "|x"],
    ["a backslash", "\\x"],
    ["braces", "}"],
    ["a backtick", "`"],
    ["an asterisk, as for bold", "*"],
    ["an underscore, as for italics", "_ now"],
    ["a tilde, as for strikethrough", "~"],
    ["nothing", ""],
  ])("takes the place of a URL before %s", (_, after) => {
    expect(placeLink(`Buy ${U}${after}`, U, "L")).toBe(`Buy L${after}`);
  });

  it.each<[string, string]>([
    ["a longer path", "/more"],
    ["a slash", "/"],
    ["a slash and a full stop", "/."],
    ["more of its last word", "x"],
    ["a digit", "0"],
    ["an escape", "%20x"],
    ["another parameter", "&b=2"],
    ["a fragment", "#top"],
    ["an ending", ".html"],
    ["a comma and a word", ",then"],
    ["a genitive as typewriters write it", "'s"],
    ["a hyphen and a word", "-now"],
    ["a bracket and a word", "(now)"],
    ["punctuation, and then more", ".,!x"],
    ["an at sign", "@b.example"],
    ["an equals sign", "="],
  ])("follows a text whose URL goes on with %s, and so is another", (_, after) => {
    expect(placeLink(`Buy ${U}${after} now`, U, "L")).toBe(`Buy ${U}${after} now L`);
  });

  it.each<[string, string]>([
    [`<${U}>`, "<L>"],
    [`“${U}”`, "“L”"],
    [`«${U}»`, "«L»"],
    [`*${U}*`, "*L*"],
    [`_${U}_`, "_L_"],
    [`見て ${U}。今日`, "見て L。今日"],
    [`「${U}」${U}、${U}`, "「L」L、L"],
    [`${U} or ${U}/more`, `L or ${U}/more`],
    [`${U}/more or ${U}`, `${U}/more or L`],
  ])("of %j gives %j, and is not appended", (text, placed) => {
    expect(placeLink(text, U, "L")).toBe(placed);
  });

  it.each<[string, string]>([
    ["https://shop.example.com/", "L"],
    ["https://shop.example.com/.", "L."],
    ["https://shop.example.com/ now", "L now"],
    ["https://shop.example.com", "L"],
    ["https://shop.example.com//", "https://shop.example.com// L"],
    ["https://shop.example.com/a", "https://shop.example.com/a L"],
    ["https://shop.example.com/?a", "https://shop.example.com/?a L"],
    ["https://shop.example.com.evil.example", "https://shop.example.com.evil.example L"],
    ["https://shop.example.com:8080", "https://shop.example.com:8080 L"],
  ])("of a URL without a path takes the slash after it, which says the same: %j", (text, placed) => {
    expect(placeLink(text, "https://shop.example.com", "L")).toBe(placed);
  });

  /** The characters that RFC 3986 has, in the groups of its appendix A. */
  const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", ..."0123456789"];
  const UNRESERVED = [...LETTERS, "-", ".", "_", "~"];
  const RESERVED = [...":/?#[]@", ..."!$&'()*+,;="];
  const OF_A_URL = new Set([...UNRESERVED, ...RESERVED, "%"]);
  const TRAILING = [..."-.,:;!?'*_~)]"];

  const url = fc.constantFrom(
    U,
    "http://a.example/x",
    "https://b.example/ä|b",
    "https://c.example/(d)",
    "HTTP://D.example/%C3%A9",
  );
  const character = fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 });
  const elsewhere = character.filter((one) => !OF_A_URL.has([...one][0] ?? ""));
  const trailing = fc.array(fc.constantFrom(...TRAILING), { maxLength: 5 }).map((marks) => marks.join(""));
  const goingOn = fc.constantFrom(...[...OF_A_URL].filter((one) => !TRAILING.includes(one)));
  /** What stands between URLs begins where no URL goes on, and has none itself. */
  const between = fc
    .tuple(elsewhere, fc.string({ unit: "grapheme", maxLength: 8 }))
    .map((parts) => parts.join(""))
    .filter((text) => !/http/i.test(text));
  const mention = fc.tuple(trailing, fc.option(goingOn), between);

  it("stands for each whole URL and no other, whatever is around it", () => {
    fc.assert(
      fc.property(url, between, fc.array(mention, { maxLength: 4 }), (clickUrl, beginning, mentions) => {
        const text = mentions.reduce(
          (all, [marks, more, rest]) => all + clickUrl + marks + (more ?? "") + rest,
          beginning,
        );
        const isPlaced = mentions.some(([, more]) => more === null);
        const placed = mentions.reduce(
          (all, [marks, more, rest]) => all + (more === null ? "LINK" : clickUrl) + marks + (more ?? "") + rest,
          beginning,
        );
        expect(placeLink(text, clickUrl, "LINK")).toBe(isPlaced ? placed : `${text} LINK`);
      }),
      { numRuns: 1000 },
    );
  });
});
