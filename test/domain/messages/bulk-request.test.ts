import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RequestFailure } from "../../../src/domain/failure.ts";
import { BrokenBodyError } from "../../../src/domain/json-reader.ts";
import type { BulkChunk } from "../../../src/domain/messages/bulk-request.ts";
import { cutAt, encode, inPieces, places, readChunks, readPieces, testDrawnMessages } from "./drawn-bulk-requests.ts";

/** What a reader of the whole body makes of it. */
function parseChunks(bytes: Uint8Array): BulkChunk[] {
  const body: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  const items: unknown = (body as { messages?: unknown } | null)?.messages;
  return Array.isArray(items) && items.length > 0 ? [{ items, json: JSON.stringify(items) }] : [];
}

/** A chunk has the JSON as it is written, white space included. */
const withoutSpace = (chunks: BulkChunk[]) =>
  chunks.map(({ items, json }) => ({ items, json: JSON.stringify(JSON.parse(json)) }));

function outcomeOf(read: () => BulkChunk[], refusals: (new () => Error)[]): unknown {
  try {
    return read();
  } catch (error) {
    if (refusals.some((refusal) => error instanceof refusal)) return "refused";
    throw error;
  }
}

/** Whether the text has a string twice: then a changed character may have made one field of an object into another. */
function hasStringTwice(json: string): boolean {
  const strings = json.match(/"(?:[^"\\]|\\.)*"/gs) ?? [];
  return new Set(strings).size < strings.length;
}

function failureOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error instanceof RequestFailure ? error.failure : error;
  }
}

