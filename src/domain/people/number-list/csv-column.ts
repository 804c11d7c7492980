// Pure. Reads one column of a CSV file without quotes. It takes neither lines nor cells apart, so that a file of 50,000 rows
// costs few allocations. csv.ts gives the same column more slowly; a test compares the two. Measured in docs/measurements.md.
import { findColumn, readHeader } from "../csv-header.ts";
import { isBlankCode } from "../invisible.ts";
import { countFields } from "../row-shape.ts";

const SPACE = 32;
const DELETE = 127;

interface Column {
  /** The file with LF as its only line break. */
  text: string;
  /** All rows of the file, including those beyond `mostRows`. */
  rows: number;
  /** For each row, where its cell begins and ends in `text`. */
  bounds: Uint32Array;
}

/**
 * The same cells as CsvReader gives.
 * @param given a text without any quote
 * @param mostRows rows beyond these are counted, and their cells are not found
 * @returns undefined where a row has more fields than the first line
 * @throws CsvError for a file without the column, or with two of its name
 */
export function readPlainColumn(given: string, name: string, mostRows: number): Column | undefined {
  const header = readHeader(given, true, name);
  const text = given.includes("\r") ? given.replaceAll("\r\n", "\n").replaceAll("\r", "\n") : given;
  const lines = new Lines(text, header.separator);
  for (let record = 0; record < header.records; record++) lines.next();
  const index = findColumn(header.names, name);
  const width = countFields(header.names);
  // Every row but the last has at least two characters.
  const bounds = new Uint32Array(2 * Math.min(mostRows, Math.ceil(text.length / 2)));
  let rows = 0;
  // A typed array drops what is written beyond its end.
  for (; lines.next(); rows++) if (!lines.findCell(index, width, bounds, 2 * rows)) return undefined;
  return { text, rows, bounds: bounds.subarray(0, 2 * Math.min(rows, mostRows)) };
}

/** Walks over the lines of a text that are more than separators and blanks, and copies none of them. */
class Lines {
  readonly #text: string;
  #start = 0;
  #end = -1;
  readonly #separator: string;
  readonly #separatorCode: number;
  /** The first separator at or after the place of the latest search. */
  #comma = -1;

  constructor(text: string, separator: string) {
    this.#text = text;
    this.#separator = separator;
    this.#separatorCode = separator.charCodeAt(0);
  }

  /** @returns false at the end */
  next(): boolean {
    while (this.#end < this.#text.length) {
      this.#start = this.#end + 1;
      const end = this.#text.indexOf("\n", this.#start);
      this.#end = end === -1 ? this.#text.length : end;
      if (!this.#isBlank()) return true;
    }
    return false;
  }

  /**
   * Writes where the cell with this index begins and ends. A line that is too short has an empty cell.
   * @returns whether the line has no more than `width` fields, except blank ones at its end
   */
  findCell(index: number, width: number, bounds: Uint32Array, at: number): boolean {
    let start = this.#start;
    bounds.fill(this.#end, at, at + 2);
    for (let field = 0; field < width && start <= this.#end; field++) {
      const end = Math.min(this.#commaFrom(start), this.#end);
      if (field === index) {
        bounds[at] = start;
        bounds[at + 1] = end;
      }
      start = end + 1;
    }
    return this.#isBlank(start);
  }

  #isBlank(from = this.#start): boolean {
    for (let at = from; at < this.#end; at++) {
      const code = this.#text.charCodeAt(at);
      if (code === this.#separatorCode) continue;
      if ((code > SPACE && code < DELETE) || !isBlankCode(code)) return false;
    }
    return true;
  }

  /** Searches each part of the text once. */
  #commaFrom(place: number): number {
    if (this.#comma < place) {
      const comma = this.#text.indexOf(this.#separator, place);
      this.#comma = comma === -1 ? this.#text.length : comma;
    }
    return this.#comma;
  }
}
