import fc from "fast-check";
import { expect, it } from "vitest";
import { BulkReader } from "../../src/domain/messages/bulk-request.ts";
import { findRepeatedField } from "../../src/domain/repeated-field.ts";
import { encode, explainWhole } from "./huge-bodies.ts";

/** The sentence of a bulk request. */
export function explainPieces(bytes: Uint8Array, size = 65_536): string {
  const reader = new BulkReader();
  try {
    for (let at = 0; at < bytes.length; at += size) reader.write(bytes.subarray(at, at + size));
    reader.end();
  } catch (error) {
    return `The body ${(error as Error).message}`;
  }
  return "";
}

/** A fault in a body that is changed at one place. @param numRuns how many bodies are drawn */
export function testDrawnFaults(numRuns: number): void {
  it("is found by both readers wherever JSON.parse fails and nowhere else, at the same place", () => {
    const character = fc.constantFrom(...'{}[]:,"\\ \n0-1.eaé€ntrf\u0000\u2028');
    const change = fc.record({ at: fc.nat(), remove: fc.nat(2), insert: fc.string({ unit: character, maxLength: 2 }) });
    fc.assert(
      fc.property(fc.jsonValue(), change, (value, { at, remove, insert }) => {
        const json = JSON.stringify({ messages: [value] });
        const place = at % json.length;
        const body = (json.slice(0, place) + insert + json.slice(place + remove)).toWellFormed();
        const fault = faultOf(body);
        if (fault === undefined) {
          // The change may give two fields one name.
          const told = findRepeatedField(body) === undefined ? "" : "The body fields-wrong";
          for (const size of [1, 2, 7, 65_536]) expect(explainPieces(encode(body), size)).toBe(told);
          return;
        }
        const told = explainWhole(encode(body));
        expect(told).toMatch(/^The body is (empty|not complete|not JSON: line \d+, column \d+)/);
        expect(explainPieces(encode(body))).toBe(told);
        for (const size of [1, 2, 7]) {
          const inPieces = explainPieces(encode(body), size);
          expect(withoutPlace(inPieces)).toBe(withoutPlace(told));
          if (inPieces !== told && told.includes(" line ")) expect(inPieces).toContain(` byte ${byteOf(told, body)} `);
        }
        const [, line, column] = /line (\d+) column (\d+)/.exec(fault) ?? [];
        if (line && !/[^\0-\x7f]/.test(body))
          expect(told).toMatch(new RegExp(`line ${line}, column ${column}|not complete|within a |after a backslash`));
      }),
      { numRuns },
    );
  });
}

const withoutPlace = (told: string) => told.replace(/ (line \d+, column|byte) \d+/, "");

/** The byte, from 1, that a line and column name. */
function byteOf(told: string, body: string): number {
  const [, line, column] = / line (\d+), column (\d+)/.exec(told) ?? [];
  const lines = body.split("\n").slice(0, Number(line));
  const before = [...(lines.pop() ?? "")].slice(0, Number(column) - 1).join("");
  return encode([...lines, before].join("\n")).length + 1;
}

/** What JSON.parse says of a fault. */
function faultOf(body: string): string | undefined {
  try {
    JSON.parse(body);
    return undefined;
  } catch (error) {
    return String(error);
  }
}
