// Pure. The phone numbers of a bulk request: an array, a CSV file in Base64, or both; each distinct number once.
import * as z from "zod";
import { readPlainColumn, readTable, UnclosedQuoteError } from "./csv.ts";
import { sortOrder } from "./number-list/sort-order.ts";
import { e164Digits } from "./phone.ts";
import { sendPurpose } from "./send-request.ts";
import { type SubscriberRow, toSubscribers } from "./subscribers.ts";

export const MAX_PHONE_NUMBERS = 5_000;
export const MAX_CSV_ROWS = 50_000;
export const PHONE_COLUMN = "phone_numbers";

/** A CSV file that cannot be read. The message says why, to whoever made the file. */
export class CsvError extends Error {}

const phoneNumbers = z
  .array(z.unknown(), {
    error: ({ input }) =>
      typeof input === "object" ? "must be a flat array of strings, not an object" : "must be a flat array of strings",
  })
  .superRefine((items, context) => {
    const add = (message: string, path: number[] = []) => context.addIssue({ code: "custom", message, path });
    if (items.length > MAX_PHONE_NUMBERS) {
      add(`has ${items.length} items; at most ${MAX_PHONE_NUMBERS} are allowed (a csv_file takes ${MAX_CSV_ROWS})`);
      return;
    }
    items.forEach((item, index) => {
      if (typeof item !== "string") add("must be a string", [index]);
    });
  })
  .transform((items) => items as string[])
  .meta({
    description: "A flat array; each distinct number counts once.",
    items: { type: "string" },
    maxItems: MAX_PHONE_NUMBERS,
  });

/** @param read what is taken from the file's text; its CsvError is told */
function csvFile<T>(read: (csv: string) => T) {
  return z
    .string({ error: "must be a string: a CSV file in Base64" })
    .transform((value, context) => {
      try {
        return read(decodeBase64Text(value));
      } catch (error) {
        if (!(error instanceof CsvError)) throw error;
        context.addIssue({ code: "custom", message: error.message });
        return z.NEVER;
      }
    })
    .meta({
      description: `A CSV file in UTF-8 with a column headed \`${PHONE_COLUMN}\` and at most ${MAX_CSV_ROWS} rows, in Base64 (either alphabet, padding optional).`,
      contentEncoding: "base64",
      contentMediaType: "text/csv",
    });
}

/** `null`, `""` and an empty array count as absent. */
const absent = [z.literal(""), z.null()] as const;

const NEITHER_LIST = {
  code: "custom" as const,
  path: ["phone_numbers"],
  message: "either phone_numbers (a flat array of strings) or csv_file must be given",
};

/** The same, as JSON Schema says it. */
const EITHER_LIST = [{ required: ["phone_numbers"] }, { required: ["csv_file"] }];

export const phoneListSchema = z
  .object(
    {
      phone_numbers: z.union([phoneNumbers, ...absent]).optional(),
      csv_file: z.union([csvFile(readPhoneColumn), ...absent]).optional(),
    },
    { error: "must be a JSON object" },
  )
  .transform(({ phone_numbers, csv_file }, context) => {
    const listed = phone_numbers || [];
    if (listed.length > 0 || csv_file) return distinctPhones(listed, csv_file || undefined);
    context.addIssue(NEITHER_LIST);
    return z.NEVER;
  })
  .meta({ anyOf: EITHER_LIST });

/** The body of POST /text/subscribe: the file may have a column of e-mail addresses. */
export const subscribeSchema = z
  .object(
    {
      phone_numbers: z.union([phoneNumbers, ...absent]).optional(),
      csv_file: z.union([csvFile(readSubscriberRows), ...absent]).optional(),
      sendPurpose,
    },
    { error: "must be a JSON object" },
  )
  .transform(({ phone_numbers, csv_file, sendPurpose: purpose }, context) => {
    const listed = phone_numbers || [];
    if (listed.length > 0 || csv_file) {
      const rows = [...listed.map((phone) => ({ phone, email: "", subscribed: true })), ...(csv_file || [])];
      return { ...toSubscribers(rows), sendPurpose: purpose };
    }
    context.addIssue(NEITHER_LIST);
    return z.NEVER;
  })
  .meta({ anyOf: EITHER_LIST });

export interface PhoneList {
  /** The digits of numbers in E.164 form, distinct, in the order of their first appearance. */
  valid: Float64Array;
  /** The indexes of `valid` by ascending number. */
  order: Uint32Array;
  /** As given, trimmed; distinct, in the order of their first appearance. */
  invalid: string[];
}

/** Cells of a file: by themselves, or where they begin and end in its text. */
export type Cells = string[] | { text: string; bounds: Uint32Array };

