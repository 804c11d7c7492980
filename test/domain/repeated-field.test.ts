import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findRepeatedField } from "../../src/domain/repeated-field.ts";

describe("a field that stands twice", () => {
  it.each<[string, string | undefined]>([
    ['{"a":1,"a":1}', "a"],
    ['{"a":1, "b":{"a":2} , "\\u0061" : [3]}', "a"],
    ['{"x":{"y":[{},{"z":1,"q":{"z":0},"z":2}]}}', "x.y[1].z"],
    ['[{"a":1},{"a":1,"a":2}]', "[1].a"],
    ['{"":1,"":2}', ""],
    ['{"__proto__":1,"__proto__":2}', "__proto__"],
    ['{"a\\"":1,"a\\"":2}', 'a"'],
    ['{"a\\\\":1,"a":2}', undefined],
    ['{"a":"\\\\","b":"\\",\\"b\\":","c":"{\\"c\\":1}"}', undefined],
    ['{"a":{"a":{"a":[]}},"b":[{"a":1},{"a":1}]}', undefined],
    ['{"A":1,"a":2,"a ":3}', undefined],
    ['"a"', undefined],
    ["[1,true,null,[],[[]],{}]", undefined],
    ["1", undefined],
  ])("in %s is %s", (text, field) => {
    expect(findRepeatedField(text)).toBe(field);
  });

  /** JSON with its objects as lists of fields, so that a name may stand twice. */
  type Fields = { fields: [string, Json][] };
  type Json = string | number | boolean | null | Json[] | Fields;
  const name = fc.constantFrom("a", "b", "a\\", 'a"', "\u00e9", "");
  const { json } = fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(fc.string({ unit: fc.constantFrom('"', "\\", "{", ":", ",", "a") }), fc.integer(), fc.boolean()),
      fc.array(tie("json"), { maxLength: 3 }),
      fc.array(fc.tuple(name, tie("json")), { maxLength: 3 }).map((fields) => ({ fields })),
    ),
  }));

  function write(value: Json, space: string): string {
    if (Array.isArray(value)) return `[${value.map((item) => write(item, space)).join(`${space},`)}]`;
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    return `{${value.fields.map(([key, inner]) => `${space}${JSON.stringify(key)}${space}:${write(inner, space)}`).join(",")}}`;
  }

  function isRepeated(value: Json): boolean {
    if (Array.isArray(value)) return value.some(isRepeated);
    if (typeof value !== "object" || value === null) return false;
    const names = value.fields.map(([key]) => key);
    return new Set(names).size < names.length || value.fields.some(([, inner]) => isRepeated(inner));
  }

  it("is found wherever it is, and nowhere else", () => {
    fc.assert(
      fc.property(json, fc.constantFrom("", " ", "\n\t"), (value, space) => {
        expect(findRepeatedField(write(value, space)) !== undefined).toBe(isRepeated(value));
      }),
      { numRuns: 2000 },
    );
  });
});
