// Pure. The body of POST /text/subscribe.
import * as z from "zod/mini";
import { jsonObject, orEmpty } from "./fields.ts";
import { csvFile, readRows } from "./phone-file.ts";
import { describeLists, phoneNumbers, requireList } from "./phone-list.ts";
import { describeSendPurpose, sendPurpose } from "./send-request.ts";
import { Subscribers } from "./subscribers.ts";

const csvOfSubscribers = csvFile(readSubscribers);

const fields = jsonObject({
  phone_numbers: orEmpty(phoneNumbers),
  csv_file: orEmpty(csvOfSubscribers),
  sendPurpose,
}).check(requireList);

export const subscribeSchema = z.pipe(
  fields,
  z.transform(({ phone_numbers, csv_file, sendPurpose: purpose }) => {
    const subscribers = new Subscribers();
    for (const phone of phone_numbers || []) subscribers.add(phone, "", true);
    for (const { phone, email } of csv_file || []) subscribers.add(phone, email, true);
    return { subscribers, sendPurpose: purpose };
  }),
);

/** With descriptions. A function, so that the bundle of the Worker leaves them out: only the OpenAPI document needs them. */
export function describedSubscribeRequest() {
  describeLists(subscribeSchema, csvOfSubscribers);
  describeSendPurpose();
  return subscribeSchema;
}

/** @throws CsvError without the column of phone numbers, or over MAX_CSV_ROWS */
function readSubscribers(csv: string) {
  return readRows(csv, ["email"], ([phone = "", email = ""]) => ({ phone, email }));
}
