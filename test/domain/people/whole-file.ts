// Simple readers of whole files, which hold all of a file and all of its rows. The readers of pieces must agree with them.
import { QuoteError, TextAfterQuoteError, UnclosedQuoteError } from "../../../src/domain/people/csv.ts";
import { echoEmail, echoPhone } from "../../../src/domain/people/echo.ts";
import { isEmail } from "../../../src/domain/people/email.ts";
import { isE164, toDigits } from "../../../src/domain/people/phone.ts";
import { explainPhone } from "../../../src/domain/people/phone-fault.ts";
import type { SubscriptionChange } from "../../../src/domain/people/subscriber-rows.ts";

export interface CsvRecord {
  /** Where it begins, from 1. */
  line: number;
  fields: string[];
}

/** Without white space and two of the characters that nobody sees. */
const trim = (text: string) => text.replaceAll(/^[\s\u200b\u2060]+|[\s\u200b\u2060]+$/g, "");

const lineBreaks = (text: string) => text.replaceAll("\r\n", "\n").replaceAll("\r", "\n").split("\n").length - 1;

/**
 * The records of a CSV text, without blank lines and rows of separators alone. Quotes around a field are removed and doubled
 * quotes are halved; nothing is trimmed.
 * @param text already decoded, without a byte-order mark
 * @throws QuoteError
 */
export function csvRecords(text: string, separator = ","): CsvRecord[] {
  const { records, wrongQuote } = readRecords(text, separator);
  if (wrongQuote) throw wrongQuote;
  return records;
}

function readRecords(text: string, separator: string): { records: CsvRecord[]; wrongQuote?: QuoteError } {
  const records: CsvRecord[] = [];
  let [at, line] = [0, 1];
  while (at < text.length) {
    const record: CsvRecord = { line, fields: [] };
    for (;;) {
      const { field, end, breaks } = readField(text, at, separator);
      if (end === -1) return { records, wrongQuote: new UnclosedQuoteError(line) };
      if (end === -2) return { records, wrongQuote: new TextAfterQuoteError(line + breaks, line) };
      record.fields.push(field);
      line += breaks;
      const next = text.slice(end, end + 2);
      at = end + (next === "\r\n" ? 2 : 1);
      if (next[0] !== separator) break;
      if (at > text.length) break;
    }
    line += 1;
    if (trim(record.fields.join("")) !== "") records.push(record);
  }
  return { records };
}

/** Around the quotes are blanks alone. `end` is -1 for a quote that is never closed, and -2 for one with text behind it. */
function readField(text: string, from: number, separator: string) {
  let rest = text.slice(from);
  const behind = rest.search(separator === "\t" ? /[\t\r\n]/ : new RegExp(`[${separator}\\r\\n]`));
  const whole = behind === -1 ? rest : rest.slice(0, behind);
  const opening = whole.indexOf('"');
  if (opening === -1 || trim(whole.slice(0, opening)) !== "") {
    return { field: whole, end: from + whole.length, breaks: 0 };
  }
  rest = rest.slice(opening);
  const closed = /^"((?:[^"]|"")*)"(?!")/.exec(rest);
  if (!closed) return { field: "", end: -1, breaks: 0 };
  const field = (closed[1] ?? "").replaceAll('""', '"');
  const breaks = lineBreaks(field);
  let at = closed[0].length;
  while (at < rest.length && ![separator, "\n", "\r"].includes(rest[at] ?? "")) {
    if (trim(rest[at++] ?? "") !== "") return { field, end: -2, breaks };
  }
  return { field, end: from + opening + at, breaks };
}

export interface Table {
  /** Trimmed. */
  columns: string[];
  rows: CsvRecord[];
  /** What ends them. */
  wrongQuote?: QuoteError;
}

const SEPARATORS = [",", ";", "\t"];

