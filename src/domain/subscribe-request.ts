// Pure. The body of POST /text/subscribe.
import * as z from "zod";
import { atMost, csvFile, readPhoneRows } from "./phone-file.ts";
import { absent, EITHER_LIST, NEITHER_LIST, phoneNumbers } from "./phone-list.ts";
import { sendPurpose } from "./send-request.ts";
import { type SubscriberRow, toSubscribers } from "./subscribers.ts";

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

/** @throws CsvError without the column of phone numbers, or over MAX_CSV_ROWS */
function readSubscriberRows(csv: string): SubscriberRow[] {
  return atMost(readPhoneRows(csv, "email"), ([phone, email = ""]) => ({ phone, email, subscribed: true }));
}
