/**
 * Files as tools write them, made on 28 November 2026 with two or three people of no real number: csv-stringify 6.9.0, d3-dsv 3.0.2,
 * exceljs 4.4.0, papaparse 5.7.1, the csv module of Python 3.11.7, Miller 6.6.0, sqlite3 3.40.1, and cat.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RequestFailure } from "../../../src/domain/failure.ts";
import { CsvError } from "../../../src/domain/people/csv.ts";
import { readFileText } from "../../../src/domain/people/file-text.ts";
import { readPhoneColumn } from "../../../src/domain/people/phone-file.ts";
import { SubscriberFile } from "../../../src/domain/people/subscriber-file.ts";

const FOLDER = join(import.meta.dirname, "fixtures");
const NOW = Date.UTC(2026, 10, 28);

const ONE = 12125550141;
const TWO = 12125550142;

/** What an import makes of a file: who is subscribed, or why it is refused. `shape`: so is a request with its numbers alone. */
type Outcome = { states: [phone: number, subscribed: boolean][] } | { refused: RegExp; shape?: true };

const BOTH: Outcome = {
  states: [
    [ONE, true],
    [TWO, false],
  ],
};

/** A false that became a blank cell is no consent. */
const BLANK: Outcome = { refused: /^must be true or false$/ };

const FILES: [file: string, about: string, outcome: Outcome][] = [
  ["csv-stringify.csv", "by default, which writes false as a blank cell", BLANK],
  ["csv-stringify-escaped.csv", "with escape_formulas and bom", BOTH],
  ["papaparse.csv", "by default", BOTH],
  ["papaparse-escaped.csv", "with escapeFormulae, quotes and semicolons", BOTH],
  ["d3-dsv.csv", "with a time at a full minute", BOTH],
  ["exceljs-formula.csv", "with a formula whose result is false", BLANK],
  ["python-csv.csv", "by default", BOTH],
  ["python-csv-none.csv", "with None", BLANK],
  [
    "python-csv-backslash.csv",
    "with a backslash as escape character",
    { refused: /^line 2 has text after/, shape: true },
  ],
  ["miller-same-columns.csv", "mlr --csv cat of two files", BOTH],
  [
    "miller-other-columns.csv",
    "the same of two files with other columns",
    { refused: /^line 4 names columns/, shape: true },
  ],
  ["cat-same-columns.csv", "of two files", BOTH],
  ["cat-other-columns.csv", "of two files with other columns", { refused: /^line 3 names columns/, shape: true }],
  ["sqlite3.csv", "-csv -header", BOTH],
  ["sqlite3-null.csv", "the same with NULL", BLANK],
  [
    "sqlite3-join.csv",
    "the same of a join, which has two columns subscribed",
    { refused: /^has two columns headed subscribed/ },
  ],
  ["sqlite3-unquoted.csv", "-list -separator , which quotes nothing", { refused: /^line 2 has 4 fields/, shape: true }],
];

function importFile(bytes: Uint8Array) {
  const file = new SubscriberFile(NOW);
  try {
    const parts = [...file.write(bytes), ...file.end()];
    return { states: parts.flatMap(({ changes }) => changes.map(({ phone, subscribed }) => [phone, subscribed])) };
  } catch (error) {
    if (!(error instanceof RequestFailure) || error.failure.kind !== "fields-wrong") throw error;
    return { refused: error.failure.details[0]?.message };
  }
}

function refusalOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return error.message;
  }
}

describe.each(FILES)("%s, %s", (name, _, outcome) => {
  const bytes = new Uint8Array(readFileSync(join(FOLDER, name)));

  it("is imported as it says, or refused", () => {
    const expected = "states" in outcome ? outcome : { refused: expect.stringMatching(outcome.refused) };
    expect(importFile(bytes)).toEqual(expected);
  });

  it("has another shape in every call, or in none", () => {
    const shape = "shape" in outcome ? expect.stringMatching(outcome.refused) : undefined;
    expect(refusalOf(() => readPhoneColumn(readFileText(bytes)))).toEqual(shape);
  });
});

it("each file has a line", () => {
  expect(readdirSync(FOLDER).sort()).toEqual(FILES.map(([name]) => name).sort());
});