/** @returns undefined for a text whose first record has no such column, with any separator. @throws QuoteError */
export function readTable(text: string, column: string): Table | { found: string[] } {
  const [firstLine = ""] = text.replace(/^\s+/, "").split(/[\r\n]/);
  const named = /^sep=([,;\t])$|^"sep=([,;\t])"$/i.exec(firstLine);
  const wrongQuotes: QuoteError[] = [];
  const headings: string[][] = [];
  for (const separator of named ? [named[1] ?? named[2] ?? ""] : SEPARATORS) {
    const heading = firstRecord(text, separator, named ? 1 : 0);
    if (heading instanceof QuoteError) wrongQuotes.push(heading);
    else {
      const columns = heading.map(trim);
      if (columns.some((name) => name.toLowerCase() === column)) {
        const { records, ...rest } = readRecords(text, separator);
        return { columns, rows: records.slice(named ? 2 : 1), ...rest };
      }
      headings.push(columns);
    }
  }
  const unclosed = wrongQuotes.find((it) => it instanceof UnclosedQuoteError);
  const wrong = unclosed ?? (headings.length === 0 ? wrongQuotes[0] : undefined);
  if (wrong) throw wrong;
  const most = Math.max(...headings.map(({ length }) => length));
  return { found: headings.find(({ length }) => length === most) ?? [] };
}

/** The shortest text up to a line break that is a whole record. */
function firstRecord(text: string, separator: string, index: number): string[] | QuoteError {
  const ends = [...text.matchAll(/[\r\n]/g)].map((it) => it.index + 1);
  let error: QuoteError | undefined;
  for (const end of [...ends, text.length]) {
    try {
      const found = csvRecords(text.slice(0, end), separator)[index];
      if (found) return found.fields;
      error = undefined;
    } catch (caught) {
      if (!(caught instanceof QuoteError)) throw caught;
      error = caught;
      if (caught instanceof TextAfterQuoteError) break;
    }
  }
  return error ?? [];
}

interface Read {
  changes: SubscriptionChange[];
  invalidPhoneNumbers: string[];
  invalidEmails: string[];
  invalidCells: object[];
}

export interface Fault {
  field: string;
  message: string;
  line?: number;
  value?: string;
}

export type Outcome = Read | { details: Fault[] };

/** A fault of the whole file, which ends its reading. */
class FileFault extends Error {
  readonly fault: Fault;

  constructor(message: string, where: { line?: number; field?: string } = {}) {
    super(message);
    this.fault = { field: "body", message, ...where };
  }
}

/** @returns what a file of subscribers has, or its faults */
export function readSubscribers(bytes: Uint8Array, everyone = false): Outcome {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return { details: [{ field: "body", message: "is not text in UTF-8" }] };
  }
  try {
    return readRows(text, everyone);
  } catch (error) {
    if (error instanceof FileFault) return { details: [error.fault] };
    if (error instanceof QuoteError) return { details: [toFault(error)] };
    throw error;
  }
}

const toFault = ({ message, line = 0 }: QuoteError): Fault => ({ field: "body", message, line });

const YES = ["true", "1", "yes", "y", "t"];
const NO = ["false", "0", "no", "n", "f"];

const OURS = ["phone_numbers", "email", "subscribed", "consented_at", "evidence"];

/** How many fields a row has up to the last one with text. */
const widthOf = (fields: string[]) => {
  let width = fields.length;
  while (width > 0 && trim(fields[width - 1] ?? "") === "") width -= 1;
  return width;
};

function checkColumns(columns: string[], everyone: boolean): void {
  const names = columns.map((name) => name.toLowerCase());
  const says = names.includes("subscribed");
  const field = { field: "everyone" };
  const twice = (name: string) => {
    const places = names.flatMap((it, place) => (it === name ? [place + 1] : []));
    if (places.length < 2) return;
    throw new FileFault(
      `has two columns headed ${name}, the columns ${places[0]} and ${places.at(-1)}: remove one, or give it another name`,
    );
  };
  twice("subscribed");
  // With what a broken quote leaves.
  const state = columns.find((name) => /^subscribed\W+$/i.test(name));
  if (state !== undefined && !says) {
    throw new FileFault(
      `has a column headed ${JSON.stringify(state)}, which looks like a state, and none headed subscribed: name the column subscribed and write true or false in each row, or delete it if everyone in the file has agreed to be texted`,
    );
  }
  if (says && everyone) throw new FileFault("must be left out, because the file has a column headed subscribed", field);
  if (!says && !everyone) {
    const has = columns.slice(0, 10).map((name) => JSON.stringify(name.slice(0, 40)));
    throw new FileFault(
      `must be subscribed if everyone in the file has agreed to be texted; otherwise add a column headed subscribed with true or false in each row, because the file has no such column; it has ${has.join(", ")}`,
      field,
    );
  }
  for (const name of OURS) twice(name);
}

