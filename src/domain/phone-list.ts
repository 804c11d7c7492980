// Pure. The phone numbers of a request: an array, a CSV file in Base64, or both.
import * as z from "zod";
import { distinctPhones } from "./number-list/distinct-phones.ts";
import { csvFile, MAX_CSV_ROWS, readPhoneColumn } from "./phone-file.ts";

export const MAX_PHONE_NUMBERS = 5_000;

export const phoneNumbers = z
  .array(z.unknown(), {
    error: ({ input }) =>
      typeof input === "object" ? "must be a flat array of strings, not an object" : "must be a flat array of strings",
  })
  .superRefine((items, context) => {
    const add = (message: string, path: number[] = []) => context.addIssue({ code: "custom", message, path });
    if (items.length > MAX_PHONE_NUMBERS) {
      add(`has ${items.length} items; at most ${MAX_PHONE_NUMBERS} are allowed (a csv_file takes ${MAX_CSV_ROWS})`);
      return;
    }
    items.forEach((item, index) => {
      if (typeof item !== "string") add("must be a string", [index]);
    });
  })
  .transform((items) => items as string[])
  .meta({
    description: `A flat array of at most ${MAX_PHONE_NUMBERS} strings. Required where \`csv_file\` is absent.`,
    items: { type: "string" },
    maxItems: MAX_PHONE_NUMBERS,
  });

/** `null`, `""` and an empty array count as absent. */
export const absent = [z.literal(""), z.null()] as const;

export const NEITHER_LIST = {
  code: "custom" as const,
  path: ["phone_numbers"],
  message: "either phone_numbers (a flat array of strings) or csv_file must be given",
};

/** The same rule in JSON Schema. */
export const EITHER_LIST = [{ required: ["phone_numbers"] }, { required: ["csv_file"] }];

export const phoneListSchema = z
  .object(
    {
      phone_numbers: z.union([phoneNumbers, ...absent]).optional(),
      csv_file: z.union([csvFile(readPhoneColumn), ...absent]).optional(),
    },
    { error: "must be a JSON object" },
  )
  .transform(({ phone_numbers, csv_file }, context) => {
    const listed = phone_numbers || [];
    if (listed.length > 0 || csv_file) return distinctPhones(listed, csv_file || undefined);
    context.addIssue(NEITHER_LIST);
    return z.NEVER;
  })
  .meta({ anyOf: EITHER_LIST });

export const subscriptionStatusAnswerSchema = z.object({
  phoneNumberStatuses: z.array(z.object({ phoneNumber: z.string(), subscriptionStatus: z.boolean() })),
  invalidPhoneNumbers: z.array(z.string()),
});
