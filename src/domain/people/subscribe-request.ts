// Pure. The body of POST /text/subscribe.
import type * as z from "zod";
import { type Tried, tryFields } from "../failure.ts";
import { isAbsent, jsonObject, orEmpty } from "../fields.ts";
import { sendPurpose } from "../messages/send-request.ts";
import { isFaulty } from "../messages/send-times.ts";
import { consentedAt, evidence, findConsentFault, toConsent } from "./consent.ts";
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
  consentedAt: orEmpty(consentedAt),
  evidence: orEmpty(evidence),
})
  .check(requireList)
  .transform(({ phone_numbers, csv_file, sendPurpose: purpose, ...told }) => {
    const subscribers = new Subscribers();
    for (const phone of phone_numbers || []) subscribers.add(phone, "", true);
    for (const { phone, email } of csv_file || []) subscribers.add(phone, email, true);
    return { subscribers, sendPurpose: purpose, consent: toConsent(told.consentedAt, told.evidence) };
  })
  .meta(EITHER_LIST);

/**
 * The request, or every rule that its body breaks.
 * @param now milliseconds since 1970
 */
export function trySubscribeRequest(body: unknown, now: number): Tried<z.output<typeof subscribeSchema>> {
  const tried = tryFields(subscribeSchema, body);
  const { consentedAt: time } = Object(body) as Record<string, unknown>;
  if (isAbsent(time) || isFaulty(tried.details ?? [], "consentedAt")) return tried;
  const message = findConsentFault(String(time), now);
  return message === undefined ? tried : { details: [...(tried.details ?? []), { field: "consentedAt", message }] };
}

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
