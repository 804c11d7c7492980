// Pure. A CSV file with a column of phone numbers, as requests carry it (Base64) and as operators import it.
import * as z from "zod/mini";
import { CsvReader, UnclosedQuoteError } from "./csv.ts";
import { findColumn, readPlainColumn } from "./number-list/csv-column.ts";
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
  return z.pipe(
    z.string({ error: "must be a string: a CSV file in Base64" }),
    z.transform((input, { issues }) => {
      try {
        return read(decodeBase64Text(input));
      } catch (error) {
        if (!(error instanceof CsvError)) throw error;
        issues.push({ code: "custom", message: error.message, input });
        return z.NEVER;
      }
    }),
  );
}

/** A function, so that the bundle of the Worker leaves it out: only the OpenAPI document needs it. */
export function describeCsvFile(schema: z.ZodMiniType): void {
  schema.register(z.globalRegistry, {
    description: `A CSV file in UTF-8 with a column headed \`${PHONE_COLUMN}\` (in any case), commas or semicolons between columns, and at most ${MAX_CSV_ROWS} rows, in Base64 (either alphabet, padding optional). A byte order mark, LF, CRLF or CR, quoted fields, other columns and blank lines are allowed. Required where \`phone_numbers\` is absent.`,
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
function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw notUtf8();
  }
}

export function notUtf8(): CsvError {
  return new CsvError("is not text in UTF-8");
}

/** @throws CsvError without the column, or over MAX_CSV_ROWS */
export function readPhoneColumn(csv: string): Cells {
  if (csv.includes('"')) return readRows(csv, [], ([phone = ""]) => phone);
  const { columns, text, rows, bounds } = readPlainColumn(csv, PHONE_COLUMN, MAX_CSV_ROWS);
  if (!bounds) throw missingColumn(columns);
  if (rows > MAX_CSV_ROWS) throw tooManyRows(rows);
  return { text, bounds };
}

/**
 * Rows beyond MAX_CSV_ROWS are counted, for the message, and dropped.
 * @param columns others than that of phone numbers
 * @param take see PhoneRowReader
 * @throws CsvError without the column of phone numbers, or over MAX_CSV_ROWS
 */
export function readRows<R>(csv: string, columns: string[], take: (cells: string[]) => R): R[] {
  const taken: R[] = [];
  let count = 0;
  const reader = new PhoneRowReader(columns, (cells) => {
    count += 1;
    if (count <= MAX_CSV_ROWS) taken.push(take(cells));
  });
  reader.write(csv);
  reader.end();
  if (count > MAX_CSV_ROWS) throw tooManyRows(count);
  return taken;
}

function tooManyRows(count: number): CsvError {
  return new CsvError(`has ${count} rows; at most ${MAX_CSV_ROWS} are allowed`);
}

/** Reads the rows of a file that comes in pieces; see CsvReader. */
export class PhoneRowReader {
  readonly #csv = new CsvReader((record) => this.#take(record));
  readonly #columns: string[];
  readonly #onRow: (cells: string[]) => void;
  /** Where the columns are; undefined before the first line. */
  #indexes: number[] | undefined;

  /**
   * @param columns others than that of phone numbers
   * @param onRow gets the cell of the phone column, and then of the other columns; "" where the file lacks a column or a cell
   */
  constructor(columns: string[], onRow: (cells: string[]) => void) {
    this.#columns = columns;
    this.#onRow = onRow;
  }

  /** @throws CsvError without the column of phone numbers */
  write(text: string): void {
    this.#csv.write(text);
  }

  /** @throws CsvError without the column of phone numbers, or within a quoted field */
  end(): void {
    try {
      this.#csv.end();
    } catch (error) {
      if (error instanceof UnclosedQuoteError) throw new CsvError(error.message);
      throw error;
    }
    if (!this.#indexes) throw missingColumn([]);
  }

  #take(record: string[]): void {
    if (this.#indexes) this.#onRow(this.#indexes.map((index) => record[index] ?? ""));
    else this.#indexes = this.#find(record);
  }

  #find(record: string[]): number[] {
    let names = record;
    if (findColumn(names, PHONE_COLUMN) === -1) names = this.#csv.useSemicolons(record);
    if (findColumn(names, PHONE_COLUMN) === -1) throw missingColumn(record);
    return [PHONE_COLUMN, ...this.#columns].map((name) => findColumn(names, name));
  }
}

function missingColumn(columns: string[]): CsvError {
  const found = columns.slice(0, 10).map((column) => JSON.stringify(column.trim().slice(0, 40)));
  return new CsvError(`has no column headed ${PHONE_COLUMN}; its first line has ${found.join(", ") || "nothing"}`);
}
