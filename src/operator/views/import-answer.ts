// What an import answers: how many numbers it has changed, and what it could not read.
import * as z from "zod";
import { MOST_NAMED } from "../../domain/people/import-figures.ts";
import { MOST_INVALID_CELLS } from "../../domain/people/subscribers.ts";
import { previewShape } from "./import-preview.ts";

export const importAnswer = z.object({
  importId: z
    .uuid()
    .optional()
    .describe(
      "For an undo, and for further requests of the import; the audit log has it as the subject of the import. Left out with `dryRun`.",
    ),
  columns: z
    .object({
      phone: z.string(),
      email: z.string().nullable(),
      subscribed: z.string().nullable(),
      consentedAt: z.string().optional(),
      evidence: z.string().optional(),
    })
    .describe("The columns that were read, as the file writes them. null, or left out: it has no such column."),
  ignoredColumns: z
    .array(z.string())
    .describe("The other columns, as the file writes them, each cut after 100 characters; the first 100."),
  imported: z.int().describe("Distinct numbers: the sum of the next six."),
  newSubscribed: z.int().describe("Never seen before, and subscribed."),
  newOptedOut: z.int().describe("Never seen before, and opted out."),
  becameSubscribed: z.int().describe("Were opted out, and are subscribed."),
  becameOptedOut: z.int().describe("Were subscribed, and are opted out."),
  newAddress: z.int().describe("Have the state from before, and another e-mail address."),
  unchanged: z.int().describe("Have the state and address from before."),
  keptUnsubscribed: z
    .int()
    .describe("Numbers that the file would subscribe, and that stay unsubscribed: those of the two lists at the end."),
  unreadableOptOuts: z
    .int()
    .describe(
      "Rows that say opted out, and whose number is invalid and unknown: nobody is opted out by them. Correct their numbers, and import them again.",
    ),
  invalidPhoneNumbers: z.array(z.string()),
  invalidEmails: z
    .array(z.string())
    .optional()
    .describe("Left out if empty. Their numbers are imported without an address."),
  invalidCells: z
    .array(
      z.object({
        line: z.int().describe("The line of the file on which the row begins, from 1."),
        column: z.enum(["phone_numbers", "email"]),
        value: z.string(),
        message: z.string(),
      }),
    )
    .optional()
    .describe(
      `Left out if empty. The first place of each value in the two lists before, and its fault; at most ${MOST_INVALID_CELLS}.`,
    ),
  optedOutNumbers: z
    .array(z.string())
    .optional()
    .describe(
      `Left out if empty. Their owners opted out themselves, or they were erased: no import subscribes them. At most ${MOST_NAMED}.`,
    ),
  unsubscribedNumbers: z
    .array(z.string())
    .optional()
    .describe(
      `Left out if empty. Unsubscribed by a client, an import or an operator: \`resubscribe=true\` subscribes them again. At most ${MOST_NAMED}.`,
    ),
  ...previewShape,
});
