// Pure. The body of POST /text/subscribe.
import type * as z from "zod";
import { type FieldError, type Tried, tryFields } from "../failure.ts";
import { isAbsent, jsonObject, orEmpty } from "../fields.ts";
import { sendPurpose } from "../messages/send-request.ts";
import { isFaulty } from "../messages/send-times.ts";
import { type Consent, consentedAt, evidence, findConsentFault, readConsentCells, toConsent } from "./consent.ts";
import { echoPhone } from "./echo.ts";
import { strip } from "./invisible.ts";
import { csvFile, readRows } from "./phone-file.ts";
import { EITHER_LIST, phoneNumbers, requireList } from "./phone-list.ts";
import { RowFaults } from "./row-faults.ts";
import { refuseStates } from "./state-column.ts";
import { readYesNo } from "./subscriber-file.ts";
import { Subscribers } from "./subscribers.ts";

/** A row of the file. */
interface Row {
  line: number;
  phone: string;
  email: string;
  consent: Consent | undefined;
}

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
    const rows = csv_file || [];
    for (const phone of phone_numbers || []) subscribers.add(phone, "", true);
    for (const { phone, email, consent } of rows) subscribers.add(phone, email, true, undefined, consent);
    return { subscribers, rows, sendPurpose: purpose, consent: toConsent(told.consentedAt, told.evidence) };
  })
  .meta(EITHER_LIST);

/**
 * The request, or every rule that its body breaks.
 * @param now milliseconds since 1970
 */
export function trySubscribeRequest(body: unknown, now: number): Tried<z.output<typeof subscribeSchema>> {
  const tried = tryFields(subscribeSchema, body);
  const { consentedAt: time } = Object(body) as Record<string, unknown>;
  const isReadable = !isAbsent(time) && !isFaulty(tried.details ?? [], "consentedAt");
  const message = isReadable ? findConsentFault(String(time), now) : undefined;
  const details = [
    ...(tried.details ?? []),
    ...(message === undefined ? [] : [{ field: "consentedAt", message }]),
    ...findRowFaults(tried.data?.rows ?? [], now),
  ];
  return details.length > 0 ? { details } : tried;
}

/** The rows have times of the right form, which may be ahead of the clock. */
function findRowFaults(rows: Row[], now: number): FieldError[] {
  const faults = new RowFaults<string>();
  for (const { line, consent } of rows) {
    if (typeof consent?.consentedAt !== "number") continue;
    const time = new Date(consent.consentedAt).toISOString();
    const fault = findConsentFault(time, now);
    if (fault) faults.add(`line ${line} has "${time}" in the column consented_at: it ${fault}`);
  }
  const messages = [...faults.first, ...(faults.more ? [faults.more] : [])];
  return messages.map((message) => ({ field: "csv_file", message }));
}

const ONLY_SUBSCRIBES = "this call subscribes every number of the file";

const ADVICE = `: ${ONLY_SUBSCRIBES}, so leave out the rows of those who have opted out, and the column`;

const WANTED = {
  others: ["email", "subscribed", "consented_at", "evidence"],
  check: (names: string[]) => refuseStates(names, ADVICE),
};

/**
 * A column `subscribed` may say that each row is to be subscribed, and nothing else.
 * @throws CsvError without the column of phone numbers, over MAX_CSV_ROWS, or with a column that looks like another state
 */
function readSubscribers(csv: string, faults: RowFaults<string>): Row[] {
  return readRows(csv, WANTED, ([phone, email, yesNo, time, shown], line) => {
    if (typeof yesNo === "string" && !readYesNo(yesNo)) {
      faults.add(
        `line ${line} has ${echoCell(yesNo)} in the column subscribed: ${ONLY_SUBSCRIBES}, so leave the row out`,
      );
    }
    const proof = { time: time ?? null, evidence: shown ?? null };
    const consent = readConsentCells(proof, Number.POSITIVE_INFINITY, ({ column, value, message }) =>
      faults.add(`line ${line} has ${echoCell(value)} in the column ${column}: it ${message}`),
    );
    return { line, phone: phone ?? "", email: email ?? "", consent };
  });
}

const echoCell = (cell: string) => JSON.stringify(echoPhone(strip(cell))).replace(/^""$/, "nothing");
