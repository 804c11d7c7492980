import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { IgnoredFields } from "../../../src/domain/messages/ignored-fields.ts";

const schema = z.object({ phone: z.string(), text: z.string().optional() }).transform((body) => body);

function ignoredOf(...bodies: unknown[]): IgnoredFields {
  const ignored = new IgnoredFields();
  for (const body of bodies) ignored.addOf(schema, body);
  return ignored;
}

const numbered = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`name${n}`, n]));

describe("the ignored fields", () => {
  it.each<[string, unknown, string]>([
    ["that are none", { phone: "+1", text: "a" }, ""],
    [
      "in the order and the case in which they were sent",
      { sendTime: 1, Phone: 2, phone: "+1", click_url: null },
      "sendTime, Phone, click_url",
    ],
    ["of the top level only", { phone: { a: 1 }, more: { inner: 1 } }, "more"],
    ["of what is no object", [{ a: 1 }], ""],
    ["of null", null, ""],
    ["of a text", "abc", ""],
    [
      "that look like those of every object",
      JSON.parse('{"__proto__":1,"constructor":2,"toString":3}'),
      "__proto__, constructor, toString",
    ],
    ["with a separator within", { "a, b": 1, "c,d": 2 }, "a%2C%20b, c%2Cd"],
    ["with a line break, or the rest of a header", { "a\r\nSet-Cookie: x=1": 1 }, "a%0D%0ASet-Cookie:%20x=1"],
    ["with NUL, DEL and a tab", { "a\0b\x7fc\td": 1 }, "a%00b%7Fc%09d"],
    ["with a percent sign", { "100%": 1, "%0D": 2 }, "100%25, %250D"],
    ["with more than ASCII", { größe: 1, "💬": 2 }, "gr%C3%B6%C3%9Fe, %F0%9F%92%AC"],
    ["with half of a surrogate pair", JSON.parse('{"\\ud83d":1}'), "%EF%BF%BD"],
    ["without a name", { "": 1, a: 2 }, "a"],
    ["beside one that is far too long", { ["x".repeat(501)]: 1, b: 2 }, "b"],
    ["of 20 and more", numbered(30), Object.keys(numbered(20)).join(", ")],
  ])("%s", (_, body, header) => {
    expect(ignoredOf(body).header).toBe(header);
  });

  it("of several bodies are named once each", () => {
    const ignored = ignoredOf({ a: 1, b: 2 }, { b: 3, c: 4 }, { a: 5 });
    expect(ignored.names).toEqual(["a", "b", "c"]);
  });

  it("fill a header of 500 characters, and no more", () => {
    const of = (length: number, letter: string) => letter.repeat(length);
    const four = ["a", "b", "c", "d"].map((letter) => of(99, letter));
    const named = (...names: string[]) => ignoredOf(Object.fromEntries(names.map((name) => [name, 1])));
    // Four names, and what stands between them, are 402 characters.
    expect(named(...four, of(96, "e"), "f").names).toEqual([...four, of(96, "e")]);
    expect(named(...four, of(96, "e")).header).toHaveLength(500);
    expect(named(...four, of(97, "e"), "f").names).toEqual([...four, "f"]);
  });

  it("can be read back, and hold nothing else, whatever the names are", () => {
    const name = fc.string({ unit: fc.constantFrom(...'ab,% \r\n\0é\ud83d\udcac:;="'), maxLength: 30 });
    fc.assert(
      fc.property(fc.array(name, { maxLength: 30 }), (names) => {
        const { header } = ignoredOf(Object.fromEntries(names.map((one) => [one, 1])));
        expect(header).toMatch(/^([\x21-\x7e]+(, [\x21-\x7e]+)*)?$/);
        expect(header.length).toBeLessThanOrEqual(500);
        const read = header === "" ? [] : header.split(", ").map(decodeURIComponent);
        expect(read.length).toBeLessThanOrEqual(20);
        const sent = names.map((one) => one.toWellFormed());
        for (const one of read) expect(sent).toContain(one);
      }),
    );
  });
});
