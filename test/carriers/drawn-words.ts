import * as fc from "fast-check";
import { expect, it } from "vitest";
import { findWordFault, readKeyword } from "../../src/domain/people/keyword.ts";

/** A website's own words. @param numRuns how many are drawn */
export function testDrawnWords(numRuns: number): void {
  it("opt out once they are allowed, whatever they are", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 2, maxLength: 40 }), (word) => {
        if (findWordFault(word) === undefined) expect(readKeyword(word, [word])).toBe("stop");
      }),
      { numRuns },
    );
  });
}
