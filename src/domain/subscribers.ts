// Pure. Checks rows of subscribers.
import { echoEmail, echoPhone } from "./echo.ts";
import { isEmail } from "./email.ts";
import { isE164 } from "./phone.ts";

/** As given; an empty email counts as absent. */
export interface SubscriberRow {
  phone: string;
  email: string;
  subscribed: boolean;
}

interface Subscriber {
  /** E.164 */
  phone: string;
  /** In lower case; null when none is given. */
  email: string | null;
  subscribed: boolean;
}

export interface Subscribers {
  /** Distinct numbers; the last row of a number counts. */
  subscribers: Subscriber[];
  /** As given, trimmed, and cut after the longest valid number; distinct. */
  invalidPhoneNumbers: string[];
  /** Invalid numbers to opt out: such a number may have been stored while it was valid. */
  invalidOptOuts: string[];
  /** As given, trimmed, and cut after the longest valid address; distinct. The numbers of these rows are stored without one. */
  invalidEmails: string[];
}

export function toSubscribers(rows: Iterable<SubscriberRow>): Subscribers {
  const subscribers = new Map<string, Subscriber>();
  const invalidPhones = new Set<string>();
  const invalidOptOuts = new Set<string>();
  const invalidEmails = new Set<string>();
  for (const row of rows) {
    const phone = row.phone.trim();
    if (!isE164(phone)) {
      invalidPhones.add(echoPhone(phone));
      if (!row.subscribed) invalidOptOuts.add(phone);
      continue;
    }
    const email = row.email.trim().toLowerCase();
    const isAddress = isEmail(email);
    if (email !== "" && !isAddress) invalidEmails.add(echoEmail(row.email.trim()));
    subscribers.delete(phone);
    subscribers.set(phone, { phone, email: isAddress ? email : null, subscribed: row.subscribed });
  }
  return {
    subscribers: [...subscribers.values()],
    invalidPhoneNumbers: [...invalidPhones],
    invalidOptOuts: [...invalidOptOuts],
    invalidEmails: [...invalidEmails],
  };
}

export function without(phones: string[], changes: { phone: string }[]): string[] {
  const changed = new Set(changes.map(({ phone }) => phone));
  return phones.filter((phone) => !changed.has(phone));
}