/** @returns whether the row is one of people. @throws FileFault */
function isRow({ line, fields }: CsvRecord, columns: string[], isFirst: boolean): boolean {
  const words = fields.map((field) => trim(field).toLowerCase());
  const width = widthOf(columns);
  if (words.includes("phone_numbers")) {
    const same = columns.map((name) => name.toLowerCase()).slice(0, width);
    if (JSON.stringify(words.slice(0, widthOf(words))) === JSON.stringify(same)) return false;
    throw new FileFault(
      `line ${line} names columns again, and other ones than the first line or in another order: send the parts as files of their own`,
      { line },
    );
  }
  if (widthOf(fields) > width) {
    throw new FileFault(
      `line ${line} has ${widthOf(fields)} fields, and the line that names the columns has ${width}: a field that has a separator in it must be in quotes`,
      { line },
    );
  }
  const place = columns.findIndex((name) => name.toLowerCase() === "phone_numbers");
  const word = fields.find(
    (field, at) =>
      (OURS.includes(trim(field).toLowerCase()) || /^subscribed\W+$/i.test(trim(field))) &&
      (columns[at] ?? "").toLowerCase() !== "subscribed",
  );
  if (isFirst && word !== undefined && !/(\d.*){7}/s.test(fields[place] ?? "")) {
    throw new FileFault(
      `line ${line} has no phone number, and ${JSON.stringify(trim(word))} looks like the name of a column: write the names of all columns into one line`,
      { line },
    );
  }
  return true;
}

function readRows(text: string, everyone: boolean): Outcome {
  const table = readTable(text, "phone_numbers");
  if ("found" in table) {
    const found = table.found.slice(0, 10).map((column) => JSON.stringify(column.slice(0, 40)));
    throw new FileFault(`has no column headed phone_numbers; its first line has ${found.join(", ") || "nothing"}`);
  }
  const { columns, rows, wrongQuote } = table;
  checkColumns(columns, everyone);
  const changes = new Map<string, SubscriptionChange>();
  const optedOut = new Set<string>();
  const invalidPhones = new Set<string>();
  const invalidEmails = new Set<string>();
  const invalidCells: { line: number; column: string; value: string; message: string }[] = [];
  const faults = wrongQuote ? [toFault(wrongQuote)] : [];
  let isFirst = true;
  for (const record of rows) {
    const { line, fields } = record;
    try {
      if (!isRow(record, columns, isFirst)) continue;
    } catch (error) {
      if (!(error instanceof FileFault)) throw error;
      faults.splice(0, wrongQuote ? 1 : 0, error.fault);
      break;
    }
    isFirst = false;
    const places = columns.map((name) => name.toLowerCase());
    const cell = (name: string) => trim(fields[places.indexOf(name)] ?? "");
    const [phone, email] = [cell("phone_numbers").replace(/^'(?=\+)/, ""), cell("email")];
    const word = everyone ? "true" : cell("subscribed");
    if (![...YES, ...NO].includes(word.toLowerCase())) {
      faults.push({ field: "subscribed", message: "must be true or false", line, value: echoPhone(word) });
    }
    if (!isE164(phone)) {
      const value = echoPhone(phone);
      const isNew = !invalidPhones.has(value);
      if (isNew) invalidCells.push({ line, column: "phone_numbers", value, message: explainPhone(phone) });
      invalidPhones.add(value);
      continue;
    }
    const address = isEmail(email.toLowerCase()) ? email.toLowerCase() : null;
    if (email !== "" && address === null) {
      const value = echoEmail(email);
      const isNew = !invalidEmails.has(value);
      if (isNew) invalidCells.push({ line, column: "email", value, message: "must be an e-mail address" });
      invalidEmails.add(value);
    }
    if (NO.includes(word.toLowerCase())) optedOut.add(phone);
    const before = changes.get(phone);
    changes.delete(phone);
    const kept = address ?? before?.email ?? null;
    changes.set(phone, { phone: toDigits(phone), email: kept, subscribed: !optedOut.has(phone) });
  }
  if (faults.length > 0) {
    const cells = invalidCells.map(({ column, ...cell }) => ({ field: column, ...cell }));
    return { details: [...faults, ...cells] };
  }
  const lists = { invalidPhoneNumbers: [...invalidPhones], invalidEmails: [...invalidEmails], invalidCells };
  return { changes: [...changes.values()], ...lists };
}
