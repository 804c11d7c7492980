// Pure. The CSV file of subscribers that an operator imports.

import { type FieldError, RequestFailure } from "../failure.ts";
import { type Consent, findCellFault, toConsent } from "./consent.ts";
import { CsvError, readField } from "./csv.ts";
import { echoEmail, echoPhone } from "./echo.ts";
import { FileText } from "./file-text.ts";
import { strip } from "./invisible.ts";
import { e164Digits } from "./phone.ts";
import { explainPhone } from "./phone-fault.ts";
import { PhoneRowReader } from "./phone-file.ts";
import { RowFaults } from "./row-faults.ts";
import { refuseStates } from "./state-column.ts";
import { type InvalidCell, type SubscriberPart, Subscribers } from "./subscribers.ts";

const YES_NO = new Map([
  ...["", "true", "1", "yes", "y", "t"].map((word) => [word, true] as const),
  ...["false", "0", "no", "n", "f"].map((word) => [word, false] as const),
]);

/** @returns undefined for any other word */
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

/** The columns that are read, as the file writes them; null: it lacks the column. */
export interface ColumnsRead {
  phone: string;
  email: string | null;
  subscribed: string | null;
  /** Left out, as the next, where the file lacks it. */
  consentedAt?: string;
  evidence?: string;
}

const ADVICE =
  ", and none headed subscribed: name the column subscribed and write true or false in each row, or delete it to subscribe every number of the file";

const WANTED = {
  others: ["email", "subscribed", "consented_at", "evidence"],
  check: (names: string[]) => refuseStates(names, ADVICE),
};

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
  /** What is wrong with its number. */
  fault: string | null;
}

function toPreview(row: { phone: string; email: string; line: number }, subscribed: boolean): FirstRow {
  const phone = strip(row.phone);
  const digits = e164Digits(phone);
  const isValid = !Number.isNaN(digits);
  return {
    line: row.line,
    digits: isValid ? digits : null,
    phone: echoPhone(phone),
    email: echoEmail(readField(strip(row.email))) || null,
    subscribed,
    fault: isValid ? null : explainPhone(phone),
  };
}

/** Checks the file while it comes in, and cuts it into parts. */
export class SubscriberFile {
  readonly #reader = new PhoneRowReader(WANTED, (cells, line) => this.#take(cells, line));
  readonly #text: FileText;
  readonly #now: number;
  readonly #faults = { subscribed: new RowFaults(), consented_at: new RowFaults(), evidence: new RowFaults() };
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
   * @param beginningBytes see FileText
   */
  constructor(now: number, beginningBytes?: number) {
    this.#now = now;
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
  get unreadColumns(): string[] {
    return this.#reader.header.names.filter((name) => name !== "" && !this.#reader.columns.includes(name));
  }

  /** What is invalid in it, as far as it has been read. */
  get invalid(): Pick<Subscribers, "invalidPhoneNumbers" | "invalidEmails" | "invalidCells" | "rowsOf"> {
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
    const rows = Object.entries(this.#faults).flatMap(([field, { messages }]) =>
      messages.map((message) => ({ field, message })),
    );
    const faults = this.#error ? [{ field: "body", message: this.#error.message }, ...rows] : rows;
    if (faults.length === 0) return [];
    return [
      ...faults,
      ...this.#subscribers.invalidCells
        .slice(0, Math.min(...Object.values(this.#faults).map(({ room }) => room)))
        .map(toFieldError),
    ];
  }

  #take([phone = "", email = "", yesNo = "", time = "", shown = ""]: string[], line: number): void {
    this.#rows += 1;
    if (this.#rows > MOST_ROWS) throw new CsvError(TOO_MANY_ROWS);
    const subscribed = yesNo === "" || readYesNo(yesNo);
    if (subscribed === undefined) {
      this.#faults.subscribed.add(`must be true or false; line ${line} has ${JSON.stringify(echoPhone(strip(yesNo)))}`);
    }
    const consent = time === "" && shown === "" ? undefined : this.#readConsent(strip(time), strip(shown), line);
    const isValid = this.#subscribers.add(phone, email, subscribed ?? false, line, consent);
    if (!isValid) this.#refused += 1;
    else if (subscribed && consent === undefined) this.#withoutProof += 1;
    if (this.preview.length < PREVIEW_ROWS) this.preview.push(toPreview({ phone, email, line }, subscribed ?? false));
    if (this.#subscribers.invalidCount > MOST_INVALID) {
      throw new CsvError(`has more than ${MOST_INVALID} invalid phone numbers and e-mail addresses`);
    }
    if (this.#subscribers.rowCount === PART_ROWS) this.#parts.push(this.#subscribers.takePart());
  }

  #readConsent(time: string, evidence: string, line: number): Consent | undefined {
    const wrongTime = findCellFault("consentedAt", time, this.#now);
    if (wrongTime) this.#faults.consented_at.add(`${wrongTime}; line ${line} has ${JSON.stringify(echoPhone(time))}`);
    const wrongEvidence = findCellFault("evidence", evidence, this.#now);
    if (wrongEvidence) this.#faults.evidence.add(`${wrongEvidence}; line ${line} has ${evidence.length}`);
    return toConsent(time, evidence);
  }
}

function toFieldError({ line, column, value, message }: InvalidCell): FieldError {
  return { field: column, message: `${message}; line ${line} has ${JSON.stringify(value)}` };
}
