// Pure. CSV after RFC 4180. The reader also accepts files of spreadsheets and scripts: LF, CRLF or CR, and blank lines.

const COMMA = 44;
const QUOTE = 34;
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
 * The records of a CSV text, one at a time, without blank lines. Quotes around a field are removed and doubled quotes are
 * halved; nothing is trimmed. Each record is a new array.
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

/** Text between a closing quote and the next separator stays in the field: a broken quote loses no character. */
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

/** The first record, trimmed, as the names of the columns; undefined for a text without a record. */
export function readTable(text: string): { columns: string[]; rows: Generator<string[], void> } | undefined {
  const rows = csvRecords(text);
  const heading = rows.next();
  if (heading.done) return undefined;
  return { columns: heading.value.map((column) => column.trim()), rows };
}

/** Characters with which a formula of a spreadsheet begins, full-width forms included. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** CSV for a spreadsheet: every text is quoted, and a text that looks like a formula gets an apostrophe in front. */
export function writeCsv(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map(writeField).join(",")}\r\n`).join("");
}

function writeField(value: string | number): string {
  if (typeof value === "number") return String(value);
  return `"${(FORMULA.test(value) ? `'${value}` : value).replaceAll('"', '""')}"`;
}
