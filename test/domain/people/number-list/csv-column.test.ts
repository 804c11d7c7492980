import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CsvError } from "../../../../src/domain/people/csv.ts";
import { readPlainColumn } from "../../../../src/domain/people/number-list/csv-column.ts";
import { readTable } from "../whole-file.ts";

type Cells = { rows: number; cells: string[] } | { error: string } | "a row is longer than the first line";

function readFast(csv: string, name: string, most: number): Cells {
  try {
    const column = readPlainColumn(csv, name, most);
    if (!column) return "a row is longer than the first line";
    const { text, rows, bounds } = column;
    const places = [...bounds];
    return { rows, cells: places.flatMap((start, i) => (i % 2 === 0 ? text.slice(start, places[i + 1]) : [])) };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return { error: error.message };
  }
}

function readWhole(csv: string, name: string, most: number): Cells {
  const table = readTable(csv, name);
  if ("found" in table) {
    const found = table.found.slice(0, 10).map((column) => JSON.stringify(column));
    return { error: `has no column headed ${name}; its first line has ${found.join(", ") || "nothing"}` };
  }
  const { columns, rows } = table;
  const [index = -1, ...others] = columns.flatMap((column, place) => (column.toLowerCase() === name ? [place] : []));
  const last = others.at(-1);
  if (last !== undefined) {
    const places = `the columns ${index + 1} and ${last + 1}`;
    return { error: `has two columns headed ${name}, ${places}: remove one, or give it another name` };
  }
  const widthOf = (fields: string[]) =>
    fields.findLastIndex((field) => field.replaceAll(/[\s\u200b\ufeff]/g, "") !== "");
  if (rows.some(({ fields }) => widthOf(fields) > widthOf(columns))) return "a row is longer than the first line";
  return { rows: rows.length, cells: rows.slice(0, most).map(({ fields }) => fields[index] ?? "") };
}

describe("a column of a CSV file", () => {
  const first = fc.constantFrom("", "", "sep=;\n", "SEP=,\r\n", "sep=\t\r", "\n\nsep=;\n");
  const unit = fc.constantFrom("a", "A", "1", ",", ";", "\t", "\n", "\r", " ", "\u200b", "\ufeff", "é");

  it("gives a column of any text without quotes as the reader of records does", () => {
    const text = fc.tuple(first, fc.string({ unit, maxLength: 40 })).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, fc.constantFrom("a", "1", "é"), fc.integer({ min: 0, max: 5 }), (given, name, most) => {
        expect(readFast(given, name, most)).toEqual(readWhole(given, name, most));
      }),
      { numRuns: 1000 },
    );
  });

  it("gives it of a table, whatever stands between its cells", () => {
    const cell = fc.constantFrom("+12125550100", "", " ", "x", "\u200b");
    const rows = fc.array(fc.array(cell, { maxLength: 4 }), { maxLength: 12 });
    const separators = fc.constantFrom(",", ";", "\t");
    const lineEnds = fc.constantFrom("\n", "\r\n", "\r");
    fc.assert(
      fc.property(rows, separators, lineEnds, fc.nat(3), first, (cells, separator, lineEnd, index, before) => {
        const heading = ["b", "c", "d"].toSpliced(index, 0, "a");
        const given = before + [heading, ...cells].map((row) => row.join(separator)).join(lineEnd);
        expect(readFast(given, "a", 100)).toEqual(readWhole(given, "a", 100));
      }),
      { numRuns: 1000 },
    );
  });
});
