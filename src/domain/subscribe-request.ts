// Pure. The body of POST /text/subscribe.
import * as z from "zod";
import { csvFile, readRows } from "./phone-file.ts";
import { absent, EITHER_LIST, NEITHER_LIST, phoneNumbers } from "./phone-list.ts";
import { sendPurpose } from "./send-request.ts";
import { Subscribers } from "./subscribers.ts";

export const subscribeSchema = z
  .object(
    {
      phone_numbers: z.union([phoneNumbers, ...absent]).optional(),
      csv_file: z.union([csvFile(readSubscribers), ...absent]).optional(),
      sendPurpose,
    },
    { error: "must be a JSON object" },
  )
  .transform(({ phone_numbers, csv_file, sendPurpose: purpose }, context) => {
    const listed = phone_numbers || [];
    if (listed.length > 0 || csv_file) {
      const subscribers = new Subscribers();
      for (const phone of listed) subscribers.add(phone, "", true);
      for (const { phone, email } of csv_file || []) subscribers.add(phone, email, true);
      return { subscribers, sendPurpose: purpose };
    }
    context.addIssue(NEITHER_LIST);
    return z.NEVER;
  })
  .meta({ anyOf: EITHER_LIST });

/** @throws CsvError without the column of phone numbers, or over MAX_CSV_ROWS */
function readSubscribers(csv: string) {
  return readRows(csv, ["email"], ([phone = "", email = ""]) => ({ phone, email }));
}
