// Pure. The CSV file of subscribers that an operator imports.
import { failField } from "./failure.ts";
import { CsvError, notUtf8, PhoneRowReader } from "./phone-file.ts";
import { Subscribers } from "./subscribers.ts";

const YES_NO = new Map([
  ...["", "true", "1", "yes", "y", "t"].map((word) => [word, true] as const),
  ...["false", "0", "no", "n", "f"].map((word) => [word, false] as const),
]);

/** A file with more is not what it should be, and the answer would list them all. */
const MOST_INVALID = 100_000;

/** Checks the file while it comes in, and holds what is to be stored. */
export class SubscriberFile {
  /** workerd's own removal of the byte order mark also takes one from the beginning of a later piece. */
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  readonly #reader = new PhoneRowReader(["email", "subscribed"], (cells) => this.#take(cells));
  #subscribers = new Subscribers();
  #rows = 0;
  #isText = true;
  #hasBegun = false;
  #error: unknown;

  write(bytes: Uint8Array): void {
    this.#read(bytes, (text) => this.#reader.write(text));
  }

  /** @throws RequestFailure fields-wrong: the caller stores nothing of the file */
  end(): Subscribers {
    this.#read(undefined, (text) => {
      this.#reader.write(text);
      this.#reader.end();
    });
    if (this.#error instanceof CsvError) failField("body", this.#error.message);
    if (this.#error) throw this.#error;
    return this.#subscribers;
  }

  /** After an error in a row, the rest is decoded only: bytes that are no text are the error to tell, wherever they are. */
  #read(bytes: Uint8Array | undefined, work: (text: string) => void): void {
    const text = this.#decode(bytes);
    if (this.#error) return;
    try {
      work(text);
    } catch (error) {
      this.#error = error;
      this.#subscribers = new Subscribers();
    }
  }

  #decode(bytes: Uint8Array | undefined): string {
    if (!this.#isText) return "";
    try {
      const text = this.#decoder.decode(bytes, { stream: bytes !== undefined });
      const hasMark = !this.#hasBegun && text.startsWith("\uFEFF");
      this.#hasBegun ||= text !== "";
      return hasMark ? text.slice(1) : text;
    } catch {
      this.#isText = false;
      this.#error = notUtf8();
      return "";
    }
  }

  #take([phone = "", email = "", yesNo = ""]: string[]): void {
    this.#rows += 1;
    const subscribed = yesNo === "" || YES_NO.get(yesNo.trim().toLowerCase());
    if (subscribed === undefined) failField("subscribed", `must be true or false; row ${this.#rows} has neither`);
    this.#subscribers.add(phone, email, subscribed);
    if (this.#subscribers.invalidCount > MOST_INVALID) {
      throw new CsvError(`has more than ${MOST_INVALID} invalid phone numbers and e-mail addresses`);
    }
  }
}
