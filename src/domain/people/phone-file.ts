// Pure. A CSV file with a column of phone numbers, as requests carry it (Base64) and as operators import it.
import * as z from "zod";
import { CsvError, CsvReader, lineAfter } from "./csv.ts";
import { type CsvHeader, findColumn, readHeader } from "./csv-header.ts";
import { readFileText, type TextSink } from "./file-text.ts";
import { INVISIBLE, strip } from "./invisible.ts";
import { readPlainColumn } from "./number-list/csv-column.ts";
import type { Cells } from "./number-list/distinct-phones.ts";
import { RowFaults } from "./row-faults.ts";
import { hasNumber, PHONE_COLUMN, RowShape } from "./row-shape.ts";

export const MAX_CSV_ROWS = 50_000;

const BLANKS = `[\\s${INVISIBLE}]*`;

/**
 * The field `csv_file` of a request.
 * @param read takes the text of the file; the message of its CsvError goes into the answer, and so do what it adds to the faults
 */
export function csvFile<T>(read: (csv: string, faults: RowFaults<string>) => T) {
  return z
    .string("must be a string: a CSV file in Base64")
    .transform((base64, context) => {
      const faults = new RowFaults<string>();
      const add = (message: string) => context.addIssue({ code: "custom", message });
      try {
        const value = read(decodeBase64Text(base64), faults);
        if (faults.count === 0) return value;
      } catch (error) {
        if (!(error instanceof CsvError)) throw error;
        add(error.message);
      }
      faults.first.forEach(add);
      if (faults.more) add(faults.more);
      return z.NEVER;
    })
    .meta({
      description: `A CSV file with a column headed \`${PHONE_COLUMN}\`, commas, semicolons or tabs between columns, and at most ${MAX_CSV_ROWS} rows; in UTF-8, or in UTF-16 with its byte order mark; in Base64. Required where \`phone_numbers\` is absent.`,
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
  return readFileText(bytes);
}

/** @throws CsvError without the column, for a row of another shape, or over MAX_CSV_ROWS */
export function readPhoneColumn(csv: string): Cells {
  return (isPlain(csv) && readPlain(csv)) || readRows(csv, {}, ([phone]) => phone ?? "");
}

/** Whether each line of a text may be taken for a row, and each cell for what it is: no quotes, no apostrophes, no second header. */
function isPlain(csv: string): boolean {
  return !csv.includes('"') && !APOSTROPHE.test(csv) && csv.match(HEADER)?.length === 1;
}

const HEADER = new RegExp(PHONE_COLUMN, "gi");
const APOSTROPHE = new RegExp(`'${BLANKS}\\+`, "u");

/** @returns undefined: the reader of rows decides. @throws CsvError */
function readPlain(csv: string): Cells | undefined {
  const column = readPlainColumn(csv, PHONE_COLUMN, MAX_CSV_ROWS);
  if (!column) return undefined;
  const { text, rows, bounds } = column;
  if (rows > MAX_CSV_ROWS) throw tooManyRows(rows);
  return rows === 0 || hasNumber(text.slice(bounds[0], bounds[1])) ? { text, bounds } : undefined;
}

/**
 * Rows beyond MAX_CSV_ROWS are counted, for the message, and dropped.
 * @param take see PhoneRowReader
 * @throws CsvError without the column of phone numbers, or over MAX_CSV_ROWS
 */
export function readRows<R>(csv: string, wanted: WantedColumns, take: TakeRow<R>): R[] {
  const taken: R[] = [];
  let count = 0;
  const reader = new PhoneRowReader(wanted, (cells, line) => {
    count += 1;
    if (count <= MAX_CSV_ROWS) taken.push(take(cells, line));
  });
  reader.write(csv);
  reader.end();
  if (count > MAX_CSV_ROWS) throw tooManyRows(count);
  return taken;
}

function tooManyRows(count: number): CsvError {
  return new CsvError(`has ${count} rows; at most ${MAX_CSV_ROWS} are allowed`);
}

export interface WantedColumns {
  /** Beside that of phone numbers. */
  others?: string[];
  /** Gets the names of all columns before the first row. @throws CsvError */
  check?(names: string[]): void;
}

/**
 * Gets the cell of the phone column, and then of the other columns: null where the file lacks the column, and "" where the row lacks
 * the cell; and the line on which the row begins.
 */
type TakeRow<R> = (cells: (string | null)[], line: number) => R;

const ESCAPED = new RegExp(`^(?:=${BLANKS}"${BLANKS}(\\+[^"]*)"|'${BLANKS}(\\+.*))$`, "su");

/** Spreadsheets take a plus sign for the beginning of a formula: exports for them write `'+1…` or `="+1…"`. */
function readPhoneCell(cell: string): string {
  const [, quoted, escaped] = ESCAPED.exec(strip(cell)) ?? [];
  return quoted ?? escaped ?? cell;
}

/** Reads the rows of a file that comes in pieces; see CsvReader and RowShape. */
export class PhoneRowReader implements TextSink {
  readonly #wanted: WantedColumns;
  readonly #onRow: TakeRow<void>;
  /** The text, until the names of the columns are known. */
  #beginning = "";
  #csv: CsvReader | undefined;
  /** As the file writes them, in the order of the cells; null: it lacks the column. */
  columns: (string | null)[] = [];
  /** How the file separates its columns, and all their names. */
  header: Pick<CsvHeader, "separator" | "names"> = { separator: "", names: [] };

  constructor(wanted: WantedColumns, onRow: TakeRow<void>) {
    this.#wanted = wanted;
    this.#onRow = onRow;
  }

  get line(): number {
    return this.#csv?.line ?? lineAfter(this.#beginning);
  }

  /** @throws CsvError without the column of phone numbers, or for a row of another shape */
  write(text: string): void {
    if (this.#csv) this.#csv.write(text);
    else {
      this.#beginning += text;
      this.#open(false);
    }
  }

  /** @throws CsvError without the column of phone numbers, or within a quoted field */
  end(): void {
    if (!this.#csv) this.#open(true);
    this.#csv?.end();
  }

  #open(isAll: boolean): void {
    const header = readHeader(this.#beginning, isAll, PHONE_COLUMN);
    if (!header) return;
    this.header = header;
    const { names, separator } = header;
    this.#wanted.check?.(names);
    const places = [PHONE_COLUMN, ...(this.#wanted.others ?? [])].map((name) => findColumn(names, name));
    this.columns = places.map((place) => names[place] ?? null);
    const shape = new RowShape(names, places[0] ?? 0);
    let before = header.records;
    this.#csv = new CsvReader(separator, (record, line) => {
      if (before > 0) before -= 1;
      else if (shape.check(record, line)) this.#onRow(cellsAt(record, places), line);
    });
    this.#csv.write(this.#beginning);
    this.#beginning = "";
  }
}

function cellsAt(record: string[], places: number[]): (string | null)[] {
  const cells = places.map((place) => (place === -1 ? null : (record[place] ?? "")));
  return cells.with(0, readPhoneCell(cells[0] ?? ""));
}
