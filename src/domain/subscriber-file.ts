// Pure. The CSV file of subscribers that an operator imports.
import * as z from "zod";
import { failField } from "./failure.ts";
import { isE164 } from "./phone.ts";
import { CsvError, decodeUtf8, readPhoneRows } from "./phone-list.ts";

export interface Subscriber {
  /** E.164 */
  phone: string;
  /** Lower case; null: none given. */
  email: string | null;
  subscribed: boolean;
}

export interface SubscriberFile {
  /** Distinct numbers; of a number that stands in several rows, the last. */
  subscribers: Subscriber[];
  /** As given, trimmed; distinct. */
  invalidPhoneNumbers: string[];
  /** Their numbers are imported without an address. */
  invalidEmails: string[];
}

const YES_NO = new Map([
  ...["", "true", "1", "yes", "y", "t"].map((word) => [word, true] as const),
  ...["false", "0", "no", "n", "f"].map((word) => [word, false] as const),
]);

/** @throws RequestFailure fields-wrong: then nothing of the file is to be stored */
export function readSubscribers(bytes: Uint8Array): SubscriberFile {
  const subscribers = new Map<string, Subscriber>();
  const invalidPhones = new Set<string>();
  const invalidEmails = new Set<string>();
  let row = 0;
  try {
    for (const [phoneCell, emailCell = "", subscribedCell = ""] of readPhoneRows(
      decodeUtf8(bytes),
      "email",
      "subscribed",
    )) {
      row += 1;
      const phone = phoneCell.trim();
      const email = emailCell.trim().toLowerCase();
      const subscribed = YES_NO.get(subscribedCell.trim().toLowerCase());
      if (subscribed === undefined) failField("subscribed", `must be true or false; row ${row} has neither`);
      const isEmail = z.regexes.html5Email.test(email);
      if (!isE164(phone)) invalidPhones.add(phone);
      else {
        subscribers.delete(phone);
        subscribers.set(phone, { phone, email: isEmail ? email : null, subscribed });
        if (email !== "" && !isEmail) invalidEmails.add(emailCell.trim());
      }
    }
  } catch (error) {
    if (error instanceof CsvError) failField("body", error.message);
    throw error;
  }
  return {
    subscribers: [...subscribers.values()],
    invalidPhoneNumbers: [...invalidPhones],
    invalidEmails: [...invalidEmails],
  };
}
