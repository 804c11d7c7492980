// Pure. The CSV file of subscribers that an operator imports.

import { type FieldError, RequestFailure } from "../failure.ts";
import { type CellFault, type Consent, readConsentCells } from "./consent.ts";
import { CsvError, readField } from "./csv.ts";
import { echoEmail, echoPhone } from "./echo.ts";
import { FileText } from "./file-text.ts";
import { strip } from "./invisible.ts";
import { e164Digits } from "./phone.ts";
import { explainPhone } from "./phone-fault.ts";
import { PhoneRowReader } from "./phone-file.ts";
import { RowFaults } from "./row-faults.ts";
import { type ColumnsRead, checkNames, OTHERS } from "./subscriber-columns.ts";
import { type SubscriberPart, Subscribers } from "./subscribers.ts";

const YES_NO = new Map([
  ...["true", "1", "yes", "y", "t"].map((word) => [word, true] as const),
  ...["false", "0", "no", "n", "f"].map((word) => [word, false] as const),
]);

/** @returns undefined for any other word: a blank cell says nothing of consent */
export function readYesNo(cell: string): boolean | undefined {
  return YES_NO.get(strip(cell).toLowerCase());
}

/** A file with more is not what it should be, and the answer would list them all. */
export const MOST_INVALID = 100_000;

/** A part is stored in one transaction: of so many rows, it takes D1 some hundredths of a second, in which nothing else is stored. */
export const PART_ROWS = 5_000;

/** The most rows of one request: the figures of its answer are held in memory, number by number. */
export const MOST_ROWS = 250_000;

const TOO_MANY_ROWS = `has more than ${MOST_ROWS.toLocaleString("en")} rows, the most that a request may have: cut the file, repeat its first line in each piece, and send the pieces one after the other, each but the first with the importId that the first one answers`;

/** A cell that refuses the file. */
type RowFault = Pick<CellFault, "value" | "message"> & { column: CellFault["column"] | "subscribed" };

/** So many rows are shown before an import. */
const PREVIEW_ROWS = 20;

/** A row as an operator sees it before the import. */
export interface FirstRow {
  /** The line of the file on which it begins, from 1. */
  line: number;
  /** In digits; null: it is invalid. */
  digits: number | null;
  phone: string;
  email: string | null;
  subscribed: boolean;
  consent: Consent | null;
  /** What is wrong with its number. */
  fault: string | null;
}

type GivenRow = Pick<FirstRow, "line" | "phone" | "subscribed" | "consent"> & { email: string };

function toPreview(row: GivenRow): FirstRow {
  const phone = strip(row.phone);
  const digits = e164Digits(phone);
  const isValid = !Number.isNaN(digits);
  return {
    ...row,
    digits: isValid ? digits : null,
    phone: echoPhone(phone),
    email: echoEmail(readField(strip(row.email))) || null,
    fault: isValid ? null : explainPhone(phone),
  };
}

