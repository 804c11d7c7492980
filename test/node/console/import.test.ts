import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutRows } from "../../../console/lib/import-file.ts";
import { CsvReader } from "../../../src/domain/people/csv.ts";

describe("a file is cut into pieces", () => {
  const recordsOf = (text: string, separator: string) => {
    const records: string[][] = [];
    const reader = new CsvReader(separator, (fields) => records.push(fields));
    reader.write(text);
    reader.end();
    return records;
  };
  const cell = fc.oneof(
    fc.constantFrom("+12065550142", "", 'say "hi"', "two\nlines", "a;b,c\td", '5" nail', "é😀"),
    fc.string({ maxLength: 6 }),
  );
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

  it("so that the service reads in them the rows of the file, each once and in order", () => {
    const file = fc.record({
      rows: fc.array(fc.tuple(cell, cell, fc.boolean()), { maxLength: 12 }),
      separator: fc.constantFrom(",", ";", "\t"),
      end: fc.constantFrom("\n", "\r\n", "\r"),
      most: fc.integer({ min: 1, max: 5 }),
      isEnded: fc.boolean(),
    });
    fc.assert(
      fc.property(file, ({ rows, separator, end, most, isEnded }) => {
        // A bare field may have a quote within, but no break and no separator.
        const write = (text: string, isBare: boolean) =>
          isBare && !/^\s*"|[\r\n,;\t]/.test(text) ? text : quoted(text);
        const lines = rows.map(
          ([one, other, isBare]) => `+1${separator}${write(one, isBare)}${separator}${write(other, isBare)}`,
        );
        const text = [["phone_numbers", "email", "note"].join(separator), ...lines].join(end) + (isEnded ? end : "");
        const { head, pieces } = cutRows(text, 2, separator, most);
        expect(pieces.flatMap((piece) => recordsOf(head + piece.text, separator).slice(1))).toEqual(
          recordsOf(text, separator).slice(1),
        );
        expect(pieces.map((piece) => piece.rows)).toEqual(
          pieces.map((piece) => recordsOf(head + piece.text, separator).length - 1),
        );
        expect(pieces.slice(0, -1).every((piece) => piece.rows === most)).toBe(true);
      }),
    );
  });

  it("each with all lines before the first row", () => {
    const { head, pieces } = cutRows('sep=;\r\n\r\n"phone\nnumbers";x\r\n+1;a\r\n\r\n+2;b\r\n', 5, ";", 1);
    expect(head).toBe('sep=;\r\n\r\n"phone\nnumbers";x\r');
    expect(pieces.map(({ text, rows }) => [text.trim(), rows])).toEqual([
      ["+1;a", 1],
      ["+2;b", 1],
    ]);
  });
});