export function distinctPhones(listed: readonly string[], file: Cells = []): PhoneList {
  const rows = Array.isArray(file) ? file.length : file.bounds.length / 2;
  const digits = new Float64Array(listed.length + rows);
  const invalid = new Set<string>();
  let count = 0;
  const add = (text: string, start = 0, end = text.length) => {
    let number = e164Digits(text, start, end);
    if (Number.isNaN(number)) {
      const phone = text.slice(start, end).trim();
      number = e164Digits(phone);
      if (Number.isNaN(number)) return invalid.add(phone);
    }
    digits[count++] = number;
  };
  for (const phone of listed) add(phone);
  if (Array.isArray(file)) for (const cell of file) add(cell);
  else for (let row = 0; row < rows; row++) add(file.text, file.bounds[row * 2], file.bounds[row * 2 + 1]);
  return { ...withoutRepeats(digits.subarray(0, count)), invalid: [...invalid] };
}

/** In their order, equal numbers stand side by side, the one that came first before the others. */
function withoutRepeats(digits: Float64Array): Pick<PhoneList, "valid" | "order"> {
  const order = sortOrder(digits);
  const repeats = new Set<number>();
  for (let place = 1; place < order.length; place++) {
    const index = order[place] as number;
    if (digits[index] === digits[order[place - 1] as number]) repeats.add(index);
  }
  if (repeats.size === 0) return { valid: digits, order };
  return withoutRepeats(digits.filter((_, index) => !repeats.has(index)));
}

/**
 * Standard or URL-safe alphabet, padding optional, line breaks allowed; the text in UTF-8, without its byte-order mark.
 * @throws CsvError
 */
export function decodeBase64Text(base64: string): string {
  const alphabet = /[-_]/.test(base64) ? "base64url" : "base64";
  let bytes: Uint8Array;
  try {
    bytes = Uint8Array.fromBase64(base64, { alphabet });
  } catch {
    throw new CsvError("is not Base64 (standard or URL-safe alphabet, without a data: prefix)");
  }
  return decodeUtf8(bytes);
}

/** @throws CsvError */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new CsvError("is not text in UTF-8");
  }
}

/** @throws CsvError without the column, or over 50,000 rows */
function readPhoneColumn(csv: string): Cells {
  if (csv.includes('"')) return atMost(readPhoneRows(csv), ([phone]) => phone);
  const { columns, text, rows, bounds } = readPlainColumn(csv, PHONE_COLUMN, MAX_CSV_ROWS);
  if (!bounds) throw missingColumn(columns);
  if (rows > MAX_CSV_ROWS) throw tooManyRows(rows);
  return { text, bounds };
}

/** @throws CsvError without the column of numbers, or over 50,000 rows */
function readSubscriberRows(csv: string): SubscriberRow[] {
  return atMost(readPhoneRows(csv, "email"), ([phone, email = ""]) => ({ phone, email, subscribed: true }));
}

/** Counts the rows beyond the limit as well, and keeps none of them. */
function atMost<T, R>(rows: Iterable<T>, take: (row: T) => R): R[] {
  const taken: R[] = [];
  let count = 0;
  for (const row of rows) {
    count += 1;
    if (count <= MAX_CSV_ROWS) taken.push(take(row));
  }
  if (count > MAX_CSV_ROWS) throw tooManyRows(count);
  return taken;
}

function tooManyRows(count: number): CsvError {
  return new CsvError(`has ${count} rows; at most ${MAX_CSV_ROWS} are allowed`);
}

/**
 * The cells of the column of phone numbers, and of other columns where the file has them ("" where not), row by row.
 * @throws CsvError
 */
export function* readPhoneRows<K extends string>(
  csv: string,
  ...others: K[]
): Generator<[phone: string, ...others: string[]], void> {
  try {
    const table = readTable(csv);
    const phoneIndex = table?.columns.indexOf(PHONE_COLUMN) ?? -1;
    if (!table || phoneIndex === -1) throw missingColumn(table?.columns ?? []);
    const indexes = others.map((name) => table.columns.indexOf(name));
    for (const row of table.rows) yield [row[phoneIndex] ?? "", ...indexes.map((index) => row[index] ?? "")];
  } catch (error) {
    if (error instanceof UnclosedQuoteError) throw new CsvError(error.message);
    throw error;
  }
}

function missingColumn(columns: string[]): CsvError {
  const found = columns.slice(0, 10).map((column) => JSON.stringify(column.slice(0, 40)));
  return new CsvError(`has no column headed ${PHONE_COLUMN}; its first line has ${found.join(", ") || "nothing"}`);
}

export const subscriptionStatusAnswerSchema = z.object({
  phoneNumberStatuses: z.array(z.object({ phoneNumber: z.string(), subscriptionStatus: z.boolean() })),
  invalidPhoneNumbers: z.array(z.string()),
});
