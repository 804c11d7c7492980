/** Bodies that say the same have one form, and no two others do: numbers are compared digit by digit, and not as doubles. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../../src/domain/messages/canonical-json.ts";

const equal = (one: string, other: string) => canonicalJson(one) === canonicalJson(other);

describe("two numbers", () => {
  it.each([
    ["9007199254740993", "9007199254740992"],
    ["0.1234567890123456789", "0.1234567890123456788"],
    ["1e400", "2e400"],
    ["1e400", "null"],
    ["-1", "1"],
    ["1e-400", "0"],
    ["1e1000000000000000", "2e1000000000000000"],
    ["1", '"1"'],
    ["10", "1"],
    ["0.1", "0.1000000000000000055511151231257827"],
  ])("%s and %s are another body", (one, other) => {
    for (const wrap of [(it: string) => it, (it: string) => `{"a":[1,{"b":${it}}]}`]) {
      expect(equal(wrap(one), wrap(other))).toBe(false);
    }
  });

  it.each([
    ["1", "1.0"],
    ["100", "1e2"],
    ["0", "-0.00e7"],
    ["12.50", "1250E-2"],
    ["9007199254740993", "9007199254740993.000"],
    ["1e400", "10e399"],
  ])("%s and %s are the same", (one, other) => {
    expect(equal(`{"a":${one}}`, `{ "a" : ${other} }`)).toBe(true);
  });

  /** As a fraction of whole numbers. */
  interface Decimal {
    digits: bigint;
    power: number;
  }
  const decimal = fc.record({
    digits: fc.oneof(
      fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
      fc.bigInt({ min: 2n ** 53n - 2n, max: 2n ** 53n + 4n }),
      fc.bigInt({ min: -3n, max: 30n }),
    ),
    power: fc.integer({ min: -6, max: 6 }),
  });
  const isSame = (a: Decimal, b: Decimal) =>
    a.digits * 10n ** BigInt(a.power + 6) === b.digits * 10n ** BigInt(b.power + 6);

  /** With so many zeros at the end, and as an exponent or with a point. */
  function write({ digits, power }: Decimal, zeros: number, form: "plain" | "exponent"): string {
    const shifted = power - zeros;
    const all = String((digits < 0n ? -digits : digits) * 10n ** BigInt(zeros));
    const sign = digits < 0n ? "-" : "";
    if (form === "exponent") return `${sign}${all}e${shifted}`;
    if (shifted >= 0) return sign + (all === "0" ? "0" : all + "0".repeat(shifted));
    const padded = all.padStart(1 - shifted, "0");
    return `${sign}${padded.slice(0, shifted)}.${padded.slice(shifted)}`;
  }

  it("are the same if they are equal as fractions, however each is written, and not otherwise", () => {
    const form = fc.constantFrom("plain" as const, "exponent" as const);
    const other = fc.option(decimal, { nil: undefined });
    fc.assert(
      fc.property(decimal, other, fc.nat(9), fc.nat(9), form, form, (one, given, zeros, more, first, second) => {
        const two = given ?? one;
        const [a, b] = [write(one, zeros, first), write(two, more, second)];
        expect([a, b, equal(`{"n":${a}}`, `{"n":${b}}`)]).toEqual([a, b, isSame(one, two)]);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("a body", () => {
  it("is the same with its keys in another order, and with other white space", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(4), (value, indent) => {
        const written = JSON.stringify(reversed(JSON.parse(JSON.stringify(value))), undefined, indent);
        expect(equal(JSON.stringify(value), written)).toBe(true);
      }),
    );
  });

  it("is another with any other value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const [a, b] = [one, other].map((value) => JSON.stringify(value)) as [string, string];
        expect(equal(a, b)).toBe(isAlike(JSON.parse(a), JSON.parse(b)));
      }),
    );
  });

  it("has its own keys alone, whatever they are called", () => {
    expect(equal('{"__proto__":1}', '{"__proto__":2}')).toBe(false);
    expect(equal('{"rawJSON":"1"}', '{"rawJSON":"2"}')).toBe(false);
    expect(equal('{"a":{"rawJSON":"1"}}', '{"a":1}')).toBe(false);
  });

  it("stays as it is where it is nested too deeply", () => {
    const deep = (inner: string) => "[".repeat(50_000) + inner + "]".repeat(50_000);
    expect(canonicalJson(deep("1"))).toBe(deep("1"));
  });

  it("is read in time where a number has 100,000 digits", () => {
    const long = `1${"0".repeat(100_000)}1`;
    expect(equal(long, `${long}.0`)).toBe(true);
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

function isAlike(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return one === other || (one === 0 && other === 0);
  const [keys, others] = [Object.keys(one), Object.keys(other)];
  const at = (value: object, key: string) => (value as Record<string, unknown>)[key];
  return (
    Array.isArray(one) === Array.isArray(other) &&
    keys.length === others.length &&
    keys.every((key) => Object.hasOwn(other, key) && isAlike(at(one, key), at(other, key)))
  );
}
