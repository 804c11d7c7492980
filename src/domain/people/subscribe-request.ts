// Pure. The body of POST /text/subscribe.

import { jsonObject, orEmpty } from "../fields.ts";
import { sendPurpose } from "../messages/send-request.ts";
import { echoPhone } from "./echo.ts";
import { strip } from "./invisible.ts";
import { csvFile, readRows } from "./phone-file.ts";
import { EITHER_LIST, phoneNumbers, requireList } from "./phone-list.ts";
import type { RowFaults } from "./row-faults.ts";
import { refuseStates } from "./state-column.ts";
import { readYesNo } from "./subscriber-file.ts";
import { Subscribers } from "./subscribers.ts";

export const subscribeSchema = jsonObject({
  phone_numbers: orEmpty(phoneNumbers),
  csv_file: orEmpty(csvFile(readSubscribers)),
  sendPurpose,
})
  .check(requireList)
  .transform(({ phone_numbers, csv_file, sendPurpose: purpose }) => {
    const subscribers = new Subscribers();
    for (const phone of phone_numbers || []) subscribers.add(phone, "", true);
    for (const { phone, email } of csv_file || []) subscribers.add(phone, email, true);
    return { subscribers, sendPurpose: purpose };
  })
  .meta(EITHER_LIST);

const ONLY_SUBSCRIBES = "this call subscribes every number of the file";

const ADVICE = `: ${ONLY_SUBSCRIBES}, so leave out the rows of those who have opted out, and the column`;

const WANTED = { others: ["email", "subscribed"], check: (names: string[]) => refuseStates(names, ADVICE) };

/**
 * A column `subscribed` may say that each row is to be subscribed, and nothing else.
 * @throws CsvError without the column of phone numbers, over MAX_CSV_ROWS, or with a column that looks like another state
 */
function readSubscribers(csv: string, faults: RowFaults) {
  return readRows(csv, WANTED, ([phone = "", email = "", yesNo = ""], line) => {
    if (!readYesNo(yesNo)) {
      const has = JSON.stringify(echoPhone(strip(yesNo)));
      faults.add(`line ${line} has ${has} in the column subscribed: ${ONLY_SUBSCRIBES}, so leave the row out`);
    }
    return { phone, email };
  });
}
