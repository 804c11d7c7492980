/** The reader of files against csv-parse in strict mode: what it takes is read the same, and what it refuses for its shape is refused. */
import { parse, CsvError as StrictError } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CsvError } from "../../../src/domain/people/csv.ts";
import { PhoneRowReader, readPhoneColumn } from "../../../src/domain/people/phone-file.ts";

type Outcome<T> = { rows: T[] } | { refused: string };

function tryRead<T>(read: () => T[], refusal: typeof CsvError | typeof StrictError): Outcome<T> {
  try {
    return { rows: read() };
  } catch (error) {
    if (!(error instanceof refusal)) throw error;
    return { refused: error instanceof StrictError ? error.code : error.message };
  }
}

/** The cells of `phone_numbers` and `email`. */
const ours = (text: string) =>
  tryRead(() => {
    const rows: string[][] = [];
    const reader = new PhoneRowReader({ others: ["email"] }, (cells) =>
      rows.push(cells.map((cell) => (cell ?? "").trim())),
    );
    reader.write(text);
    reader.end();
    return rows;
  }, CsvError);

const fast = (text: string) =>
  tryRead(() => {
    const cells = readPhoneColumn(text);
    if (Array.isArray(cells)) return cells.map((cell) => cell.trim());
    const { text: whole, bounds } = cells;
    return Array.from({ length: bounds.length / 2 }, (_, row) =>
      whole.slice(bounds[2 * row], bounds[2 * row + 1]).trim(),
    );
  }, CsvError);

/** Missing cells are blank, and blanks behind a cell do not count: the rest of the mode is strict. */
const strict = (text: string, delimiter: string, record_delimiter: string) =>
  tryRead(() => {
    const options = { delimiter, record_delimiter, rtrim: true, skip_empty_lines: true, columns: false as const };
    const [names = [], ...rows] = parse(text, {
      ...options,
      skip_records_with_empty_values: true,
      relax_column_count_less: true,
    }) as string[][];
    const places = ["phone_numbers", "email"].map((name) => names.indexOf(name));
    return rows.map((row) => places.map((place) => (row[place] ?? "").trim()));
  }, StrictError);

/** How a cell stands in the file: `raw` as it is. */
const cell = fc.tuple(
  fc.constantFrom("+12125550100", "", "Ann", "a@example.com", "Example, Ann", 'say "hi"', "two\nlines", "x;y", " "),
  fc.constantFrom("written", "written", "written", "quoted", "raw", "open", "text behind", "blanks behind"),
);

const file = fc
  .record({
    rows: fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 }),
    separator: fc.constantFrom(",", ";"),
    lineEnd: fc.constantFrom("\n", "\r\n"),
    end: fc.constantFrom("", "\n"),
  })
  .map(({ rows, separator, lineEnd, end }) => {
    const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
    const write = ([text, how]: [string, string]) => {
      if (how === "raw") return text.replaceAll(/["\n]/g, "");
      if (how === "open") return `"${text.replaceAll('"', "")}`;
      if (how === "text behind") return `${quote(text)}x`;
      if (how === "blanks behind") return `${quote(text)} `;
      return how === "quoted" || /[",;\n]/.test(text) ? quote(text) : text;
    };
    const lines = rows.map((row) => row.map(write).join(separator));
    return {
      text: [`name${separator}phone_numbers${separator}email`, ...lines].join(lineEnd) + end,
      separator,
      lineEnd,
    };
  });

describe("a file of people", () => {
  const seen = { taken: 0, quotes: 0, longer: 0 };

  it("is read as a strict reader does, in each of our readers", () => {
    fc.assert(
      fc.property(file, ({ text, separator, lineEnd }) => {
        const [mine, theirs] = [ours(text), strict(text, separator, lineEnd)];
        if ("rows" in theirs) {
          seen.taken += 1;
          expect(mine).toEqual(theirs);
        } else if (theirs.refused === "CSV_RECORD_INCONSISTENT_FIELDS_LENGTH") {
          seen.longer += 1;
          // Blank fields beyond the first line are no fields.
          const without = text.replaceAll(/(?:[,;] *(?:" *")? *)+(?=\r?\n|$)/g, "");
          if ("rows" in mine) expect(strict(without, separator, lineEnd)).toEqual(mine);
          else expect(mine.refused).toMatch(/has \d fields|quote|closed/);
        } else {
          seen.quotes += 1;
          expect(mine).toHaveProperty("refused");
        }
        const quick = fast(text);
        if ("rows" in mine) expect(quick).toEqual({ rows: mine.rows.map(([phone]) => phone) });
        else expect(quick).toEqual(mine);
      }),
      { numRuns: 1500 },
    );
  });

  it("is one of each kind often enough", () => {
    const { taken, quotes, longer } = seen;
    expect([taken, quotes, longer].every((count) => count > 50)).toBe(true);
  });
});
