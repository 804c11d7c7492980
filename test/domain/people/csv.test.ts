import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CsvReader, QuoteError, TextAfterQuoteError, UnclosedQuoteError } from "../../../src/domain/people/csv.ts";
import { csvRecords } from "./whole-file.ts";

function read(pieces: string[], separator = ",") {
  const records: { line: number; fields: string[] }[] = [];
  const reader = new CsvReader(separator, (fields, line) => records.push({ line, fields }));
  for (const piece of pieces) reader.write(piece);
  reader.end();
  return records;
}

const parse = (text: string) => read([text]).map(({ fields }) => fields);

describe("CSV", () => {
  it.each([
    [
      "LF",
      "a,b\n1,2\n",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    [
      "CRLF",
      "a,b\r\n1,2\r\n",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    [
      "CR",
      "a,b\r1,2\r",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    ["no line break at the end", "a\n1", [["a"], ["1"]]],
    ["blank lines", "\n\na\r\n\r\n  \n1\n\n", [["a"], ["1"]]],
    [
      "empty fields",
      "a,,b\n,c\n",
      [
        ["a", "", "b"],
        ["", "c"],
      ],
    ],
    ["rows of separators alone", ',,,\na\n,\n"",""\n ,"\u200b" \n"",\n1\n,', [["a"], ["1"]]],
    ["a comma at the end", "a,", [["a", ""]]],
    [
      "quoted fields",
      '"a","b,c"\n"d ""e""","f\ng"',
      [
        ["a", "b,c"],
        ['d "e"', "f\ng"],
      ],
    ],
    ["a quote inside a bare field", 'a"b,c', [['a"b', "c"]]],
    [
      "blanks before an opening quote",
      ' "a,b",c\n"d",\u00a0 "e\nf"\n \ufeff"g" ,\t\n',
      [
        ["a,b", "c"],
        ["d", "e\nf"],
        ["g", "\t"],
      ],
    ],
    [
      "blanks alone",
      "a,  \n ,b,\u00a0",
      [
        ["a", "  "],
        [" ", "b", "\u00a0"],
      ],
    ],
    ["blanks after a closing quote", '"a" \t,c\n"b"\u00a0\n"d" ', [["a", "c"], ["b"], ["d"]]],
    ["nothing", "", []],
  ])("with %s", (_, text, records) => {
    expect(parse(text)).toEqual(records);
  });

  it("says on which line a quote is opened that is never closed", () => {
    expect(() => parse('a\n"b\nc"\n"d')).toThrow(new UnclosedQuoteError(4));
  });

  it.each([
    ['"a"b,c', 1, 1],
    ['a\n"b\nc" d\n', 3, 2],
    ['x,"Ann\ny,Bob\nz,"Carl"', 3, 1],
    ['"a" "b"', 1, 1],
    ['"a"\ufffd', 1, 1],
  ])("refuses text after a closing quote: %j", (text, line, begins) => {
    expect(() => parse(text)).toThrow(new TextAfterQuoteError(line, begins));
  });

  it("says on which line of the file each record begins, also after quoted line breaks and blank lines", () => {
    const text = 'a,"b\r\nc\rd\ne"\r\n\r\n,\n"x\n"\nlast';
    expect(read([text]).map(({ line }) => line)).toEqual([1, 7, 9]);
    expect(read([...text]).map(({ line }) => line)).toEqual([1, 7, 9]);
  });

  it("knows the line of what comes next, wherever a piece ends", () => {
    const text = 'a,"b\r\nc""\rd\ne" \r\n\ny\r';
    for (let at = 0; at <= text.length; at++) {
      const reader = new CsvReader(",", () => {});
      reader.write(text.slice(0, at));
      // A line feed after a carriage return belongs to the line break before.
      expect(reader.line).toBe(
        text
          .slice(0, at)
          .replaceAll("\r\n", "\n")
          .split(/[\r\n]/).length,
      );
    }
  });

  const field = fc.string({ unit: fc.constantFrom("a", "1", "+", " ", ",", '"', "\n", "\r", "é", "👍"), maxLength: 8 });

  it("gives back whatever fields were written, with any line ending", () => {
    const records = fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { maxLength: 10 });
    fc.assert(
      fc.property(records, fc.constantFrom("\n", "\r\n", "\r"), fc.boolean(), (rows, lineEnd, quoteAll) => {
        const write = (text: string) => (quoteAll || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
        const text = rows.map((row) => row.map(write).join(",")).join(lineEnd);
        expect(parse(text)).toEqual(rows.filter((row) => row.join("").trim() !== ""));
      }),
    );
  });

  it("ends on any text, and loses no character but separators and quotes", () => {
    const text = fc.string({ unit: fc.constantFrom("a", ",", '"', "\n", "\r", " "), maxLength: 40 });
    const strip = (given: string) => given.replaceAll(/[",\n\r ]/g, "");
    fc.assert(
      fc.property(text, (given) => {
        try {
          expect(strip(parse(given).flat().join(""))).toBe(strip(given));
        } catch (error) {
          if (!(error instanceof QuoteError)) throw error;
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("reads the same from any pieces, its error included, as a reader of the whole text", () => {
    const text = fc.string({ unit: fc.constantFrom("a", ",", ";", '"', "\n", "\r", " ", "é", "👍"), maxLength: 40 });
    const outcome = (work: () => unknown) => {
      try {
        return work();
      } catch (error) {
        return error;
      }
    };
    fc.assert(
      fc.property(text, fc.constantFrom(",", ";"), fc.array(fc.nat(40), { maxLength: 6 }), (given, separator, cuts) => {
        const bounds = [0, ...cuts.sort((a, b) => a - b), given.length];
        const pieces = bounds.map((start, index) => given.slice(start, bounds[index + 1]));
        expect(outcome(() => read(pieces, separator))).toEqual(outcome(() => csvRecords(given, separator)));
      }),
      { numRuns: 1000 },
    );
  });
});
