// Pure. Checks rows of subscribers, and holds the valid ones.
import { echoEmail, echoPhone } from "./echo.ts";
import { isEmail } from "./email.ts";
import { e164Digits, PHONE_FORM } from "./phone.ts";
import { SubscriberRows, type SubscriptionChange } from "./subscriber-rows.ts";

export class Subscribers {
  readonly #rows = new SubscriberRows();
  readonly #invalidPhones = new Set<string>();
  readonly #invalidOptOuts = new Set<string>();
  readonly #invalidEmails = new Set<string>();

  /** A row as given; an empty email counts as absent. */
  add(givenPhone: string, givenEmail: string, subscribed: boolean): void {
    const phone = givenPhone.trim();
    const digits = e164Digits(phone);
    if (Number.isNaN(digits)) {
      this.#invalidPhones.add(copy(echoPhone(phone)));
      if (!subscribed && PHONE_FORM.test(phone)) this.#invalidOptOuts.add(copy(phone));
      return;
    }
    const email = givenEmail.trim();
    const address = email === "" ? "" : email.toLowerCase();
    const isAddress = address !== "" && isEmail(address);
    if (address !== "" && !isAddress) this.#invalidEmails.add(copy(echoEmail(email)));
    this.#rows.add({ phone: digits, email: isAddress ? address : null, subscribed });
  }

  /** Distinct numbers; the last row of a number counts. See SubscriberRows for their order. */
  changes(): Generator<SubscriptionChange, void> {
    return this.#rows.last();
  }

  /** As given, trimmed, and cut after the longest valid number; distinct. */
  get invalidPhoneNumbers(): string[] {
    return [...this.#invalidPhones];
  }

  /** Invalid numbers to opt out: such a number may have been stored while it was valid. */
  get invalidOptOuts(): string[] {
    return [...this.#invalidOptOuts];
  }

  /** As given, trimmed, and cut after the longest valid address; distinct. The numbers of these rows are stored without one. */
  get invalidEmails(): string[] {
    return [...this.#invalidEmails];
  }

  get invalidCount(): number {
    return this.#invalidPhones.size + this.#invalidEmails.size;
  }
}

/** A cell is a part of the piece of the file that it came in, and would keep all of the piece in memory. */
function copy(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

export function without(phones: string[], changed: string[]): string[] {
  const those = new Set(changed);
  return phones.filter((phone) => !those.has(phone));
}