describe("the messages of a bulk request", () => {
  testDrawnMessages(50);

  it("are accepted and refused as JSON.parse does, with a changed character or byte, wherever the body is cut", () => {
    const character = fc.constantFrom(...'{}[]:,"\\ \n\t0-+1.eEaé€ntrfu/\u0000\u001f\u0085\u00a0\u2028\uFEFF👍');
    const change = fc.record({ at: fc.nat(), remove: fc.nat(3), insert: fc.string({ unit: character, maxLength: 3 }) });
    const byte = fc.option(fc.record({ at: fc.nat(), value: fc.integer({ min: 0x80, max: 0xff }) }), { freq: 5 });
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom<unknown>(-0, 1e300, "\ud800", "\u2028", 'a"b\\é', [{}, []]));
    const body = fc.record({ a: value, messages: fc.array(value, { maxLength: 4 }), b: value });
    fc.assert(
      fc.property(
        body,
        fc.array(change, { maxLength: 2 }),
        byte,
        fc.nat(2),
        places,
        (whole, changes, broken, ...rest) => {
          const [indent, cuts] = rest;
          const json = changes.reduce(
            (it, { at, remove, insert }) => {
              const place = at % (it.length + 1);
              return it.slice(0, place) + insert + it.slice(place + remove);
            },
            JSON.stringify(whole, undefined, indent),
          );
          const bytes = encode(json);
          if (broken) bytes[broken.at % bytes.length] = broken.value;
          const expected = outcomeOf(() => parseChunks(bytes), [SyntaxError, TypeError]);
          const read = () => withoutSpace(readChunks(cutAt(bytes, cuts)));
          // JSON.parse takes the last of two fields of one name. The reader refuses them, as other tests show.
          const isRefused = hasStringTwice(json) && /"must stand once/.test(JSON.stringify(failureOf(read)));
          if (!isRefused) expect(outcomeOf(read, [BrokenBodyError])).toEqual(expected);
        },
      ),
      { numRuns: 800 },
    );
  });

  it.each([
    '{"messages":[]}',
    ' {"a":"messages","messages" : [ 1 , -0.50e+2, true,false , null,"x",[],{} ] ,"b":{"messages":[2]}} \r\n\t',
    '{"messages":[{"a":1,"b":2,"c":3,"2":0,"1":0}]}',
    '{"messages":[{"__proto__":{"phone":"+1"},"constructor":1,"toString":null}]}',
    '{"messages":[{"a":"\\ud800","b":"\\udc00\\ud83d","c":"\\ud83d\\udc4d\\ud83d\\u0041"},"\\"\\\\\\/\\b\\f\\n\\r\\t"]}',
    '\uFEFF{"messages":["\uFEFF",{"\uFEFF":"\uFEFF\uFEFF"}]}',
    // The library drops U+FEFF at the beginning of a string, raw or escaped.
    '{"messages":["\uFEFFa","\\uFEFFb","\\ud800\uFEFFc",{"\uFEFFd":"\uFEFF"}]}',
    '{"\uFEFFmessages":[1],"messages":[2]}',
    '{"messages":[{"__proto__":1,"a":{"__proto__":null}},[{"__proto__":[{"__proto__":{}}]}]]}',
    '{"__proto__":{"messages":[1]},"constructor":[2],"messages":[{"length":-1},{"4294967295":1,"a":2,"0":3}]}',
    '{"messages":[-0,0.1e1,1E+2,5e-324,1.7976931348623159e308,0.10000000000000000555,9007199254740993]}',
    '{"messages":["\u007f\u0085\u2028\u2029\uFFFF","\\u0000\\uD83D\\uDC4D\\/"]}',
    '{"\\u006dessages":[1]}',
    '{"messages":[1E999,-1e-999,12345678901234567890]}',
    '{"":1,"messages\\u0000":[1],"messages":[3]}',
    '{"messages":{"a":[1]}}',
    '{"messages":"x"}',
    '["messages",["messages",1],"messages","messages"]',
    "-12.5e3",
    '"messages"',
  ])("of %s are the same in whole and byte by byte", (body) => {
    const expected = parseChunks(encode(body));
    expect(withoutSpace(readChunks([encode(body)]))).toEqual(expected);
    expect(withoutSpace(readChunks(inPieces(encode(body), 1)))).toEqual(expected);
  });

  it.each([
    ['{"messages":[1],"messages":[2]}', "messages"],
    ['{"messages":1,"\\u006d\\u0065ssages":[]}', "messages"],
    ['{"a":1,"messages":[1],"a":2}', "a"],
    ['{"messages":[{"phone":1},{"phone":1,"text":{},"phone":2}]}', "messages[1].phone"],
    ['{"messages":[{"a":{"b":1,"b":1}}]}', "messages[0].a.b"],
    ['{"messages":[[{"b":1,"b":1}]]}', "messages[0][0].b"],
  ])("%s has a field twice, in whole and byte by byte", (body, field) => {
    const failure = { kind: "fields-wrong", details: [{ field, message: "must stand once: the body has it twice" }] };
    expect(failureOf(() => readChunks([encode(body)]))).toEqual(failure);
    expect(failureOf(() => readChunks(inPieces(encode(body), 1)))).toEqual(failure);
  });

  it.each([
    ['{"messages":[1]} x', '"x" where the end of the body was expected'],
    ['{"messages":[1]}{', '"{" where the end of the body was expected'],
    ['{"messages":[1],"a":tru}', '"}" within a word'],
    ['{"messages":[1],"a":[01]}', "a number where a comma"],
    ['{"messages":[1}', '"}" where a comma or "]"'],
    ['{"messages":[{"a":[}]}', '"}" where a value'],
    ['{"messages":[1],"a":{]}', '"]" where the name'],
    ['{"messages":[1,]}', '"]" where a value'],
    ['{"messages":["\u001f"]}', "U+001F within a string"],
    ['{"messages":[1],"a":"\u001f"}', "U+001F within a string"],
    ['{"messages":["\\u12g4"]}', '"g" after a backslash'],
    ['{"messages":[1', "is not complete"],
    ['{"messages":["\\u00', "is not complete"],
    ['{"messages":[1]\uFEFF}', 'U+FEFF where a comma or "}" was expected.'],
    ['{"messages":[', "is not complete"],
    // As the library may read other things than JSON: documents one after the other, with or without a separator.
    ['{"messages":[1]}{"messages":[2]}', '"{" where the end of the body was expected'],
    ['{"messages":[1]}\n{"messages":[2]}', '"{" where the end of the body was expected'],
    ['{"messages":[1]}\u001e', "U+001E where the end of the body was expected"],
    ['\uFEFF\uFEFF{"messages":[1]}', "U+FEFF where a value was expected"],
    ['{\uFEFF"messages":[1]}', "U+FEFF where the name"],
    ["[[\uFEFF1]]", "U+FEFF where a value"],
    ["[]\uFEFF", "U+FEFF where the end"],
    ['{"messages":[01]}', "a number where a comma"],
    ['{"messages":[-]}', '"]" within a number'],
    ['{"messages":[-01]}', "a number where a comma"],
    ['{"messages":[1.]}', '"]" within a number'],
    ['{"messages":[.5]}', '"." where a value'],
    ['{"messages":[1e]}', '"]" within a number'],
    ['{"messages":[1e+]}', '"]" within a number'],
    ['{"messages":[+1]}', '"+" where a value'],
    ['{"messages":[0x10]}', '"x" where a comma'],
    ['{"messages":[1_000]}', '"_" where a comma'],
    ['{"messages":[NaN]}', '"N" where a value'],
    ['{"messages":[-Infinity]}', '"I" within a number'],
    ['{"messages":[True]}', '"T" where a value'],
    ['{"messages":[nulll]}', '"l" where a comma'],
    ['{"messages":[,1]}', '"," where a value'],
    ['{"messages":[1,,2]}', '"," where a value'],
    ['{"messages":[1,],"a":1}', '"]" where a value'],
    ['{"messages":[{"a":1,}]}', '"}" where the name'],
    ['{"messages":[{"a"}]}', '"}" where a colon'],
    ['{"messages":[{1:1}]}', "a number where the name"],
    ['{"messages":[[1}]}', '"}" where a comma or "]"'],
    ['{"messages":[1]]', '"]" where a comma or "}"'],
    ['{"messages":[/* a */1]}', '"/" where a value'],
    ["{'messages':[1]}", "Strings take double quotes"],
    ['{"messages":["a\tb"]}', "a tab within a string"],
    ['{"messages":["\\x41"]}', '"x" after a backslash'],
    ['{"messages":["\\U0041"]}', '"U" after a backslash'],
    ['{"messages":["\\u004"]}', "a double quote after a backslash"],
    ['{"messages":[1]}\u0000', "U+0000 where the end"],
    ['{"messages":[1]\u2028}', "U+2028 where a comma"],
    ["-", "is not complete"],
    ["1.", "is not complete"],
    ["tru", "is not complete"],
    ["", "is empty"],
    ["\uFEFF \n", "is empty"],
  ])("of %s are refused, in whole and byte by byte", (body, problem) => {
    for (const size of [1, 65_536]) {
      expect(() => readChunks(inPieces(encode(body), size))).toThrow(BrokenBodyError);
      expect(() => readChunks(inPieces(encode(body), size))).toThrow(problem);
    }
  });

  it("come in chunks that do not depend on the pieces of the body", () => {
    const messages = Array.from({ length: 1203 }, (_, index) => (index === 7 ? "x".repeat(100_000) : { n: [index] }));
    const large = Array.from({ length: 6 }, (_, index) => String(index).repeat(150_000));
    const bytes = encode(JSON.stringify({ messages: [...messages, ...large] }, undefined, 1));
    const expected = readChunks(inPieces(bytes, 65_536));
    expect(expected.map(({ items }) => items.length)).toEqual([500, 500, 206, 3]);
    for (const { items, json } of withoutSpace(expected)) expect(json).toBe(JSON.stringify(items));
    for (const size of [977, 4096, 200_000]) expect(readChunks(inPieces(bytes, size))).toEqual(expected);
  });

  it.each([
    ["a message", `{"messages":[["${"x".repeat(300_000)}`],
    ["its arrays", `{"messages":[[${"0,".repeat(150_000)}`],
    ["another field", `{"a":["${"x".repeat(300_000)}`],
    ["another array", `{"a":[${"0,".repeat(150_000)}`],
    ["space", `{"messages":[1,${" ".repeat(400_000)}`],
  ])("fail after 256 KB of %s", (_, body) => {
    expect(failureOf(() => readChunks(inPieces(encode(body), 65_536)))).toMatchObject({ kind: "fields-wrong" });
    const complete = body.replace("[1,", "[").slice(0, 250_000);
    expect(() => readChunks(inPieces(encode(complete), 65_536))).toThrow("is not complete");
  });

  it("fail where they are nested more than a thousand deep, in other fields as well", () => {
    const nest = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    for (const field of ["messages", "other"]) {
      expect(readChunks([encode(`{"${field}":${nest(999)}}`)])).toHaveLength(field === "messages" ? 1 : 0);
      expect(failureOf(() => readChunks([encode(`{"${field}":${nest(1000)}}`)]))).toMatchObject({
        kind: "fields-wrong",
      });
    }
  });

  it.each([
    ["a long string", 64_000, JSON.stringify("é".repeat(31_980))],
    ["many escapes", 64_000, `"${"\\u00e9\\n".repeat(8_000)}"`],
    ["many names", 64_000, `{${Array.from({ length: 7_300 }, (_, index) => `"${index}":1`).join(",")}}`],
    ["many arrays", 64_000, `[${`${"[".repeat(990)}${"]".repeat(990)},`.repeat(33)}0]`],
    ["one long number", 64_000, "1".repeat(64_000)],
    ["space", 64_000, `[${" ".repeat(64_000)}]`],
  ])("take work in proportion to their size, with %s in pieces of one byte", (_, size, item) => {
    const body = encode(`{"messages":[${item}]}`);
    expect(body.length).toBeGreaterThan(size - 50);
    const { result, parsed, sliced, decoded } = countWork(() => readPieces(inPieces(body, 1)));
    expect(parsed).toBeLessThan(body.length + 100);
    expect(sliced).toBeLessThan(body.length);
    // The library decodes strings, and the reader items.
    expect(decoded).toBeLessThan(2 * body.length + 100);
    expect(result).toEqual([JSON.parse(item)]);
  });
});

/** Counts the characters and bytes that go through JSON.parse, slice and decode while it works. */
function countWork<T>(work: () => T) {
  const { parse } = JSON;
  const { slice } = String.prototype;
  const { decode } = TextDecoder.prototype;
  const counts = { parsed: 0, sliced: 0, decoded: 0 };
  JSON.parse = (text) => {
    counts.parsed += text.length;
    return parse(text);
  };
  String.prototype.slice = function (...range) {
    const part = slice.apply(this, range);
    counts.sliced += part.length;
    return part;
  };
  TextDecoder.prototype.decode = function (...given) {
    counts.decoded += (given[0] as Uint8Array | undefined)?.byteLength ?? 0;
    return decode.apply(this, given);
  };
  try {
    const result = work();
    return { result, ...counts };
  } finally {
    JSON.parse = parse;
    String.prototype.slice = slice;
    TextDecoder.prototype.decode = decode;
  }
}