/** Checks the file while it comes in, and cuts it into parts. */
export class SubscriberFile {
  readonly #reader: PhoneRowReader;
  readonly #text: FileText;
  readonly #now: number;
  readonly #faults = {
    subscribed: new RowFaults<FieldError>(),
    consented_at: new RowFaults<FieldError>(),
    evidence: new RowFaults<FieldError>(),
  };
  readonly #subscribers = new Subscribers();
  #rows = 0;
  #refused = 0;
  #withoutProof = 0;
  /** The first rows. */
  readonly preview: FirstRow[] = [];
  #parts: SubscriberPart[] = [];
  /** What ended the reading. */
  #error: CsvError | undefined;

  /**
   * @param now milliseconds since 1970
   * @param everyone whether the file has no column `subscribed`, and all of its people are to be subscribed
   * @param beginningBytes see FileText
   */
  constructor(now: number, everyone = false, beginningBytes?: number) {
    this.#now = now;
    const check = (names: string[]) => checkNames(names, everyone);
    this.#reader = new PhoneRowReader({ others: OTHERS, check }, (cells, line) => this.#take(cells, line));
    this.#text = new FileText(this.#reader, beginningBytes);
  }

  /** @returns the parts that are whole, except a file that is refused: it is read on only for its faults */
  write(bytes: Uint8Array): SubscriberPart[] {
    this.#try(() => this.#text.write(bytes));
    return this.#takeParts();
  }

  /**
   * @returns the last part, which may be empty
   * @throws RequestFailure fields-wrong
   */
  end(): SubscriberPart[] {
    this.#try(() => {
      this.#text.end();
      this.#reader.end();
    });
    const details = this.#listFaults();
    if (details.length > 0) throw new RequestFailure({ kind: "fields-wrong", details });
    return [...this.#takeParts(), this.#subscribers.takePart()];
  }

  /** Known once a part has been returned. */
  get columns(): ColumnsRead {
    const [phone, email = null, subscribed = null, consentedAt, evidence] = this.#reader.columns;
    const proof = { ...(consentedAt ? { consentedAt } : {}), ...(evidence ? { evidence } : {}) };
    return { phone: phone ?? "", email, subscribed, ...proof };
  }

  /** One character. Known as the columns are. */
  get separator(): string {
    return this.#reader.header.separator;
  }

  /** The names of the other columns. Known as the columns are. */
  get ignoredColumns(): string[] {
    return this.#reader.header.names.filter((name) => name !== "" && !this.#reader.columns.includes(name));
  }

  /** What is invalid in it, as far as it has been read. */
  get invalid(): Pick<
    Subscribers,
    "invalidPhoneNumbers" | "invalidEmails" | "invalidCells" | "rowsOf" | "unreadableOptOuts"
  > {
    return this.#subscribers;
  }

  /**
   * How many rows it has, as far as it has been read; of how many the number is invalid; and how many of the others subscribe their
   * number, with nothing that proves its consent.
   */
  get counts(): { rows: number; refused: number; withoutProof: number } {
    return { rows: this.#rows, refused: this.#refused, withoutProof: this.#withoutProof };
  }

  get #faultCount(): number {
    return Object.values(this.#faults).reduce((sum, { count }) => sum + count, 0);
  }

  #takeParts(): SubscriberPart[] {
    const parts = this.#error || this.#faultCount > 0 ? [] : this.#parts;
    this.#parts = [];
    return parts;
  }

  #try(work: () => void): void {
    if (this.#error) return;
    try {
      work();
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      this.#error = error;
    }
  }

  /** Invalid cells refuse no file. If something else does, they are reported with it, as far as there is room. */
  #listFaults(): FieldError[] {
    const rows = Object.entries(this.#faults).flatMap(([field, { first, more }]) => [
      ...first,
      ...(more ? [{ field, message: more }] : []),
    ]);
    const faults = this.#error ? [toFieldError(this.#error), ...rows] : rows;
    if (faults.length === 0) return [];
    const room = Math.min(...Object.values(this.#faults).map((those) => those.room));
    const cells = this.#subscribers.invalidCells.slice(0, room);
    return [...faults, ...cells.map(({ column, ...cell }) => ({ field: column, ...cell }))];
  }

  #take([phone, email, yesNo, time = null, shown = null]: (string | null)[], line: number): void {
    this.#rows += 1;
    if (this.#rows > MOST_ROWS) throw new CsvError(TOO_MANY_ROWS);
    const word = yesNo ?? null;
    const subscribed = word === null || readYesNo(word);
    const add = (fault: RowFault) => this.#addFault(fault, line);
    if (subscribed === undefined) add({ column: "subscribed", value: strip(word ?? ""), message: TRUE_OR_FALSE });
    const hasProof = (time ?? "") !== "" || (shown ?? "") !== "";
    const consent = hasProof ? readConsentCells({ time, evidence: shown }, this.#now, add) : undefined;
    this.#add({
      ...{ phone: phone ?? "", email: email ?? "", subscribed: subscribed ?? false, line },
      consent: consent ?? null,
    });
    if (this.#subscribers.rowCount === PART_ROWS) this.#parts.push(this.#subscribers.takePart());
  }

  #addFault({ column, value, message }: RowFault, line: number): void {
    this.#faults[column].add({ field: column, message, line, value: echoPhone(value) });
  }

  #add(row: GivenRow): void {
    const { phone, email, subscribed, line, consent } = row;
    const isValid = this.#subscribers.add(phone, email, subscribed, line, consent ?? undefined);
    if (!isValid) this.#refused += 1;
    else if (subscribed && consent === null) this.#withoutProof += 1;
    if (this.preview.length < PREVIEW_ROWS) this.preview.push(toPreview(row));
    if (this.#subscribers.invalidCount > MOST_INVALID) {
      throw new CsvError(`has more than ${MOST_INVALID} invalid phone numbers and e-mail addresses`);
    }
  }
}

const TRUE_OR_FALSE = "must be true or false";

const toFieldError = ({ field = "body", message, line }: CsvError): FieldError => ({
  field,
  message,
  ...(line === undefined ? {} : { line }),
});
