// Pure. CSV as RFC 4180 has it; what is read, also as spreadsheets and scripts write it: LF, CRLF or CR, blank lines, a byte-order mark.

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
