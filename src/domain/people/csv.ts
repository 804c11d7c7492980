// Pure. CSV after RFC 4180. The reader also accepts files of spreadsheets and scripts: LF, CRLF or CR, other separators, and
// blank lines.
import { isBlank, isBlankCode } from "./invisible.ts";

const QUOTE = 34;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** A CSV file cannot be read. Its author reads the message. */
export class CsvError extends Error {
  /** The line of the file, from 1, where one line is at fault. */
  readonly line: number | undefined;
  /** The field of the request that is at fault, if it is not the file. */
  readonly field: string | undefined;

  constructor(message: string, { line, field }: { line?: number; field?: string } = {}) {
    super(message);
    this.line = line;
    this.field = field;
  }
}

/** The end of a quoted field is not where its author thought. */
export class QuoteError extends CsvError {}

export class UnclosedQuoteError extends QuoteError {
  /** @param begins the line, from 1, on which the quoted field begins */
  constructor(begins: number) {
    super(`a quoted field that begins on line ${begins} is never closed`, { line: begins });
  }
}

export class TextAfterQuoteError extends QuoteError {
  constructor(line: number, begins: number) {
    super(
      `line ${line} has text after a closing quote; the quoted field begins on line ${begins}: is a quote missing, or not doubled within the field?`,
      { line },
    );
  }
}

/** What the next character belongs to. */
type Place = "field" | "bare" | "quoted" | "after-quote" | "closed" | "after-return";

/**
 * Reads a CSV text that comes in pieces, record by record, without blank lines and without rows of separators alone. Quotes
 * around a field are removed and doubled quotes are halved; nothing is trimmed but blanks around the quotes. A quote behind
 * anything else than blanks is a character. It holds one record at a time: a file may be larger than the memory.
 */
export class CsvReader {
  readonly #separator: number;
  readonly #onRecord: (fields: string[], line: number) => void;
  #place: Place = "field";
  #fields: string[] = [];
  /** The beginning of the field, from the pieces before. */
  #field = "";
  /** The lines on which the field and the record begin; of a quoted field that is closed, the line on which it ends. */
  #line = 1;
  #recordLine = 1;
  /** The line on which the latest quoted field begins. */
  #quoteLine = 1;

  /**
   * @param separator one character
   * @param onRecord gets a new array each time, and the line, from 1, on which the record begins; an error that it throws ends
   * the reading
   */
  constructor(separator: string, onRecord: (fields: string[], line: number) => void) {
    this.#separator = separator.charCodeAt(0);
    this.#onRecord = onRecord;
  }

  /** The line of the file, from 1, that the next character stands on. A line break within quotes counts. */
  get line(): number {
    const isQuoted = this.#place === "quoted" || this.#place === "after-quote";
    return this.#line + (isQuoted ? countLineBreaks(this.#field) : 0);
  }

  /** @param text the next piece, already decoded, without a byte-order mark. @throws TextAfterQuoteError */
  write(text: string): void {
    for (let at = 0; at < text.length; ) at = this.#step(text, at);
  }

  /** @throws UnclosedQuoteError */
  end(): void {
    if (this.#place === "quoted") throw new UnclosedQuoteError(this.#line);
    if (this.#place === "after-quote") this.#closeQuote();
    const isEmpty = this.#place === "field" || this.#place === "after-return";
    if (!isEmpty || this.#fields.length > 0) this.#endField(LINE_FEED);
  }

  /** @returns the place after what was read */
  #step(text: string, at: number): number {
    switch (this.#place) {
      case "bare":
        return this.#readBare(text, at);
      case "quoted":
        return this.#readQuoted(text, at);
      case "field":
        return this.#beginField(text, at);
      case "after-quote":
        if (text.charCodeAt(at) !== QUOTE) {
          this.#closeQuote();
          return at;
        }
        this.#field += '"';
        this.#place = "quoted";
        return at + 1;
      case "closed":
        return this.#readClosed(text, at);
      case "after-return":
        this.#place = "field";
        return text.charCodeAt(at) === LINE_FEED ? at + 1 : at;
    }
  }

  #beginField(text: string, at: number): number {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      this.#place = "quoted";
      this.#field = "";
      this.#quoteLine = this.#line;
      return at + 1;
    }
    if (this.#isEnd(code) || !isBlankCode(code)) {
      this.#place = "bare";
      return at;
    }
    // Programs write a blank behind a separator, before the quote too.
    this.#field += text[at];
    return at + 1;
  }

  #isEnd(code: number): boolean {
    return code === this.#separator || code === LINE_FEED || code === CARRIAGE_RETURN;
  }

  #readBare(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (this.#isEnd(code)) {
        this.#field += text.slice(from, at);
        this.#endField(code);
        return at + 1;
      }
    }
    this.#field += text.slice(from);
    return text.length;
  }

  #readQuoted(text: string, from: number): number {
    const quote = text.indexOf('"', from);
    const end = quote === -1 ? text.length : quote;
    this.#field += text.slice(from, end);
    if (quote !== -1) this.#place = "after-quote";
    return end + 1;
  }

  #closeQuote(): void {
    this.#line += countLineBreaks(this.#field);
    this.#place = "closed";
  }

  /** Anything else than blanks shows that the quote was no closing one: rows may be within the field. */
  #readClosed(text: string, at: number): number {
    const code = text.charCodeAt(at);
    if (this.#isEnd(code)) this.#endField(code);
    else if (!isBlankCode(code)) throw new TextAfterQuoteError(this.#line, this.#quoteLine);
    return at + 1;
  }

  /** @param separator between two fields, or what ends the record too */
  #endField(separator: number): void {
    this.#fields.push(this.#field);
    this.#field = "";
    this.#place = separator === CARRIAGE_RETURN ? "after-return" : "field";
    if (separator === this.#separator) return;
    const [fields, line] = [this.#fields, this.#recordLine];
    this.#fields = [];
    this.#line += 1;
    this.#recordLine = this.#line;
    if (!fields.every(isBlank)) this.#onRecord(fields, line);
  }
}

/** The line, from 1, on which what follows the text stands. */
export function lineAfter(text: string): number {
  return 1 + countLineBreaks(text);
}

function countLineBreaks(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === LINE_FEED || (code === CARRIAGE_RETURN && text.charCodeAt(at + 1) !== LINE_FEED)) count += 1;
  }
  return count;
}

/** How a formula of a spreadsheet begins, full-width forms included; or what was written for one. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

/** The byte order mark, with which a spreadsheet reads UTF-8 as such. */
export const FILE_MARK = "\ufeff";

/** A phone number is no formula, and an apostrophe in front would keep it from being matched. */
const PHONE = /^\+[1-9]\d{6,14}$/;

/** CSV for a spreadsheet: every text is quoted, and a text that looks like a formula gets an apostrophe in front. */
export function writeCsv(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map(writeField).join(",")}\r\n`).join("");
}

/** A text as it was before writeCsv. */
export function readField(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
}

function writeField(value: string | number): string {
  if (typeof value === "number") return String(value);
  const isFormula = FORMULA.test(value) && !PHONE.test(value);
  return `"${(isFormula ? `'${value}` : value).replaceAll('"', '""')}"`;
}
