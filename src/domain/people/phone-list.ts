// Pure. The phone numbers of a request: an array, a CSV file in Base64, or both.
import * as z from "zod";
import { jsonObject, orEmpty, ruleOfFields, strings } from "../fields.ts";
import { ignoredFieldsShape } from "../messages/ignored-fields.ts";
import { distinctPhones } from "./number-list/distinct-phones.ts";
import { csvFile, MAX_CSV_ROWS, readPhoneColumn } from "./phone-file.ts";

export const MAX_PHONE_NUMBERS = 5_000;

export const phoneNumbers = strings(
  ({ input }) =>
    typeof input === "object" ? "must be a flat array of strings, not an object" : "must be a flat array of strings",
  (count) =>
    count > MAX_PHONE_NUMBERS
      ? `has ${count} items; at most ${MAX_PHONE_NUMBERS} are allowed (a csv_file takes ${MAX_CSV_ROWS})`
      : undefined,
).meta({
  description: `A flat array of at most ${MAX_PHONE_NUMBERS} strings. Required where \`csv_file\` is absent.`,
  items: { type: "string" },
  maxItems: MAX_PHONE_NUMBERS,
});

/** The rule for the lists of a request, reported together with the rules of its fields. An empty array is no list. */
export const requireList = ruleOfFields<{ phone_numbers?: unknown; csv_file?: unknown }>((body, add) => {
  const isAbsent = (list: unknown) => list === undefined || list === null || list === "";
  const isEmpty = Array.isArray(body.phone_numbers) && body.phone_numbers.length === 0;
  if ((isEmpty || isAbsent(body.phone_numbers)) && isAbsent(body.csv_file)) {
    add("phone_numbers", "either phone_numbers (a flat array of strings) or csv_file must be given");
  }
});

/** The rule of requireList. Generators of types read an anyOf beside the fields as alternatives to them: allOf holds it. */
export const EITHER_LIST = {
  allOf: [
    {
      anyOf: [
        {
          required: ["phone_numbers"],
          properties: { phone_numbers: { type: "array", items: { type: "string" }, minItems: 1 } },
        },
        { required: ["csv_file"], properties: { csv_file: { type: "string", minLength: 1 } } },
      ],
    },
  ],
};

export const phoneListSchema = jsonObject({
  phone_numbers: orEmpty(phoneNumbers),
  csv_file: orEmpty(csvFile(readPhoneColumn)),
})
  .check(requireList)
  .transform(({ phone_numbers, csv_file }) => distinctPhones(phone_numbers || [], csv_file || undefined))
  .meta(EITHER_LIST);

export const subscriptionStatusAnswerSchema = z.object({
  phoneNumberStatuses: z.array(z.object({ phoneNumber: z.string(), subscriptionStatus: z.boolean() })),
  invalidPhoneNumbers: z.array(z.string()),
  ...ignoredFieldsShape,
});
