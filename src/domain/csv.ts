// Pure. CSV as RFC 4180 has it; what is read, also as spreadsheets and scripts write it: LF, CRLF or CR, blank lines, a byte-order mark.

const COMMA = 44;
const QUOTE = 34;
const SPACE = 32;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

export class UnclosedQuoteError extends Error {
  /** The line, from 1, on which the quoted field begins. */
  readonly line: number;

  constructor(line: number) {
    super(`a quoted field that begins on line ${line} is never closed`);
    this.line = line;
  }
}

/**
 * The records of a CSV text, one at a time; blank lines are passed over. Fields are as written, quotes removed and
 * doubled quotes halved. The array is the caller's to keep.
 * @param text already decoded, without a byte-order mark
 * @throws UnclosedQuoteError
 */
export function* csvRecords(text: string): Generator<string[], void> {
  const end = text.length;
  let position = 0;
  let line = 1;
  while (position < end) {
    const fields: string[] = [];
    let inRecord = true;
    while (inRecord) {
      let field: string;
      if (text.charCodeAt(position) === QUOTE) {
        const quoted = readQuoted(text, position, line);
        field = quoted.field;
        line += quoted.lineBreaks;
        position = quoted.next;
      } else {
        const next = endOfField(text, position);
        field = text.slice(position, next);
        position = next;
      }
      fields.push(field);
      const code = position < end ? text.charCodeAt(position) : LINE_FEED;
      inRecord = code === COMMA;
      position += code === CARRIAGE_RETURN && text.charCodeAt(position + 1) === LINE_FEED ? 2 : 1;
    }
    line += 1;
    if (fields.length > 1 || fields[0]?.trim() !== "") yield fields;
  }
}

function endOfField(text: string, from: number): number {
  for (let index = from; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === COMMA || code === LINE_FEED || code === CARRIAGE_RETURN) return index;
  }
  return text.length;
}

/** What stands between a closing quote and the next separator is kept as it is: a broken quote loses no character. */
function readQuoted(text: string, from: number, line: number): { field: string; next: number; lineBreaks: number } {
  let field = "";
  let position = from + 1;
  for (;;) {
    const quote = text.indexOf('"', position);
    if (quote === -1) throw new UnclosedQuoteError(line);
    field += text.slice(position, quote);
    position = quote + 1;
    if (text.charCodeAt(position) !== QUOTE) break;
    field += '"';
    position += 1;
  }
  const next = endOfField(text, position);
  return { field: field + text.slice(position, next), next, lineBreaks: field.split(/\r\n|\r|\n/).length - 1 };
}

/** The first record's fields, trimmed, and the others; undefined for a text without a record. */
export function readTable(text: string): { columns: string[]; rows: Generator<string[], void> } | undefined {
  const rows = csvRecords(text);
  const heading = rows.next();
  if (heading.done) return undefined;
  return { columns: heading.value.map((column) => column.trim()), rows };
}

/** The columns of a table, and where the cells of one of them stand. */
export interface Column {
  columns: string[];
  text: string;
  /** Also those beyond the most that were asked for. */
  rows: number;
  /** Of each row, where its cell begins and ends in the text; undefined without that column. */
  bounds: Uint32Array | undefined;
}

/**
 * What readTable gives of one column, for a text without a quote: many times as fast, as no record and no cell is taken
 * apart.
 */
export function readPlainColumn(given: string, name: string, mostRows: number): Column {
  const text = given.includes("\r") ? given.replaceAll("\r\n", "\n").replaceAll("\r", "\n") : given;
  const lines = new Lines(text);
  const columns = lines.next() ? lines.read().split(",") : [];
  const names = columns.map((column) => column.trim());
  const index = names.indexOf(name);
  if (index === -1) return { columns: names, text, rows: 0, bounds: undefined };
  // A row has two characters at least, but for the last.
  const bounds = new Uint32Array(2 * Math.min(mostRows, Math.ceil(text.length / 2)));
  let rows = 0;
  for (; lines.next(); rows++) if (rows < mostRows) lines.findCell(index, bounds, 2 * rows);
  return { columns: names, text, rows, bounds: bounds.subarray(0, 2 * Math.min(rows, mostRows)) };
}

/** The lines of a text that are not blank, one after the other, without a copy of any. */
class Lines {
  readonly #text: string;
  #start = 0;
  #end = -1;
  /** The first comma from the place on that was looked at last. */
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

  /** Writes where the cell with this index begins and ends; an empty one where the line is too short. */
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

  /** Each part of the text is searched once. */
  #commaFrom(place: number): number {
    if (this.#comma < place) {
      const comma = this.#text.indexOf(",", place);
      this.#comma = comma === -1 ? this.#text.length : comma;
    }
    return this.#comma;
  }
}

/** What a spreadsheet takes for the beginning of a formula, the wide forms included. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** CSV for a spreadsheet: texts are quoted, and one that would be taken for a formula has an apostrophe before it. */
export function writeCsv(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map(writeField).join(",")}\r\n`).join("");
}

function writeField(value: string | number): string {
  if (typeof value === "number") return String(value);
  return `"${(FORMULA.test(value) ? `'${value}` : value).replaceAll('"', '""')}"`;
}
