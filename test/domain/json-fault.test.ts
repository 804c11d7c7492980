import { describe, expect, it } from "vitest";
import { explainPieces, testDrawnFaults } from "./drawn-json-faults.ts";
import { encode, explainWhole, hugeBodies } from "./huge-bodies.ts";

describe("a body that is not JSON", () => {
  it.each([
    ["", "The body is empty: send a JSON object."],
    [" \n", "The body is empty: send a JSON object."],
    [
      '{"text":"Hi "Ada"!"}',
      'The body is not JSON: line 1, column 14 (at text) has "A" where a comma or "}" was expected. Write a quote within a text as \\".',
    ],
    [
      '{\n  "phone": "+12125550100",\n}',
      'The body is not JSON: line 3, column 1 (at phone) has "}" where the name of a field in double quotes was expected. Is there a comma too many, or no value?',
    ],
    [
      "{'a': 1}",
      'The body is not JSON: line 1, column 2 has "\'" where the name of a field in double quotes was expected. Strings take double quotes.',
    ],
    [
      '{"text":"one\ntwo"}',
      "The body is not JSON: line 1, column 13 (at text) has a line break within a string: write it with a backslash, such as \\n.",
    ],
    [
      '{"text":"C:\\x"}',
      'The body is not JSON: line 1, column 13 (at text) has "x" after a backslash: write a backslash as \\\\.',
    ],
    ['{"text":"é","a" 1}', "The body is not JSON: line 1, column 17 (at a) has a number where a colon was expected."],
    [
      '{"a":1 "b":2}',
      'The body is not JSON: line 1, column 8 (at a) has a string where a comma or "}" was expected. Is a comma missing?',
    ],
    ['{"phone":+1212}', 'The body is not JSON: line 1, column 10 (at phone) has "+" where a value was expected.'],
    [
      '{"phone":}',
      'The body is not JSON: line 1, column 10 (at phone) has "}" where a value was expected. Is there a comma too many, or no value?',
    ],
    [
      '{"a":[{},1]\u00a0}',
      'The body is not JSON: line 1, column 12 (at a) has U+00A0 where a comma or "}" was expected.',
    ],
    ['{"a":1\uFEFF}', 'The body is not JSON: line 1, column 7 (at a) has U+FEFF where a comma or "}" was expected.'],
    ["[\r\n\n\r  x", 'The body is not JSON: line 4, column 3 (at [0]) has "x" where a value was expected.'],
    ['["😀",x', 'The body is not JSON: line 1, column 6 (at [1]) has "x" where a value was expected.'],
    ['{\n"a" 12', "The body is not JSON: line 2, column 5 (at a) has a number where a colon was expected."],
    [
      '[[[[[[["a",{"b":[1,{"c":2 3',
      'The body is not JSON: line 1, column 27 (at [0][0][0][0].c) has a number where a comma or "}" was expected.',
    ],
    ["phone=%2B12125550100", 'The body is not JSON: line 1, column 1 has "p" where a value was expected.'],
    ['{"a":[1,2', "The body is not complete: it ends (at a[1]) before the JSON does."],
    ['{"a":1}}', 'The body is not JSON: line 1, column 8 has "}" where the end of the body was expected.'],
    [
      '{"a":nul}',
      'The body is not JSON: line 1, column 9 (at a) has "}" within a word: JSON has only true, false and null.',
    ],
    ['{"a":01}', 'The body is not JSON: line 1, column 7 (at a) has a number where a comma or "}" was expected.'],
    ["[\uFEFF1]", "The body is not JSON: line 1, column 2 (at [0]) has U+FEFF where a value was expected."],
    [' \uFEFF{"a":1}', "The body is not JSON: line 1, column 2 has U+FEFF where a value was expected."],
    ['\uFEFF{"a" 1}', "The body is not JSON: line 1, column 6 (at a) has a number where a colon was expected."],
    [
      '{"messages":[{},{"text":"a" "b"}]}',
      'The body is not JSON: line 1, column 29 (at messages[1].text) has a string where a comma or "}" was expected. Is a comma missing?',
    ],
  ])("%j says where and what, in bulk as for a single send", (body, message) => {
    expect(explainWhole(encode(body))).toBe(message);
    expect(explainPieces(encode(body))).toBe(message);
  });

  it.each([
    [
      '{"text":"Hi "nice" one"}',
      'has "i" within a word: JSON has only true, false and null. Write a quote within a text as \\".',
    ],
    ['{"text":"Hi "007""}', 'has a number where a comma or "}" was expected. Write a quote within a text as \\".'],
    ['{"text":"Hi "-x""}', 'has "x" within a number. Write a quote within a text as \\".'],
    ['{"text":"Hi "", "phone":1}', 'has a string where a comma or "}" was expected. Is a comma missing?'],
  ])("%j says what to do about a quote within a text", (body, message) => {
    expect(explainWhole(encode(body))).toContain(message);
    expect(explainPieces(encode(body), 1)).toContain(message);
  });

  it("quotes no more of a body than a character and the first 40 of each name on the way", () => {
    const secret = "SECRET".repeat(8);
    const whole = `{"${secret}":{"a":["${secret}","b",87654321,true]},"c":null}`;
    const quotesMore = (body: string) => {
      const told = explainWhole(encode(body));
      const [field, path = ""] = / \(at (.+?)\)(?= has | before )/.exec(told) ?? [];
      const names = path.split(".").map((name) => name.replaceAll(/\[\d+\]/g, ""));
      return names.some((name) => name.length > 40) || /SEC|RET|8765|tru[^e]/.test(told.replace(field ?? "", ""));
    };
    // Every place, with nothing, one or two characters taken away.
    const bodies = Array.from({ length: whole.length + 1 }, (_, at) =>
      [0, 1, 2].flatMap((remove) =>
        [...'{}[]:,"\\ \n0-tx'].map((insert) => whole.slice(0, at) + insert + whole.slice(at + remove)),
      ),
    ).flat();
    expect(bodies.filter(quotesMore)).toEqual([]);
  });

  it.each(hugeBodies(1_000_000))("of 1 MB is explained, with %s", (_, body, message) => {
    expect(explainWhole(encode(body))).toContain(message);
  });

  it.each([
    ["gzip", [0x1f, 0x8b, 8, 0], "The body looks like gzip: it begins with the bytes 0x1F 0x8B. Send it uncompressed."],
    [
      "Latin-1",
      [...encode('{\n"text":"caf'), 0xe9, ...encode('"}')],
      "The body is not UTF-8: its byte 14 is 0xE9, at line 2, column 12, where no character begins so.",
    ],
    [
      "UTF-16",
      [0xff, 0xfe, 0x7b, 0],
      "The body is not UTF-8: its byte 1 is 0xFF, at line 1, column 1, where no character begins so.",
    ],
    [
      "a cut character",
      [...encode('"€'), 0xe2, 0x82],
      "The body is not UTF-8: its byte 5 is 0xE2, at line 1, column 3, where no character begins so.",
    ],
  ])("names bytes that are %s", (_, bytes, message) => {
    expect(explainWhole(Uint8Array.from(bytes))).toContain(message);
    const [kind] = /looks like gzip|not UTF-8/.exec(message) ?? [];
    expect(explainPieces(Uint8Array.from(bytes))).toContain(kind);
  });

  it("names the first fault, and the byte in it, of a character that the pieces cut", () => {
    const broken = [...encode('["é'), 0xe2, 0x82, ...encode('"]')];
    for (const size of [1, 2, 3, 4, 5, 6]) {
      expect(explainPieces(Uint8Array.from(broken), size)).toContain("not UTF-8: its byte 5 is 0xE2,");
      const earlier = explainPieces(Uint8Array.from([...encode("[1 €"), ...broken]), size);
      expect(earlier).toMatch(/ (byte|line 1, column) 4 \(at \[0\]\) has "€" where/);
      const ending = explainPieces(Uint8Array.from(broken.slice(0, 6)), size);
      expect(ending).toMatch("is not UTF-8: it ends within a character.");
    }
  });

  it("names the byte where the line began in an earlier piece", () => {
    const body = `{"messages":[${'{"text":"a"},'.repeat(20)}{"text":"€ "x"}]}`;
    const at = encode(body).length - 5;
    expect(explainPieces(encode(body), 50)).toContain(`: byte ${at + 1} (at messages[20].text) has "x" where a comma`);
  });

  testDrawnFaults(400);
});
