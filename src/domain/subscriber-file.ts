// Pure. The CSV file of subscribers that an operator imports.
import { failField } from "./failure.ts";
import { CsvError, decodeUtf8, readPhoneRows } from "./phone-file.ts";
import { type SubscriberRow, type Subscribers, toSubscribers } from "./subscribers.ts";

const YES_NO = new Map([
  ...["", "true", "1", "yes", "y", "t"].map((word) => [word, true] as const),
  ...["false", "0", "no", "n", "f"].map((word) => [word, false] as const),
]);

/** @throws RequestFailure fields-wrong: the caller stores nothing of the file */
export function readSubscribers(bytes: Uint8Array): Subscribers {
  try {
    return toSubscribers(readRows(decodeUtf8(bytes)));
  } catch (error) {
    if (error instanceof CsvError) failField("body", error.message);
    throw error;
  }
}

function* readRows(csv: string): Generator<SubscriberRow, void> {
  let row = 0;
  for (const [phone, email = "", yesNo = ""] of readPhoneRows(csv, "email", "subscribed")) {
    row += 1;
    const subscribed = YES_NO.get(yesNo.trim().toLowerCase());
    if (subscribed === undefined) failField("subscribed", `must be true or false; row ${row} has neither`);
    yield { phone, email, subscribed };
  }
}
