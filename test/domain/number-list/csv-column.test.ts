import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPlainColumn } from "../../../src/domain/number-list/csv-column.ts";
import { readTable } from "../whole-file.ts";

describe("a column of a CSV file", () => {
  it("gives a column of any text without quotes as the reader of records does", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "1", ",", "\n", "\r", " "), maxLength: 40 });
    fc.assert(
      fc.property(text, fc.constantFrom("a", "1", ""), fc.integer({ min: 0, max: 5 }), (given, name, most) => {
        const table = readTable(given);
        const columns = table?.columns ?? [];
        const index = columns.indexOf(name);
        const cells = index === -1 ? [] : [...(table?.rows ?? [])].map((row) => row[index] ?? "");
        const column = readPlainColumn(given, name, most);
        const bounds = [...(column.bounds ?? [])];
        const found = bounds.flatMap((start, i) => (i % 2 === 0 ? column.text.slice(start, bounds[i + 1]) : []));
        expect([column.columns, column.bounds === undefined]).toEqual([columns, index === -1]);
        expect([column.rows, found]).toEqual([cells.length, cells.slice(0, most)]);
      }),
      { numRuns: 2000 },
    );
  });
});
