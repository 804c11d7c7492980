// Simple readers of whole files, which hold all of a file and all of its rows. The readers of pieces must agree with them.
import { UnclosedQuoteError } from "../../src/domain/csv.ts";
import { echoEmail, echoPhone } from "../../src/domain/echo.ts";
import { isEmail } from "../../src/domain/email.ts";
import { isE164, toDigits } from "../../src/domain/phone.ts";
import type { SubscriptionChange } from "../../src/domain/subscriber-rows.ts";

const COMMA = 44;
const QUOTE = 34;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

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

export interface Read {
  changes: SubscriptionChange[];
  invalidPhoneNumbers: string[];
  invalidEmails: string[];
}

/** @returns what a file of subscribers has, or the field and the message of its error */
export function readSubscribers(bytes: Uint8Array): Read | { error: [field: string, message: string] } {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return { error: ["body", "is not text in UTF-8"] };
  }
  try {
    return readRows(text);
  } catch (error) {
    if (error instanceof UnclosedQuoteError) return { error: ["body", error.message] };
    if (error instanceof WrongRow) return { error: ["subscribed", error.message] };
    throw error;
  }
}

class WrongRow extends Error {}

const YES = ["", "true", "1", "yes", "y", "t"];
const NO = ["false", "0", "no", "n", "f"];

function readRows(text: string): ReturnType<typeof readSubscribers> {
  const table = readTable(text);
  const columns = table?.columns ?? [];
  if (!table || !columns.includes("phone_numbers")) {
    const found = columns.slice(0, 10).map((column) => JSON.stringify(column.slice(0, 40)));
    const message = `has no column headed phone_numbers; its first line has ${found.join(", ") || "nothing"}`;
    return { error: ["body", message] };
  }
  const changes = new Map<string, SubscriptionChange>();
  const invalidPhones = new Set<string>();
  const invalidEmails = new Set<string>();
  let count = 0;
  for (const row of table.rows) {
    count += 1;
    const cell = (name: string) => (columns.includes(name) ? (row[columns.indexOf(name)] ?? "") : "").trim();
    const [phone, email, word] = [cell("phone_numbers"), cell("email"), cell("subscribed").toLowerCase()];
    if (![...YES, ...NO].includes(word)) throw new WrongRow(`must be true or false; row ${count} has neither`);
    if (!isE164(phone)) {
      invalidPhones.add(echoPhone(phone));
      continue;
    }
    const address = isEmail(email.toLowerCase()) ? email.toLowerCase() : null;
    if (email !== "" && address === null) invalidEmails.add(echoEmail(email));
    changes.delete(phone);
    changes.set(phone, { phone: toDigits(phone), email: address, subscribed: YES.includes(word) });
  }
  return {
    changes: [...changes.values()],
    invalidPhoneNumbers: [...invalidPhones],
    invalidEmails: [...invalidEmails],
  };
}
