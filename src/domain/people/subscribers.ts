// Pure. Checks rows of subscribers, and holds the valid ones.
import type { Consent } from "./consent.ts";
import { readField } from "./csv.ts";
import { echoEmail, echoPhone } from "./echo.ts";
import { isEmail } from "./email.ts";
import { strip } from "./invisible.ts";
import { e164Digits, PHONE_FORM } from "./phone.ts";
import { explainPhone } from "./phone-fault.ts";
import { SubscriberRows, type SubscriptionChange } from "./subscriber-rows.ts";

/** A cell that is no phone number, or no address. */
export interface InvalidCell {
  /** The line of the file on which its row begins, from 1. */
  line: number;
  column: "phone_numbers" | "email";
  /** As given, stripped, and cut after the longest valid one. */
  value: string;
  message: string;
}

/** How many invalid cells are reported with their lines. A file may have a hundred times as many. */
export const MOST_INVALID_CELLS = 1000;

/** Some rows of a file, one after the other. */
export interface SubscriberPart {
  /** Rows of the file, with those whose number is invalid. */
  rows: number;
  /** Distinct numbers; see SubscriberRows. */
  changes: SubscriptionChange[];
  /** Invalid numbers to opt out, as given: such a number may have been stored while it was valid. */
  invalidOptOuts: string[];
}

export class Subscribers {
  #rows = new SubscriberRows();
  #rowCount = 0;
  #invalidOptOuts = new Set<string>();
  /** Each with the number of its rows. */
  readonly #invalidPhones = new Map<string, number>();
  /** The same of the rows that opt out: of those whose number may have been stored while it was valid, and of all. */
  readonly #optOutRows = new Map<string, number>();
  #invalidOptOutRows = 0;
  readonly #invalidEmails = new Map<string, number>();
  /** The first of them. */
  readonly invalidCells: InvalidCell[] = [];

  /**
   * A row as given; an empty email counts as absent.
   * @param line of the file, where there is one
   * @returns whether its number is valid
   */
  add(givenPhone: string, givenEmail: string, subscribed: boolean, line?: number, consent?: Consent): boolean {
    this.#rowCount += 1;
    const phone = strip(givenPhone);
    const digits = e164Digits(phone);
    if (Number.isNaN(digits)) {
      this.#addInvalid(this.#invalidPhones, "phone_numbers", echoPhone(phone), line, () => explainPhone(phone));
      if (!subscribed) this.#addOptOut(phone);
      return false;
    }
    const email = readField(strip(givenEmail));
    const address = email === "" ? "" : email.toLowerCase();
    const isAddress = address !== "" && isEmail(address);
    if (address !== "" && !isAddress) {
      this.#addInvalid(this.#invalidEmails, "email", echoEmail(email), line, () => "must be an e-mail address");
    }
    this.#rows.add({ phone: digits, email: isAddress ? address : null, subscribed, ...(consent ? { consent } : {}) });
    return true;
  }

  #addOptOut(phone: string): void {
    this.#invalidOptOutRows += 1;
    if (!PHONE_FORM.test(phone)) return;
    const kept = copy(phone);
    this.#invalidOptOuts.add(kept);
    this.#optOutRows.set(kept, (this.#optOutRows.get(kept) ?? 0) + 1);
  }

  #addInvalid(
    those: Map<string, number>,
    column: InvalidCell["column"],
    value: string,
    line: number | undefined,
    explain: () => string,
  ): void {
    const rows = those.get(value);
    const kept = rows === undefined ? copy(value) : value;
    those.set(kept, (rows ?? 0) + 1);
    if (rows !== undefined) return;
    if (line === undefined || this.invalidCells.length >= MOST_INVALID_CELLS) return;
    this.invalidCells.push({ line, column, value: kept, message: explain() });
  }

  /** How many rows were added since the latest part was taken. */
  get rowCount(): number {
    return this.#rowCount;
  }

  /** The rows that were added since the latest part was taken. What is invalid stays. */
  takePart(): SubscriberPart {
    const part = {
      rows: this.#rowCount,
      changes: this.#rows.distinct(),
      invalidOptOuts: [...this.#invalidOptOuts],
    };
    this.#rows = new SubscriberRows();
    this.#rowCount = 0;
    this.#invalidOptOuts = new Set();
    return part;
  }

  /** As given, stripped, and cut after the longest valid number; distinct. */
  get invalidPhoneNumbers(): string[] {
    return [...this.#invalidPhones.keys()];
  }

  /** As given, stripped, and cut after the longest valid address; distinct. The numbers of these rows are stored without one. */
  get invalidEmails(): string[] {
    return [...this.#invalidEmails.keys()];
  }

  /** How many rows have one of these invalid numbers. */
  rowsOf(phones: string[]): number {
    return sumOf(this.#invalidPhones, phones);
  }

  /** How many rows opt out an invalid number, except these. */
  unreadableOptOuts(known: string[]): number {
    return this.#invalidOptOutRows - sumOf(this.#optOutRows, known);
  }

  get invalidCount(): number {
    return this.#invalidPhones.size + this.#invalidEmails.size;
  }
}

const sumOf = (rows: Map<string, number>, phones: string[]) =>
  phones.reduce((sum, phone) => sum + (rows.get(phone) ?? 0), 0);

/** A cell is a part of the piece of the file that it came in, and would keep all of the piece in memory. */
function copy(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

export function without(phones: string[], changed: string[]): string[] {
  const those = new Set(changed);
  return phones.filter((phone) => !those.has(phone));
}
