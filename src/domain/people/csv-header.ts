// Pure. Finds out how a CSV file separates its columns, and which columns it has.
import { CsvError, CsvReader, QuoteError, UnclosedQuoteError } from "./csv.ts";
import { strip } from "./invisible.ts";

const SEPARATORS = [",", ";", "\t"];

/** The line that names the columns ends within so many characters of a file. */
export const MOST_HEADER_CHARACTERS = 65_536;

export interface CsvHeader {
  /** One character. */
  separator: string;
  /** The names of the columns, stripped. */
  names: string[];
  /** The first records of the file up to its rows: the names, and before them a line `sep=`, if it has one. */
  records: number;
}

/**
 * Which separator a file has, and with it the names of its columns. A first line `sep=;`, which Excel writes and reads, says it.
 * Without one, it is the first of comma, semicolon and tab with which the first record has the column.
 * @param beginning of the file; only its first MOST_HEADER_CHARACTERS are looked at
 * @param isAll whether nothing follows
 * @param column that the file must have
 * @returns undefined: more of the file must be there
 * @throws CsvError for a file without the column
 */
export function readHeader(beginning: string, isAll: true, column: string): CsvHeader;
export function readHeader(beginning: string, isAll: boolean, column: string): CsvHeader | undefined;
export function readHeader(beginning: string, isAll: boolean, column: string): CsvHeader | undefined {
  const text = beginning.slice(0, MOST_HEADER_CHARACTERS);
  const isCut = beginning.length > text.length;
  const mayGrow = !isAll && !isCut;
  const first = /^\s*([^\r\n]*)([\r\n]?)/.exec(text);
  if (first?.[2] === "" && mayGrow) return undefined;
  const named = readSeparatorLine(first?.[1] ?? "");
  const records = named === undefined ? 1 : 2;
  const found: (string[] | QuoteError)[] = [];
  for (const separator of named === undefined ? SEPARATORS : [named]) {
    const names = readNames(text, isAll && !isCut, separator, records);
    if (names === undefined && mayGrow) return undefined;
    if (Array.isArray(names) && names.some((name) => isNamed(name, column))) return { separator, names, records };
    if (names) found.push(names);
  }
  if (JSON_STRING.test(text)) throw new CsvError("is a string of JSON: send the file itself");
  throw explainMissing(found, column, isAll && !isCut);
}

/** What a generated client makes of a file that it takes for a value: line breaks are written as backslash and n. */
const JSON_STRING = /^\s*"[^\r\n]*\\n/;

const isNamed = (name: string, column: string) => name.toLowerCase() === column;

/**
 * The place of the column with this name, in any case.
 * @returns -1 when there is none
 * @throws CsvError when there are two: each would say something else of a person
 */
export function findColumn(names: string[], column: string): number {
  const place = names.findIndex((name) => isNamed(name, column));
  const other = names.findLastIndex((name) => isNamed(name, column));
  if (other === place) return place;
  throw new CsvError(
    `has two columns headed ${column}, the columns ${place + 1} and ${other + 1}: remove one, or give it another name`,
  );
}

/** @returns the separator that the line names; undefined: it names none */
function readSeparatorLine(line: string): string | undefined {
  const [, separator] = /^"?sep=([^"]?)"?[\s,;]*$/i.exec(line) ?? [];
  if (separator === undefined || SEPARATORS.includes(separator)) return separator;
  throw new CsvError(
    `names ${separator === "" ? "no separator" : `the separator ${JSON.stringify(separator)}`} in its first line, which begins with sep=: write a comma, a semicolon or a tab there and between the columns, or delete the line`,
  );
}

/** How many characters are read at a time: the names mostly have fewer. */
const STEP_CHARACTERS = 256;

/** @returns undefined: the record does not end in the text */
function readNames(
  text: string,
  isAll: boolean,
  separator: string,
  records: number,
): string[] | QuoteError | undefined {
  const read: string[][] = [];
  const reader = new CsvReader(separator, (record) => read.push(record));
  try {
    for (let at = 0; at < text.length && read.length < records; at += STEP_CHARACTERS) {
      reader.write(text.slice(at, at + STEP_CHARACTERS));
    }
    if (isAll && read.length < records) reader.end();
  } catch (error) {
    if (!(error instanceof QuoteError)) throw error;
    // It may stand in a row behind the names.
    if (read.length < records) return error;
  }
  return read[records - 1]?.map((name) => strip(name)) ?? (isAll ? [] : undefined);
}

/** The first line is read with each separator. The message names the columns of the reading that found the most. */
function explainMissing(found: (string[] | QuoteError)[], column: string, isAll: boolean): CsvError {
  const unclosed = found.find((it) => it instanceof UnclosedQuoteError);
  if (unclosed) return unclosed;
  const [names] = found.filter((it) => Array.isArray(it)).toSorted((a, b) => b.length - a.length);
  const [wrongQuote] = found.filter((it) => it instanceof QuoteError);
  if (!names && wrongQuote) return wrongQuote;
  if (!names && !isAll) {
    return new CsvError(
      `has no first line that ends within ${MOST_HEADER_CHARACTERS} characters: is a quote missing in it?`,
    );
  }
  return new CsvError(`has no column headed ${column}; its first line has ${listNames(names ?? [])}`);
}

/** As the file writes them, as far as there is room. */
export function listNames(names: string[]): string {
  const shown = names.slice(0, 10).map((name) => JSON.stringify(name.slice(0, 40)));
  return shown.join(", ") || "nothing";
}
