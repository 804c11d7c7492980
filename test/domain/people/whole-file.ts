// Simple readers of whole files, which hold all of a file and all of its rows. The readers of pieces must agree with them.
import { UnclosedQuoteError } from "../../../src/domain/people/csv.ts";
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
 * @throws UnclosedQuoteError
 */
export function csvRecords(text: string, separator = ","): CsvRecord[] {
  const { records, unclosed } = readRecords(text, separator);
  if (unclosed) throw unclosed;
  return records;
}

function readRecords(text: string, separator: string): { records: CsvRecord[]; unclosed?: UnclosedQuoteError } {
  const records: CsvRecord[] = [];
  let [at, line] = [0, 1];
  while (at < text.length) {
    const record: CsvRecord = { line, fields: [] };
    for (;;) {
      const { field, end, breaks } = readField(text, at, separator);
      if (end === -1) return { records, unclosed: new UnclosedQuoteError(line) };
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

/** Text between a closing quote and the next separator stays in the field: a broken quote loses no character. */
function readField(text: string, from: number, separator: string) {
  let [field, at] = ["", from];
  if (text[at] === '"') {
    const closed = /^"((?:[^"]|"")*)"(?!")/.exec(text.slice(at));
    if (!closed) return { field, end: -1, breaks: 0 };
    field = (closed[1] ?? "").replaceAll('""', '"');
    at += closed[0].length;
  }
  const breaks = lineBreaks(field);
  while (at < text.length && ![separator, "\n", "\r"].includes(text[at] ?? "")) field += text[at++];
  return { field, end: at, breaks };
}

export interface Table {
  /** Trimmed. */
  columns: string[];
  rows: CsvRecord[];
  /** What ends them. */
  unclosed?: UnclosedQuoteError;
}

const SEPARATORS = [",", ";", "\t"];

/** @returns undefined for a text whose first record has no such column, with any separator. @throws UnclosedQuoteError */
export function readTable(text: string, column: string): Table | { found: string[] } {
  const [firstLine = ""] = text.replace(/^\s+/, "").split(/[\r\n]/);
  const named = /^sep=([,;\t])$|^"sep=([,;\t])"$/i.exec(firstLine);
  const unclosed: UnclosedQuoteError[] = [];
  const headings: string[][] = [];
  for (const separator of named ? [named[1] ?? named[2] ?? ""] : SEPARATORS) {
    const heading = firstRecord(text, separator, named ? 1 : 0);
    if (heading instanceof UnclosedQuoteError) unclosed.push(heading);
    else {
      const columns = heading.map(trim);
      if (columns.some((name) => name.toLowerCase() === column)) {
        const { records, ...rest } = readRecords(text, separator);
        return { columns, rows: records.slice(named ? 2 : 1), ...rest };
      }
      headings.push(columns);
    }
  }
  if (unclosed[0]) throw unclosed[0];
  const most = Math.max(...headings.map(({ length }) => length));
  return { found: headings.find(({ length }) => length === most) ?? [] };
}

/** The shortest text up to a line break that is a whole record. */
function firstRecord(text: string, separator: string, index: number): string[] | UnclosedQuoteError {
  const ends = [...text.matchAll(/[\r\n]/g)].map((it) => it.index + 1);
  let error: UnclosedQuoteError | undefined;
  for (const end of [...ends, text.length]) {
    try {
      const found = csvRecords(text.slice(0, end), separator)[index];
      if (found) return found.fields;
      error = undefined;
    } catch (caught) {
      if (!(caught instanceof UnclosedQuoteError)) throw caught;
      error = caught;
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

export type Outcome = Read | { details: { field: string; message: string }[] };

/** @returns what a file of subscribers has, or its faults */
export function readSubscribers(bytes: Uint8Array): Outcome {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return { details: [{ field: "body", message: "is not text in UTF-8" }] };
  }
  try {
    return readRows(text);
  } catch (error) {
    if (error instanceof UnclosedQuoteError) return { details: [{ field: "body", message: error.message }] };
    throw error;
  }
}

const YES = ["", "true", "1", "yes", "y", "t"];
const NO = ["false", "0", "no", "n", "f"];

function readRows(text: string): Outcome {
  const table = readTable(text, "phone_numbers");
  if ("found" in table) {
    const found = table.found.slice(0, 10).map((column) => JSON.stringify(column.slice(0, 40)));
    const message = `has no column headed phone_numbers; its first line has ${found.join(", ") || "nothing"}`;
    return { details: [{ field: "body", message }] };
  }
  const { columns, rows, unclosed } = table;
  const changes = new Map<string, SubscriptionChange>();
  const optedOut = new Set<string>();
  const invalidPhones = new Set<string>();
  const invalidEmails = new Set<string>();
  const invalidCells: { line: number; column: string; value: string; message: string }[] = [];
  const faults = unclosed ? [{ field: "body", message: unclosed.message }] : [];
  for (const { line, fields } of rows) {
    const cell = (name: string) => trim(columns.includes(name) ? (fields[columns.indexOf(name)] ?? "") : "");
    const [phone, email, word] = [cell("phone_numbers"), cell("email"), cell("subscribed")];
    if (![...YES, ...NO].includes(word.toLowerCase())) {
      const message = `must be true or false; line ${line} has ${JSON.stringify(echoPhone(word))}`;
      faults.push({ field: "subscribed", message });
    }
    if (!isE164(phone)) {
      const value = echoPhone(phone);
      const isFirst = !invalidPhones.has(value);
      if (isFirst) invalidCells.push({ line, column: "phone_numbers", value, message: explainPhone(phone) });
      invalidPhones.add(value);
      continue;
    }
    const address = isEmail(email.toLowerCase()) ? email.toLowerCase() : null;
    if (email !== "" && address === null) {
      const value = echoEmail(email);
      const isFirst = !invalidEmails.has(value);
      if (isFirst) invalidCells.push({ line, column: "email", value, message: "must be an e-mail address" });
      invalidEmails.add(value);
    }
    if (NO.includes(word.toLowerCase())) optedOut.add(phone);
    const before = changes.get(phone);
    changes.delete(phone);
    const kept = address ?? before?.email ?? null;
    changes.set(phone, { phone: toDigits(phone), email: kept, subscribed: !optedOut.has(phone) });
  }
  if (faults.length > 0) {
    const cells = invalidCells.map(({ line, column, value, message }) => ({
      field: column,
      message: `${message}; line ${line} has ${JSON.stringify(value)}`,
    }));
    return { details: [...faults, ...cells] };
  }
  const lists = { invalidPhoneNumbers: [...invalidPhones], invalidEmails: [...invalidEmails], invalidCells };
  return { changes: [...changes.values()], ...lists };
}
