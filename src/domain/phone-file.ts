// Pure. A CSV file with a column of phone numbers, as requests carry it (Base64) and as operators import it.
import * as z from "zod";
import { readTable, UnclosedQuoteError } from "./csv.ts";
import { readPlainColumn } from "./number-list/csv-column.ts";
import type { Cells } from "./number-list/distinct-phones.ts";

export const MAX_CSV_ROWS = 50_000;
const PHONE_COLUMN = "phone_numbers";

/** The CSV file cannot be read. Its author reads the message. */
export class CsvError extends Error {}

/**
 * The field `csv_file` of a request.
 * @param read takes the text of the file; the message of its CsvError goes into the answer
 */
export function csvFile<T>(read: (csv: string) => T) {
  return z
    .string({ error: "must be a string: a CSV file in Base64" })
    .transform((value, context) => {
      try {
        return read(decodeBase64Text(value));
      } catch (error) {
        if (!(error instanceof CsvError)) throw error;
        context.addIssue({ code: "custom", message: error.message });
        return z.NEVER;
      }
    })
    .meta({
      description: `A CSV file in UTF-8 with a column headed \`${PHONE_COLUMN}\` and at most ${MAX_CSV_ROWS} rows, in Base64 (either alphabet, padding optional). A byte order mark, LF, CRLF or CR, quoted fields, other columns and blank lines are allowed. Required where \`phone_numbers\` is absent.`,
      contentEncoding: "base64",
      contentMediaType: "text/csv",
    });
}

/**
 * Accepts the standard and the URL-safe alphabet, line breaks, and a missing padding. Removes a byte-order mark.
 * @throws CsvError
 */
function decodeBase64Text(base64: string): string {
  const alphabet = /[-_]/.test(base64) ? "base64url" : "base64";
  let bytes: Uint8Array;
  try {
    bytes = Uint8Array.fromBase64(base64, { alphabet });
  } catch {
    throw new CsvError("is not Base64 (standard or URL-safe alphabet, without a data: prefix)");
  }
  return decodeUtf8(bytes);
}

/** @throws CsvError */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new CsvError("is not text in UTF-8");
  }
}

/** @throws CsvError without the column, or over MAX_CSV_ROWS */
export function readPhoneColumn(csv: string): Cells {
  if (csv.includes('"')) return atMost(readPhoneRows(csv), ([phone]) => phone);
  const { columns, text, rows, bounds } = readPlainColumn(csv, PHONE_COLUMN, MAX_CSV_ROWS);
  if (!bounds) throw missingColumn(columns);
  if (rows > MAX_CSV_ROWS) throw tooManyRows(rows);
  return { text, bounds };
}

/**
 * Rows beyond MAX_CSV_ROWS are counted, for the message, and dropped.
 * @throws CsvError over MAX_CSV_ROWS
 */
export function atMost<T, R>(rows: Iterable<T>, take: (row: T) => R): R[] {
  const taken: R[] = [];
  let count = 0;
  for (const row of rows) {
    count += 1;
    if (count <= MAX_CSV_ROWS) taken.push(take(row));
  }
  if (count > MAX_CSV_ROWS) throw tooManyRows(count);
  return taken;
}

function tooManyRows(count: number): CsvError {
  return new CsvError(`has ${count} rows; at most ${MAX_CSV_ROWS} are allowed`);
}

/**
 * The cells of the phone column and of other columns, row by row; "" where the file lacks a column or a cell.
 * @throws CsvError
 */
export function* readPhoneRows<K extends string>(
  csv: string,
  ...others: K[]
): Generator<[phone: string, ...others: string[]], void> {
  try {
    const table = readTable(csv);
    const phoneIndex = table?.columns.indexOf(PHONE_COLUMN) ?? -1;
    if (!table || phoneIndex === -1) throw missingColumn(table?.columns ?? []);
    const indexes = others.map((name) => table.columns.indexOf(name));
    for (const row of table.rows) yield [row[phoneIndex] ?? "", ...indexes.map((index) => row[index] ?? "")];
  } catch (error) {
    if (error instanceof UnclosedQuoteError) throw new CsvError(error.message);
    throw error;
  }
}

function missingColumn(columns: string[]): CsvError {
  const found = columns.slice(0, 10).map((column) => JSON.stringify(column.slice(0, 40)));
  return new CsvError(`has no column headed ${PHONE_COLUMN}; its first line has ${found.join(", ") || "nothing"}`);
}
