// Pure. Reads one column of a CSV file without quotes. It takes neither lines nor cells apart, so that a file of 50,000 rows
// costs few allocations. csv.ts gives the same column more slowly; a test compares the two. Measured in docs/measurements.md.

const SPACE = 32;

interface Column {
  /** The names of all columns. */
  columns: string[];
  /** The file with LF as its only line break. */
  text: string;
  /** All rows of the file, including those beyond `mostRows`. */
  rows: number;
  /** For each row, where its cell begins and ends in `text`; undefined when the file lacks the column. */
  bounds: Uint32Array | undefined;
}

/**
 * The same cells as readTable gives.
 * @param given a text without any quote
 * @param mostRows rows beyond these are counted, and their cells are not found
 */
export function readPlainColumn(given: string, name: string, mostRows: number): Column {
  const text = given.includes("\r") ? given.replaceAll("\r\n", "\n").replaceAll("\r", "\n") : given;
  const lines = new Lines(text);
  const header = lines.next() ? lines.read() : "";
  const names = header === "" ? [] : header.split(",").map((column) => column.trim());
  let index = findColumn(names, name);
  if (index === -1 && header.includes(";")) {
    lines.separator = ";";
    index = findColumn(header.split(";"), name);
  }
  if (index === -1) return { columns: names, text, rows: 0, bounds: undefined };
  // Every row but the last has at least two characters.
  const bounds = new Uint32Array(2 * Math.min(mostRows, Math.ceil(text.length / 2)));
  let rows = 0;
  for (; lines.next(); rows++) if (rows < mostRows) lines.findCell(index, bounds, 2 * rows);
  return { columns: names, text, rows, bounds: bounds.subarray(0, 2 * Math.min(rows, mostRows)) };
}

/** The place of the column with this name: as it is written, or else in any case. @returns -1 when there is none */
export function findColumn(columns: string[], name: string): number {
  const names = columns.map((column) => column.trim());
  const exact = names.indexOf(name);
  return exact === -1 ? names.findIndex((other) => other.toLowerCase() === name) : exact;
}

/** Walks over the lines of a text that are not blank, and copies none of them. */
class Lines {
  readonly #text: string;
  #start = 0;
  #end = -1;
  separator = ",";
  /** The first separator at or after the place of the latest search. */
  #comma = -1;

  constructor(text: string) {
    this.#text = text;
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

  read(): string {
    return this.#text.slice(this.#start, this.#end);
  }

  /** Writes where the cell with this index begins and ends. A line that is too short has an empty cell. */
  findCell(index: number, bounds: Uint32Array, at: number): void {
    let start = this.#start;
    for (let passed = 0; passed < index && start < this.#end; passed++) start = this.#commaFrom(start) + 1;
    if (start > this.#end) start = this.#end;
    bounds[at] = start;
    bounds[at + 1] = Math.min(this.#commaFrom(start), this.#end);
  }

  #isBlank(): boolean {
    return !(this.#text.charCodeAt(this.#start) > SPACE && this.#start < this.#end) && this.read().trim() === "";
  }

  /** Searches each part of the text once. */
  #commaFrom(place: number): number {
    if (this.#comma < place) {
      const comma = this.#text.indexOf(this.separator, place);
      this.#comma = comma === -1 ? this.#text.length : comma;
    }
    return this.#comma;
  }
}
