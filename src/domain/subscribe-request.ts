// Pure. The body of POST /text/subscribe.
import * as z from "zod/mini";
import { csvFile, readRows } from "./phone-file.ts";
import { absent, EITHER_LIST, failNeither, phoneNumbers } from "./phone-list.ts";
import { sendPurpose } from "./send-request.ts";
import { Subscribers } from "./subscribers.ts";

const fields = z.object(
  {
    phone_numbers: z.optional(z.union([phoneNumbers, ...absent])),
    csv_file: z.optional(z.union([csvFile(readSubscribers), ...absent])),
    sendPurpose,
  },
  { error: "must be a JSON object" },
);

export const subscribeSchema = z
  .pipe(
    fields,
    z.transform(({ phone_numbers, csv_file, sendPurpose: purpose }, payload) => {
      const listed = phone_numbers || [];
      if (listed.length > 0 || csv_file) {
        const subscribers = new Subscribers();
        for (const phone of listed) subscribers.add(phone, "", true);
        for (const { phone, email } of csv_file || []) subscribers.add(phone, email, true);
        return { subscribers, sendPurpose: purpose };
      }
      return failNeither(payload);
    }),
  )
  .register(z.globalRegistry, { anyOf: EITHER_LIST });

/** @throws CsvError without the column of phone numbers, or over MAX_CSV_ROWS */
function readSubscribers(csv: string) {
  return readRows(csv, ["email"], ([phone = "", email = ""]) => ({ phone, email }));
}
