// The body of every error.
import * as z from "zod";

export const errorSchema = z.object({
  code: z.int(),
  message: z.string().describe("For a person; its wording may change."),
  details: z
    .array(
      z.object({
        field: z.string().describe("Such as `phone` or `phone_numbers[3]`."),
        message: z.string(),
        line: z.int().optional().describe("In a file to import: the line on which the row begins, from 1."),
        value: z.string().optional().describe("In a file to import: the text of the cell, cut after 64 characters."),
        messageId: z.string().optional().describe("The id of a message that is stored, or may be."),
        count: z.int().optional().describe("If `expected` is wrong: the present count."),
      }),
    )
    .optional()
    .describe(
      "One item for each field that breaks a rule, for each message that is stored or may be, or for each hold that there is.",
    ),
  import: z
    .object({
      importId: z.uuid(),
      storedRows: z
        .int()
        .describe("At least so many rows of the file of this request are stored, from its first row on."),
    })
    .optional()
    .describe("If an import ended early and may have stored rows: an undo takes them back."),
  requestId: z.string().describe("As in `X-Request-Id`: the log of the service has the request under it."),
});
